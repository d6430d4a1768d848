"""Tasks in partitions, more than one machine holds: each is read and swept by a worker, and the sums are exact."""
