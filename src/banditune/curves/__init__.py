"""Step functions: the exact loss of a task, and what is made of many."""
