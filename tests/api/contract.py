"""Holds every answer to openapi.yaml."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from openapi_schema_validator import OAS31Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SPEC = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))
REGISTRY = Registry().with_resource(
    "urn:spec", Resource.from_contents(SPEC, default_specification=DRAFT202012)
)


def check(rule: str, method: str, response: Any) -> None:
    """Fail unless the answer is one that the operation documents."""
    template = rule.replace("<", "{").replace(">", "}")
    while ":" in template:  # converters: {any(white,black):seat}
        head, _, tail = template.partition(":")
        template = head[: head.rindex("{") + 1] + tail
    operation = SPEC["paths"][template][method.lower()]
    answer = operation["responses"][str(response.status_code)]
    if "content" not in answer:
        assert not response.data
        return
    media = answer["content"][response.mimetype]
    if response.mimetype in ("application/json", "application/problem+json"):
        _validator(json.dumps(media["schema"])).validate(response.json)
    if response.mimetype == "application/problem+json":
        assert response.json["code"] in media["examples"], (rule, method, response.json)


@cache
def _validator(schema: str) -> Any:
    anchored = json.loads(schema.replace("#/components", "urn:spec#/components"))
    return OAS31Validator(anchored, registry=REGISTRY)
