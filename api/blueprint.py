"""flask-smorest's Blueprint, with three habits of this house.

Bodies are read strictly; answers are documented by their schema but sent as
the views built them; and errors are documented by their codes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, ClassVar, TypeVar

import flask_smorest
import orjson
from flask import Request
from marshmallow import RAISE, ValidationError
from webargs.core import missing
from webargs.flaskparser import FlaskParser

from api.problems import PROBLEMS, BadRequest, UnsupportedMediaType
from schemas.problems import ProblemSchema

View = TypeVar("View", bound=Callable[..., Any])

ALWAYS = (
    "bad_request",
    "bad_token",
    "not_acceptable",
    "internal_error",
    "store_away",
    "store_full",
)
WITH_BODY = ("too_large", "unsupported_media_type")

IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128},
    "description": "The same caller, key and request get the first status and the current match "
    "again. A caller without a token uses a UUID.",
}
IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The ETag that the match must still have, else 412.",
}
IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The ETag that the caller has: 304 if it is still right.",
}


class Parser(FlaskParser):
    """Reads JSON bodies and queries; whatever does not fit is a 400 that says where."""

    DEFAULT_VALIDATION_STATUS = 400
    DEFAULT_UNKNOWN_BY_LOCATION: ClassVar = {
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": RAISE,
    }

    def load_json(self, req: Request, schema: Any) -> Any:
        body = req.get_data()
        if not body:
            return missing
        if req.mimetype != "application/json":
            raise UnsupportedMediaType("Send Content-Type: application/json.")
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"The body is not JSON: {error}.") from error

    def handle_error(
        self, error: ValidationError, req: Request, schema: Any, **kwargs: Any
    ) -> None:
        (location, messages), *_ = error.messages.items()
        errors = [
            {"field": ".".join(map(str, path)) or location, "message": message}
            for path, message in _flat(messages, ())
        ]
        where = "query" if location == "query" else "body"
        raise BadRequest(f"The {where} does not fit its schema.", errors)


def _flat(messages: Any, path: tuple[Any, ...]) -> Iterable[tuple[tuple[Any, ...], str]]:
    """marshmallow's nested messages, one by one with their paths."""
    if isinstance(messages, dict):
        for name, inner in messages.items():
            step = () if name in ("_schema", "value", "key") else (_printable(name),)
            yield from _flat(inner, (*path, *step))
    elif isinstance(messages, list):
        for message in messages:
            yield from _flat(message, path)
    else:
        yield path, str(messages)


def _printable(name: Any) -> str:
    """A field's name as a client sent it, cut to a length that fits an error."""
    return str(name).encode(errors="replace").decode()[:80]


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A noun of the API."""

    ARGUMENTS_PARSER = Parser()

    def answers(
        self,
        status: int,
        schema: Any,
        *problems: str,
        also: dict[int, str] | None = None,
        content_type: str | None = None,
        example: Any = None,
        parameters: Iterable[dict[str, Any]] = (),
        public: bool = False,
    ) -> Callable[[View], View]:
        """Document an operation: what it answers, and the codes it may refuse with.

        It stands above `arguments`, whose body or query it documents too.

        `also`: further statuses with the same body, and why; `public`: the
        operation looks at no token.
        """

        codes = {*problems, *ALWAYS}

        def decorate(view: View) -> View:
            wanted = codes | {*WITH_BODY} if _has_body(view) else codes
            documented = self.response(status, schema, content_type=content_type, example=example)(
                _copy_of(view)
            )
            for other, why in (also or {}).items():
                body = None if other == 304 else schema
                documented = self.alt_response(
                    other, schema=body, description=why, content_type=content_type, success=True
                )(documented)
            for error, examples in _by_status(wanted).items():
                documented = self.alt_response(
                    error,
                    schema=ProblemSchema,
                    content_type="application/problem+json",
                    description="; ".join(examples),
                    examples=examples,
                )(documented)
            security: list[dict[str, list[str]]] = [{}] if public else [{}, {"bearer": []}]
            documented = self.doc(operationId=view.__name__, security=security)(documented)
            arguments = documented._apidoc.setdefault("arguments", {})
            arguments.setdefault("parameters", []).extend(deepcopy([*parameters]))
            view._apidoc = documented._apidoc  # type: ignore[attr-defined]
            return view

        return decorate

    def arguments(self, schema: Any, **kwargs: Any) -> Any:
        """flask-smorest's, with one instance of the schema instead of one a request."""
        return super().arguments(schema() if isinstance(schema, type) else schema, **kwargs)


def _copy_of(view: Any) -> Any:
    """A stand-in to collect documentation on.

    Each of flask-smorest's response decorators wraps the view once more, to dump what it
    returns. Ours return responses, so only what the decorators write down is kept: ten
    wrappers less on the path of a move.
    """

    def stand_in() -> None:
        return None

    stand_in.__name__, stand_in.__doc__ = view.__name__, view.__doc__
    stand_in._apidoc = getattr(view, "_apidoc", {})  # type: ignore[attr-defined]
    return stand_in


def _has_body(view: Any) -> bool:
    parameters = getattr(view, "_apidoc", {}).get("arguments", {}).get("parameters", [])
    return any(parameter.get("in") == "json" for parameter in parameters)


def _by_status(codes: set[str]) -> dict[int, dict[str, Any]]:
    """An example of each problem, by status and code."""
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    for code in PROBLEMS:
        if code not in codes:
            continue
        status, title = PROBLEMS[code]
        found[status][code] = {
            "value": {
                "type": "about:blank",
                "title": title,
                "status": status,
                "detail": f"{title}.",
                "instance": "/v1/matches",
                "code": code,
                "request_id": "4f1c0a9e2b7d4c56",
            }
        }
    return found
