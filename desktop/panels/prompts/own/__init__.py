"""The page on which people define axes and texts of their own (`page.OwnPage`).

`shelf` lists what there is (`entries`: what is kept, and what was changed), `kind_form` makes a form from the fields of
a kind (`biasprint.core.prompts.definitions`) of inputs (`form`) and tables (`rows`); `asked` are its questions,
and `keeping` saves, removes, reads and writes.
"""
