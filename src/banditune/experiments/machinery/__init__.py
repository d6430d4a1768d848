"""What all experiments share: units of work that are kept, claims that are judged, files that are written."""
