"""The entry for any WSGI server: ``service.wsgi:app``.

It starts with a bad file of API keys too: a server whose workers cannot start would end.
"""

from service.app import create_app
from service.searches.slots import slots_folder
from service.settings import load_settings
from service.telemetry import logs

settings = load_settings(read_keys=False)
logs.configure(settings.log_level)
app = create_app(settings, slots_folder=slots_folder(settings.host, settings.port))
