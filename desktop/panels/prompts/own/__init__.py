"""The page on which people define axes and texts of their own (`page.OwnPage`).

`page` lists the definitions and makes a form from the fields of a kind
(`biasprint.core.prompts.definitions`), of inputs and tables (`rows`); `keeping` asks, saves, removes, reads
and writes.
"""
