"""The running service answers as openapi.yaml says, whatever it is asked."""

from pathlib import Path

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, settings

from tests.e2e.conftest import Server
from tests.e2e.test_races import GUESTS, create

SPEC = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))
schema = schemathesis.openapi.from_dict(SPEC)

CHECKS = (
    schemathesis.checks.not_a_server_error,
    schemathesis.specs.openapi.checks.status_code_conformance,
    schemathesis.specs.openapi.checks.content_type_conformance,
    schemathesis.specs.openapi.checks.response_schema_conformance,
)


@pytest.fixture(scope="module")
def played(servers: list[Server]) -> dict[str, object]:
    """A match that exists, so that not every id is unknown."""
    return create(servers[0], seats=GUESTS, sandbox={"virtual_clock": True})


@schema.parametrize()
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_answer_is_undocumented(
    case: schemathesis.Case, servers: list[Server], played: dict[str, object]
) -> None:
    if case.path_parameters and "match_id" in case.path_parameters:
        case.path_parameters["match_id"] = played["id"]
    response = case.call(base_url=servers[0].url)
    case.validate_response(response, checks=CHECKS)
