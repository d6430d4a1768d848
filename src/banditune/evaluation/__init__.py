"""How well what was learned does on tasks that were not learned from: cross-validation, certificates, plans."""
