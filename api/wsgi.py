"""What a WSGI server runs: `api.wsgi:app`."""

from api import create_app
from api.process import allow_many_connections, end_streams_on_sigterm

app = create_app()
allow_many_connections()
end_streams_on_sigterm(app)
