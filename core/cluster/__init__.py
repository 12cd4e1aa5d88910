"""A plug-in of the program's own: Ray hands the files of a result folder to the machines of a cluster (decision 0043).

Only `core.cli.data_commands` imports it, when a cluster is asked for; Ray is the extra `cluster`.
"""
