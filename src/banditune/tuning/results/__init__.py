"""What tuning and studies return: results that show, save and run themselves."""
