"""Reads the URL of Redis behind Redis Sentinel."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

SENTINEL = "sentinel://"
PORT = 26379


@dataclass(frozen=True)
class SentinelUrl:
    """The parts of a URL `sentinel://:password@host:26379,host:26379/0?master=name`.

    Attributes:
        hosts: The addresses of the Sentinels.
        login: User and password of the Redis servers, as the URL has them before the `@`; empty: none.
        username: That user.
        password: That password.
        database: The number of the database.
        master: The name by which the Sentinels know the servers.
    """

    hosts: list[tuple[str, int]]
    login: str
    username: str | None
    password: str | None
    database: int
    master: str

    @property
    def for_kombu(self) -> str:
        """The same in the form of kombu, which gets the name of the master in an option of its own."""
        before = f"{self.login}@" if self.login else ""
        return ";".join(f"{SENTINEL}{before}{host}:{port}/{self.database}" for host, port in self.hosts)


def read_sentinel_url(url: str, master: str = "") -> SentinelUrl:
    """Read a URL that names one or more Sentinels, separated by `,` or, as kombu writes them, by `;`.

    Args:
        master: The name of the master, unless the URL has one.
    """
    given = [urlsplit("//" + each.removeprefix(SENTINEL)) for each in re.split("[;,]", url)]
    named = next((each for each in given if "@" in each.netloc), given[0])
    path = next((each.path.strip("/") for each in given if each.path.strip("/")), "0")
    query = parse_qs(given[-1].query)
    return SentinelUrl(
        [(each.hostname or "127.0.0.1", each.port or PORT) for each in given],
        named.netloc.rpartition("@")[0],
        unquote(named.username) if named.username else None,
        unquote(named.password) if named.password else None,
        int(path),
        query.get("master", [master])[0],
    )
