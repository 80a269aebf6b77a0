"""The entry for a WSGI server: ``service.wsgi:app``.

Under ``service.server.config`` a worker takes the settings of its master. Under any other server it reads those of its
environment, and starts with a bad file of API keys too: a server whose workers cannot start would end.
"""

from service.server.hooks import build_app
from service.server.start import settings_of_master
from service.settings import load_settings

app = build_app(settings_of_master() or load_settings(read_keys=False))
