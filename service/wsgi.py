"""The entry for a WSGI server: ``service.wsgi:app``, warming up in the background from the start."""

from service import logs
from service.app import create_app, services, warm_up

app = create_app()
logs.configure(services(app).settings.log_level)
warm_up(app, in_background=True)
