"""What a WSGI server runs: `api.wsgi:app`."""

from api import create_app

app = create_app()
