"""The parts that belong to this computer and not to a project: the data folder, the offline switch, endpoints, keys,
models.
"""
