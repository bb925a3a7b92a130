# One image for the API, the timekeeper and the workers; compose.yaml names the part.
FROM python:3.13-slim

RUN useradd --system --create-home --home-dir /var/lib/menagerie --uid 10001 menagerie
WORKDIR /srv/menagerie

COPY . .
RUN pip install --no-cache-dir --editable '.[service]'

USER menagerie
ENV MENAGERIE_DATA=/var/lib/menagerie MENAGERIE_HOST=0.0.0.0 PORT=8000 PYTHONUNBUFFERED=1
EXPOSE 8000

# Needs MENAGERIE_REDIS_URL, MENAGERIE_QUEUE_URL and MENAGERIE_SECRET.
CMD ["python", "-m", "menagerie.serve", "api"]
