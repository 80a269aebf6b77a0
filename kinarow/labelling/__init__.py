"""Files of positions in, files of their values out."""
