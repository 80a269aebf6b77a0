"""The entry for a WSGI server: ``service.wsgi:app``.

Under ``service.server.config`` a worker takes the settings of its master. Under any other server it reads those of its
environment, and starts with a bad file of API keys too: a server whose workers cannot start would end.
"""

from service.app import create_app
from service.searches.slots import slots_folder
from service.server import master
from service.settings import load_settings
from service.telemetry import logs

settings = master.settings()
if settings is None:
    settings = load_settings(read_keys=False)
    logs.configure(settings.log_level)
app = create_app(settings, slots_folder=slots_folder(settings.host, settings.port))
