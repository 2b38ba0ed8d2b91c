"""Wrong tokens are slowed down by the address that they come from, which is what a trusted proxy says, and no other."""

import time

import httpx2
import pytest

from api.http.access.auth_throttle import FREE
from tests.acceptance.conftest import ENVIRONMENT, PATIENCE, api_process
from workers.embedded.supervisor import Supervisor

WRONG = {"Authorization": "Bearer patrol_nobody"}
# The sum of the first delays: 0.2 s, 0.4 s, 0.8 s, 1.6 s.
SLOWED_SECONDS = 3.0
GUESSES = FREE + 4


@pytest.fixture(scope="module")
def doors(stack, tmp_path_factory, launch):
    """Two APIs, the one behind a proxy at 127.0.0.1 that it trusts, the other behind none."""
    servers = {"DATABASE_URL": stack.database_url, "REDIS_URL": stack.redis_url, "FORWARDED_ALLOW_IPS": "*"}
    trusting, first = api_process(
        "trusting", {**ENVIRONMENT, **servers, "PATROL_API_TRUSTED_PROXIES": "10.0.0.0/8, 127.0.0.1"}
    )
    doubting, second = api_process("doubting", {**ENVIRONMENT, **servers})
    with Supervisor(tmp_path_factory.mktemp("guessing"), launch=launch) as supervisor:
        supervisor.start([first, second])
        yield {"trusting": trusting, "doubting": doubting}


def guess(url, addresses):
    """Show a wrong token from each of these addresses; returns how long it took, in seconds."""
    began = time.monotonic()
    with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
        for address in addresses:
            assert client.get("/v1/beings", headers={**WRONG, "X-Forwarded-For": address}).status_code == 401
    return time.monotonic() - began


def test_without_a_trusted_proxy_the_header_changes_nothing(doors):
    assert guess(doors["doubting"], [f"192.0.2.{number}" for number in range(GUESSES)]) > SLOWED_SECONDS


def test_behind_a_trusted_proxy_each_client_has_guesses_of_its_own(doors):
    assert guess(doors["trusting"], [f"192.0.2.{number}" for number in range(GUESSES)]) < SLOWED_SECONDS


def test_what_a_client_writes_into_the_header_itself_is_not_believed(doors):
    forged = [f"198.51.100.{number}, 203.0.113.7" for number in range(GUESSES)]
    assert guess(doors["trusting"], forged) > SLOWED_SECONDS
