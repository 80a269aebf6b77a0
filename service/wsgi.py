"""The entry for any WSGI server: ``service.wsgi:app``.

A bad file of API keys doesn't stop it here, since servers give up if their workers can't start.
"""

from service.app import create_app
from service.searches.slots import slots_folder
from service.settings import load_settings
from service.telemetry import logs

settings = load_settings(read_keys=False)
logs.configure(settings.log_level)
app = create_app(settings, slots_folder=slots_folder(settings.host, settings.port))
