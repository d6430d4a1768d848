"""Tuning on a Dask cluster: logs in partitions, each read and swept by a worker; the sums are exact."""
