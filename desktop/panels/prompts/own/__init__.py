"""The page on which people define axes and texts of their own (`page.OwnPage`).

`page` lists the definitions (`entries`: saved and changed ones) and makes a form from the fields of a kind
(`biasprint.core.prompts.definitions`), of inputs (`form`) and tables (`rows`); `keeping` asks, saves, removes, reads
and writes.
"""
