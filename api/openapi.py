"""openapi.yaml, generated from the code: `python -m api.openapi [--check]`."""

import sys
from pathlib import Path

import yaml
from flask import Flask

from menagerie.play.settings import Settings

FILE = Path(__file__).parent.parent / "openapi.yaml"


def text(app: Flask) -> str:
    """The app's description as YAML."""
    api = app.extensions["flask-smorest"]["apis"][""]["ext_obj"]
    return yaml.safe_dump(api.spec.to_dict(), sort_keys=False, allow_unicode=True, width=100)


def main() -> int:
    from api import create_app  # noqa: PLC0415 - the service serves what this module makes

    nowhere = "redis://127.0.0.1:0/0"  # describing the service asks no store
    fresh = text(create_app(Settings(nowhere, nowhere, secret="")))
    if "--check" in sys.argv:
        stale = not FILE.exists() or FILE.read_text(encoding="utf-8") != fresh
        if stale:
            print("openapi.yaml is stale: run `make openapi`.", file=sys.stderr)
        return int(stale)
    FILE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
