"""Fields that take exactly what openapi.yaml says, nothing more lenient."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

MATCH_ID = "[a-z2-7]{16}"
INSTANT_EXAMPLE = "2026-12-01T12:00:00.000Z"


class Text(fields.String):
    """A string of characters; lone surrogates are none. `at_most`: its length."""

    def __init__(self, *, at_most: int, at_least: int = 0, **kwargs: Any) -> None:
        length = validate.Length(min=at_least, max=at_most)
        super().__init__(validate=length, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValidationError("Not a valid Unicode string.") from error
        return text


class Choice(fields.String):
    """One of a few words."""

    def __init__(self, *words: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(words), **kwargs)


class Whole(fields.Integer):
    """A whole number; `3.0` is one in JSON, `"3"` and `true` are none."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise ValidationError("Not a whole number.")
        return int(value)


class QueryWhole(fields.Integer):
    """A whole number in a query string."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise ValidationError("Not a whole number.")
        if len(value) > 15:
            raise ValidationError("The number is too large.")
        return int(value)


class Flag(fields.Boolean):
    """`true` or `false` and nothing that resembles them."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("Not a boolean.")
        return value


class QueryFlag(fields.Boolean):
    """`true` or `false` in a query string."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError("true or false.")
        return bool(value == "true")


def instant_field(**kwargs: Any) -> fields.String:
    """An instant in an answer: RFC 3339, UTC, milliseconds."""
    metadata = {"format": "date-time", "example": INSTANT_EXAMPLE, **kwargs.pop("metadata", {})}
    return fields.String(metadata=metadata, **kwargs)


class Empty(Schema):
    """No body, or an empty object."""
