"""One user's requests are counted, and their database time is a debt that time pays off."""

from uuid import uuid4

import pytest

from api.http.load.fair_use import AHEAD_SECONDS, MOST_USERS, UserLoads


class Time:
    """A clock that stands still."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def loads(time):
    return UserLoads(2, 0.5, time)


def test_so_many_run_at_a_time(loads):
    ada, ben = uuid4(), uuid4()
    assert [loads.begin(ada, large=False) for _ in range(2)] == [None, None]
    assert "2 concurrent requests" in loads.begin(ada, large=False).reason
    assert loads.begin(ben, large=False) is None
    loads.end(ada, large=False)
    assert loads.begin(ada, large=False) is None


def test_large_ones_are_counted_apart(loads):
    ada = uuid4()
    assert [loads.begin(ada, large=True) for _ in range(2)] == [None, None]
    assert loads.begin(ada, large=True)
    assert loads.begin(ada, large=False) is None


def test_who_used_more_than_their_share_waits_until_time_has_paid_for_it(loads, time):
    ada, ben = uuid4(), uuid4()
    loads.charge(ada, AHEAD_SECONDS)
    assert loads.begin(ada, large=False) is None
    loads.charge(ada, 3.0)
    excess = loads.begin(ada, large=False)
    assert excess.retry_after == pytest.approx(6.0)
    assert "database time" in excess.reason
    assert loads.begin(ada, large=True) is None
    assert loads.begin(ben, large=False) is None
    time.now += excess.retry_after
    assert loads.begin(ada, large=False) is None


def test_a_pause_earns_nothing_beyond_the_whole_debt(loads, time):
    ada = uuid4()
    loads.charge(ada, 1.0)
    time.now += 1000.0
    loads.charge(ada, AHEAD_SECONDS + 1)
    assert loads.begin(ada, large=False)


def test_only_users_with_something_open_are_remembered(loads):
    for _ in range(MOST_USERS + 2):
        user = uuid4()
        loads.begin(user, large=False)
        loads.end(user, large=False)
    assert len(loads._loads) <= 1  # noqa: SLF001  # what is forgotten shows nowhere else
