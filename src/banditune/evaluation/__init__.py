"""How well what was learned does on held-out tasks: cross-validation, certificates, plans."""
