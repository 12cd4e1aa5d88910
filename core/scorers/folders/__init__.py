"""Models from a folder on this computer, loaded through transformers: safetensors only, no code of the folder's own.

Light: what loads is in `loading`, and only the compute process and the model process call it.
"""
