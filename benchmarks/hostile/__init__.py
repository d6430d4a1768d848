"""What a hostile world does to the command and the library: kills, signals, broken files, full disks, wild numbers."""
