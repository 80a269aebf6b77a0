"""gunicorn: its configuration, its options, and the settings of its master."""
