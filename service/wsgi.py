"""The entry for a WSGI server: ``service.wsgi:app``, warming up in the background from the start."""

from service import logs
from service.answers.search_slots import slots_folder
from service.app import create_app, warm_up
from service.settings import load_settings

_settings = load_settings()
app = create_app(_settings, slots_folder=slots_folder(_settings.host, _settings.port))
logs.configure(_settings.log_level)
warm_up(app, in_background=True)
