"""Texts in many Parquet files, scored on many machines, and measured without being brought together.

`order` plans what is to be scored and resumes a result folder that was begun; `partition` scores one file of it, on
whatever machine; `ray_work` hands the files to the machines of a Ray cluster; `sums` measures a result folder. Ray is
imported by `ray_work` alone, when it is asked for (extra `cluster`, decision 0043).
"""
