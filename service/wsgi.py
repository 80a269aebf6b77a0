"""The entry for a WSGI server: ``service.wsgi:app``.

Under ``service.gunicorn_conf`` a worker takes the settings of its master. Under any other server it reads those of its
environment, and starts with a bad file of API keys too: a server whose workers cannot start would end.
"""

from service.server import build_app
from service.settings import load_settings
from service.start import settings_of_master

app = build_app(settings_of_master() or load_settings(read_keys=False))
