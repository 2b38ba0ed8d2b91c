"""The URL of Redis behind Sentinel, as an operator writes it, and as redis-py and kombu are given it."""

import pytest

from schemas.settings import Settings
from workers.runtime.addresses import addresses, broker_url
from workers.runtime.sentinel_url import read_sentinel_url

BOTH = [("one", 26379), ("two", 7000)]


@pytest.mark.parametrize(
    "url",
    [
        "sentinel://:a%40b@one,two:7000/3",
        "sentinel://:a%40b@one:26379;sentinel://two:7000/3",
        "sentinel://:a%40b@one/3;sentinel://:a%40b@two:7000/3",
    ],
)
def test_sentinels_are_separated_by_commas_or_as_kombu_does(url):
    settings = Settings(DATABASE_URL="postgresql://h/d", REDIS_URL=url, redis_master="theirs")
    read = read_sentinel_url(addresses(settings).redis_url)
    assert (read.hosts, read.password, read.database, read.master) == (BOTH, "a@b", 3, "theirs")
    assert broker_url(settings) == "sentinel://:a%40b@one:26379/3;sentinel://:a%40b@two:7000/3"
    assert addresses(settings).broker_url == broker_url(settings)


def test_a_password_is_not_needed():
    read = read_sentinel_url("sentinel://one", "mymaster")
    assert (read.hosts, read.login, read.password, read.database) == ([("one", 26379)], "", None, 0)
    assert read.for_kombu == "sentinel://one:26379/0"
