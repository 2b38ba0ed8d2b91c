"""What the tests of providers share."""

import pytest

from tests.fakes.provider import running_provider


@pytest.fixture
def provider():
    with running_provider() as running:
        yield running
