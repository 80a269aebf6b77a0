"""gunicorn: its configuration, and what happens before and after it forks."""
