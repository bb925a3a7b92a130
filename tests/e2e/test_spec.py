"""openapi.yaml against a running server: whatever a client sends, the answer is a documented one."""

from pathlib import Path

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS
from schemathesis.config import SchemathesisConfig

from tests.e2e.conftest import Match, Server

print(CHECKS.get_all_names())
SPEC = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))
spec = schemathesis.openapi.from_dict(SPEC)
N=[0]

@spec.parametrize()
@settings(max_examples=20, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_documented(case: schemathesis.Case, server) -> None:
    N[0]+=1
    response = case.call(base_url=server.url)
    case.validate_response(response, checks=[CHECKS.get_one(n) for n in ("not_a_server_error","status_code_conformance","content_type_conformance","response_headers_conformance","response_schema_conformance")])

def test_n(): print("N", N)
