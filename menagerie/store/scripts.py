"""The scripts, as they lie beside this file."""

from pathlib import Path


def script(name: str) -> str:
    """The text of `<name>.lua`."""
    return (Path(__file__).parent / f"{name}.lua").read_text(encoding="utf-8")
