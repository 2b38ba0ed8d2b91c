"""No command gives a terminal anything to obey, whatever stands in memories, files, arguments and paths.

Every command of the tree is run over a Being whose every text is hostile: on a pseudo-terminal and with pipes, for
people and as JSON. A new command fails here until it is given arguments in `ARGUMENTS`.
"""

import json
import os
import pty
import re
import shutil
import signal
import tempfile
import threading
from functools import cache
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import pytest
from redis import Redis

from cli.commands import COMMANDS
from providers.local.encoder_config import MINILM
from providers.local.minilm import open_minilm
from schemas.talk.summaries import SummarySpine
from schemas.text.visible_text import visible
from store.accounts import users
from store.database import Store
from tests.acceptance.cli.conftest import PATIENCE, Command
from tests.acceptance.cli.terminals import on_a_terminal, read_all
from tests.full_being import fill
from tests.ports import free_port
from tests.scenes import make_being
from workers.embedded.processes import wait_until
from workers.embedded.servers import running_servers
from workers.streams import rejected

# They share a system, which is started once if they follow one another.
pytestmark = pytest.mark.long
COLOUR = "\x1b[35;45m"
CONTROLS = f"{COLOUR}\x1b]0;title\x07\x1b[2J\x9b31m\x85\x7f\x08\x0e"
INVISIBLE = "\u202e\u2066\u200f\u061c\u2028\u200b\u00ad\ufeff\U000e0041"
IN_A_PATH = f"h{CONTROLS}{INVISIBLE}e"
HOSTILE = f"{IN_A_PATH}\r\nFORGED"
NAME = f"{IN_A_PATH}name"
KEY = "sk-ant-made-up-for-a-test-0123456789"
# What the console writes by itself: colours, and the cursor of what moves.
OURS = re.compile(r"\x1b\[[\d;]*m|\x1b\[\?25[lh]|\x1b\[\dA|\x1b\[2K|\r")
# A document of several lines is shown by its lines.
IN_LINES = {"context", "recall", "diary", "vault snapshot"}


@cache
def embedded(text):
    """The vector of a text."""
    return open_minilm().embed([text])[0].tolist()


class Subject:
    """A hostile user with a hostile Being, and what a command's arguments name of them."""

    def __init__(self, store, folder):
        self._store = store
        self._folder = folder
        with store.transaction() as tx:
            user = users.add_user(tx, f"{NAME} {uuid4()}", "UTC")
            # Of the stack's own model: it would re-embed a Being of another one, at any moment.
            self.being = make_being(tx, user, model=MINILM)
        self.user = user.user_id
        self.slug = self.being.slug
        self.node, *_ = fill(store, self.being, HOSTILE, vector=embedded(HOSTILE))
        with Redis.from_url(running_servers(folder).redis_url) as redis:
            refused = rejected.Rejected("notes", HOSTILE, HOSTILE, HOSTILE.encode(), length=len(HOSTILE.encode()))
            rejected.keep(redis, [refused, refused])
        by = {"being": self.being.being_id, "user": user.user_id, "hostile": HOSTILE}
        with store.transaction() as tx:
            tx.execute("update memory.beings set name = %(hostile)s where being_id = %(being)s", by)
            tx.execute(
                "update memory.session_states set last_rolling_error ="
                " jsonb_build_object('reason', %(hostile)s::text, 'detail', %(hostile)s::text, 'at', now())"
                " where being_id = %(being)s",
                by,
            )
            tx.execute(
                "insert into memory.provider_keys"
                " (user_id, provider, sealed, fingerprint, last_four, refused_at, refusal)"
                " values (%(user)s, 'openai', decode(repeat('00', 60), 'hex'), 'x', 'abcd', now(), %(hostile)s)",
                by,
            )
            summary = {part: [HOSTILE] for part in ("what_mattered", "open_loops", "commitments", "people")}
            tx.execute(
                "update memory.session_summaries set content = %(content)s::jsonb where being_id = %(being)s",
                {**by, "content": json.dumps({**summary, "one_liner": HOSTILE, "tone": HOSTILE})},
            )
            tx.execute(
                "update memory.summary_spines set content = %(content)s::jsonb where user_id = %(user)s",
                {**by, "content": json.dumps({part: [HOSTILE] for part in SummarySpine.model_fields})},
            )
            for kind in ("shadow.judge", "session_close.summarise"):
                tx.execute(
                    "insert into memory.work (owner_id, kind, key, queue, state, finished_at, error)"
                    " values (%(being)s, %(kind)s, %(key)s, 'upkeep', 'dead', clock_timestamp(), %(hostile)s)",
                    {**by, "kind": kind, "key": str(uuid4())},
                )

    def first(self, column, table, condition="true"):
        """A value of the first row of the user's or the Being's in a table."""
        with self._store.transaction() as tx:
            columns = tx.execute(
                "select array_agg(column_name::text) as names from information_schema.columns"
                " where table_schema = 'memory' and table_name = %s",
                [table],
            ).fetchone()["names"]
            owner = next(name for name in ("owner_id", "user_id", "being_id") if name in columns)
            found = tx.execute(
                f"select {column} as found from memory.{table} where {owner} = %s and {condition} limit 1",  # noqa: S608
                [self.user if owner == "user_id" else self.being.being_id],
            ).fetchone()
        assert found, (column, table)
        return found["found"]

    def file(self, *items):
        """A file with a JSON object a line, under a hostile name."""
        path = self._folder / f"{NAME}-{uuid4().hex}.jsonl"
        path.write_text("".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items))
        return path

    @property
    def fact(self):
        """A fact."""
        return self.first("fact_id", "facts", "status = 'ACTIVE'")

    @property
    def todo(self):
        """A todo."""
        return self.first("todo_id", "todos")

    @property
    def record(self):
        """A record of the vault."""
        return self.first("id", "vault_heads")

    @property
    def entry(self):
        """An entry in the stream of what was rejected."""
        with Redis.from_url(running_servers(self._folder).redis_url) as redis:
            return next(iter(rejected.listed(redis))).entry


def about(*words):
    """Arguments about the Being."""
    return lambda on: [*(word(on) if callable(word) else word for word in words), "--being", on.slug]


def of(*words):
    """Arguments about the user."""
    return lambda on: [*(word(on) if callable(word) else word for word in words), "--user", on.user]


def plain(*words):
    """Arguments about neither."""
    return lambda on: [word(on) if callable(word) else word for word in words]


NOTE = {"id": HOSTILE, "type": "todo", "content": HOSTILE}
BAD = {"type": "todo", "content": HOSTILE, HOSTILE: HOSTILE}
# In the order in which they are run: what looks, what changes, what erases.
ARGUMENTS = {
    "up": plain("--host", NAME),
    "down": plain(NAME),
    "demo": plain("--days", NAME),
    "migrate": plain(),
    "api": plain("--host", NAME),
    "worker": plain("--queues", NAME),
    "beat": plain(NAME),
    "mcp": plain("--being", NAME),
    "flower": plain("--host", NAME),
    "stream": plain(NAME),
    "stream status": plain(),
    "stream rejected": plain(),
    "stream replay": plain(lambda on: on.entry),
    "user list": plain(),
    "being list": of(),
    "page": of(),
    "token add": of("--scope", "read"),
    "token list": of(),
    "token revoke": of(lambda on: on.first("token_id", "api_tokens")),
    "key add": of(),
    "key list": of(),
    "key rotate": plain(),
    "key reset": plain("--yes"),
    "key remove": of(lambda on: on.first("key_id", "provider_keys")),
    "cost": of(),
    "operator add": plain(),
    "operator list": plain(),
    "operator revoke": plain(str(uuid4())),
    "soul show": about(),
    "persona list": about("skills"),
    "user-model show": of(),
    "notes kept": about(),
    "clusters": about(),
    "nodes": about(),
    "fading": about(),
    "diary": about(),
    "being show": about(),
    "overview": about(),
    "messages list": about(),
    "notes list": about(),
    "notes failed": about(),
    "notes retry": about("--all"),
    "rename": about(NAME, "Ovens"),
    "move": about(NAME, "Private"),
    "why": about(lambda on: on.node),
    "recall": about(HOSTILE),
    "ask": about(HOSTILE),
    "search": about(HOSTILE),
    "topic": about("Private"),
    "context": about(HOSTILE),
    "mind list": about(),
    "profile list": about(),
    "sessions list": about(),
    "sessions show": about(lambda on: on.first("session_id", "sessions")),
    "sessions state": about(),
    "sessions spine": about(),
    "vault list": about(),
    "vault show": about(lambda on: on.record),
    "vault search": about("Knows"),
    "vault candidates": about("--floor", "0.01"),
    "vault proposals": about(),
    "vault stats": about(),
    "vault snapshot": about(),
    "vault profile": about(),
    "vault export": about(),
    "facts list": about(),
    "facts retrieve": about(HOSTILE),
    "facts show": about(lambda on: on.fact),
    "entities list": about(),
    "entities merges": about(),
    "todos list": about(),
    "requests list": about(),
    "due list": about("--until", "2100-01-01T00:00:00Z"),
    "due notices": about(),
    "rooms add": of(lambda _: f"{NAME} {uuid4()}", lambda on: on.slug, "--people", NAME),
    "rooms list": of(),
    "webhook set": of(f"https://example.com/{quote(NAME)}"),
    "webhook show": of(),
    "judgements": about(),
    "export": plain(lambda on: on.slug),
    "work list": plain(),
    "work show": plain(lambda on: on.first("work_id", "work", "state = 'dead'")),
    "doctor": plain("--no-canary"),
    "run": about(),
    "user add": plain(lambda _: f"{NAME} {uuid4()}"),
    "user budget": plain(lambda on: on.user, "--cost", "1"),
    "being add": of(lambda _: f"s{uuid4().hex}", "--name", NAME),
    "being scenes": about("off"),
    "being record": about("on", "--conversation", HOSTILE),
    "being budget": about("--cost", "1"),
    "import": of(lambda on: on.file({HOSTILE: HOSTILE}), "--being", lambda _: f"s{uuid4().hex}"),
    "soul set": about("--mood", HOSTILE),
    "persona add": about("skills", f"{NAME}2", HOSTILE),
    "persona change": about("skills", f"{NAME}2", "--content", HOSTILE),
    "persona remove": about("skills", f"{NAME}2"),
    "user-model set": of(HOSTILE),
    "user-model remove": of(),
    "notes add": about(lambda on: on.file(NOTE, BAD)),
    "notes change": about(lambda on: on.first("note_id", "notes", "type = 'todo'"), "--content", HOSTILE),
    "notes remove": about(lambda on: on.first("note_id", "notes", "type = 'todo'")),
    "messages add": about(lambda on: on.file({"role": "user", "content": HOSTILE}, BAD)),
    "entities merge": about(lambda on: on.first("merge_id", "entity_merges")),
    "entities propose": about("person:somebody", "person:nobody"),
    "entities part": about(lambda on: on.first("merge_id", "entity_merges")),
    "mind put": about("notesOfMine", HOSTILE),
    "mind remove": about("notesOfMine"),
    "profile set": about("externalDialog", "core", "--instructions", HOSTILE),
    "profile remove": about(NAME),
    "vault add": about(f"Some {NAME} is kept.", "--category", NAME),
    "vault topic": about("a-topic", f"The {NAME} of a topic."),
    "vault update": about(lambda on: on.record, "--text", f"Another {NAME} is kept."),
    "vault promote": about(lambda on: on.record),
    "vault import": about(lambda on: on.file({HOSTILE: HOSTILE})),
    "vault compact": about(),
    "vault delete": about(NAME),
    "vault erase": about(lambda on: on.record, "--yes"),
    "facts seed": about(lambda on: on.file({HOSTILE: HOSTILE})),
    "facts correct": about(lambda on: on.fact, "--content", HOSTILE),
    "facts pin": about(lambda on: on.fact),
    "facts unpin": about(lambda on: on.fact),
    "facts archive": about(lambda on: on.fact),
    "facts restore": about(lambda on: on.first("fact_id", "facts", "status = 'ARCHIVED'")),
    "facts unfold": about(lambda on: on.fact),
    "facts confide": about(lambda on: on.fact),
    "facts share": about(lambda on: on.fact),
    "facts erase": about(lambda on: on.fact),
    "todos correct": about(lambda on: on.todo, "--content", HOSTILE),
    "todos pin": about(lambda on: on.todo),
    "todos unpin": about(lambda on: on.todo),
    "todos done": about(lambda on: on.todo),
    "todos reopen": about(lambda on: on.todo),
    "todos archive": about(lambda on: on.todo),
    "todos confide": about(lambda on: on.todo),
    "todos share": about(lambda on: on.todo),
    "webhook remove": of(),
    "rooms remove": of(lambda on: on.first("room_id", "rooms", "removed_at is null")),
    "requests undo": about(lambda on: on.first("request_id", "spoken_requests")),
    "todos erase": about(lambda on: on.todo),
    "pin": about(lambda on: on.node),
    "unpin": about(lambda on: on.node),
    "correct": about(lambda on: on.node, "--action", HOSTILE),
    "forget": about(lambda on: on.node),
    "revive": about(lambda on: on.node),
    "mute": about("fact", lambda on: on.fact),
    "muted": about(),
    "unmute": about(lambda on: on.first("mute_id", "mutes")),
    "work replay": plain(lambda on: on.first("work_id", "work", "state = 'dead'")),
    "work remove": plain(lambda on: on.first("work_id", "work", "state = 'dead'")),
    "messages confide": about(lambda on: on.first("message_id", "messages")),
    "messages share": about(lambda on: on.first("message_id", "messages")),
    "messages retract": about(HOSTILE),
    "messages restore": about(HOSTILE),
    "erase note": about(lambda on: on.first("note_id", "notes"), "--yes"),
    "erase node": about(lambda on: on.first("node_id", "memory_nodes"), "--yes"),
    # Scenes that rest on it go with it.
    "messages erase": about(lambda on: on.first("message_id", "messages")),
    "erase being": plain(lambda on: on.slug, "--yes"),
    "erase user": plain(lambda on: on.user, "--yes"),
    "erase": plain("--scrub"),
}


# Of these the content itself is seen, in every form: what shows it is not left out by showing nothing.
SHOWING = {
    "nodes",
    "facts list",
    "vault list",
    "todos list",
    "requests list",
    "soul show",
    "why",
    "context",
    "recall",
    "work list",
}
DOCUMENTS = {"export", "vault export", "work show"}
# All that a command writes passes the same two classes, on a terminal and in a pipe. In a pipe are run those that show
# content, in each of the ways in which one writes, and those that write to a pipe what they write to no terminal.
IN_PIPES = SHOWING | DOCUMENTS | {"down", "worker", "vault snapshot", "run", "import", "page"}


def leaves(command, name):
    """Every command that does something, by its whole name."""
    children = getattr(command, "commands", {})
    if not children or command.invoke_without_command:
        yield name, command
    for child in children.values():
        yield from leaves(child, f"{name} {child.name}")


TREE = dict(found for name, entry in COMMANDS.items() for found in leaves(entry.load(), name))
# One function writes the JSON of all commands that are made of declarations, each of a model (test_declarations.py).
IN_JSON = {
    name
    for name, command in TREE.items()
    if any("--json" in parameter.opts for parameter in command.params)
    and (name in SHOWING or command.callback.__module__ != "cli.console.declared")
}


@pytest.fixture(scope="module")
def place():
    """A directory with a path short enough for sockets."""
    made = Path(tempfile.mkdtemp(prefix="cli-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def hostile_command(place, preloaded):
    """The `patrol` command in a home of a hostile name."""
    command = Command(
        place / IN_A_PATH,
        preloaded,
        PATROL_SWEEP_EVERY="1",
        PATROL_API_PROCESSES="1",
        PATROL_FLOWER_BASIC_AUTH="ada:lovelace-1815",
        # A stored key has patrols ask a provider: one that refuses at once.
        ANTHROPIC_BASE_URL="http://127.0.0.1:1",
        OPENAI_BASE_URL="http://127.0.0.1:1",
    )
    yield command
    for left_over in command.living():
        os.kill(left_over, signal.SIGKILL)


@pytest.fixture(scope="module")
def run(hostile_command, preloaded):
    """A function that runs a command in that home, on a terminal or with pipes."""
    wide = {**hostile_command.environment, "TERM": "xterm-256color", "COLUMNS": "200"}
    command = Command(hostile_command.home, preloaded, **wide)

    def ran(*arguments, terminal, apart=False, given=b""):
        if terminal:
            return on_a_terminal(command, *arguments, apart=apart, given=given)
        return command(*arguments, given=given, code=None)

    return ran


@pytest.fixture(scope="module")
def system(place, hostile_command):
    """A `patrol up` in that home, on a terminal; what it showed is looked at in the end."""
    near, far = pty.openpty()
    with os.fdopen(far, "wb") as output:
        up = hostile_command.up("--port", free_port(), "--concurrency", 1, folder=place, output=output)
    shown = [b""]
    reader = threading.Thread(target=read_all, args=[near], kwargs={"seen": shown})
    reader.start()
    try:
        # It says last how it is stopped.
        assert wait_until(lambda: b"stops everything" in shown[0] or up.poll() is not None, PATIENCE)
        assert wait_until(
            lambda: hostile_command("stream", "status", code=None).returncode == 0 or up.poll() is not None, PATIENCE
        )
        assert up.poll() is None, shown
        yield hostile_command
    finally:
        os.kill(up.pid, signal.SIGTERM)
        code = up.wait(PATIENCE)
        reader.join()
        os.close(near)
    text = shown[0].decode()
    assert code == 0
    assert "Stopped." in text
    assert "\\u001b" in text
    assert obeyed(text, terminal=True) == []


@pytest.fixture(scope="module")
def store(system):
    with Store(running_servers(system.home).database_url) as opened:
        yield opened


def obeyed(text, *, terminal):
    """Characters of a text that a terminal would obey, reorder or hide, without those that the console itself wrote."""
    rest = OURS.sub("", text.replace(COLOUR, "\x1b")) if terminal else text
    return sorted({f"{ord(sign):#x}" for sign in rest if visible(sign) != sign})


def test_every_command_has_arguments_here():
    assert ARGUMENTS.keys() == TREE.keys()


# Called in a way that is wrong, with the wrong part in the error.
WRONG = {"down", "demo", "worker", "beat", "stream", "profile remove", "vault delete"}


def faults_of(name, ran, *, terminal, as_json):
    """The faults in a command's output."""
    out, err = ran.stdout, ran.stderr
    document = as_json or name in DOCUMENTS
    if ran.returncode not in ({2} if name in WRONG else {0, 1}):
        yield f"it ended with {ran.returncode}"
    if "Traceback" in out + err:
        yield "it shows a traceback"
    # A document in a pipe is for programs; errors beside JSON went to a pipe.
    of_output = [] if document and not terminal else obeyed(out, terminal=terminal)
    if dangerous := [*of_output, *obeyed(err, terminal=terminal and not as_json)]:
        yield f"a terminal would obey {dangerous}"
    if not as_json and name not in {*IN_LINES, *DOCUMENTS} and re.search(r"^FORGED", out + err, re.MULTILINE):
        yield "a text makes a line of its own"
    if document and ran.returncode == 0:
        for part in out.rstrip("\n").split("\n") if name in {"export", "vault export"} else [out]:
            if not isinstance(json.loads(part), dict):
                yield "it prints a list without a name"


# Each run starts a process for every command: half a minute on a quiet machine, minutes on a busy one. JSON goes to a
# terminal and its errors to a pipe, so `out` must be the document alone; the next test compares it with that of a pipe.
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("terminal", "as_json"),
    [(True, False), (False, False), (True, True)],
    ids=["people-terminal", "people-pipe", "json-terminal"],
)
def test_no_command_shows_what_a_terminal_would_obey(system, store, run, terminal, as_json):
    subject = Subject(store, system.home)
    faults, showed = {}, set()
    for name, arguments in ARGUMENTS.items():
        if name not in (IN_JSON if as_json else ARGUMENTS if terminal else IN_PIPES):
            continue
        asked = [*name.split(), *arguments(subject), *(["--json"] if as_json else [])]
        ran = run(*asked, terminal=terminal, apart=as_json, given=f"{KEY}\n".encode())
        if found := list(faults_of(name, ran, terminal=terminal, as_json=as_json)):
            faults[name] = (found, ran)
        if "\\u202e" in ran.stdout + ran.stderr or "\u202e" in ran.stdout:
            showed.add(name)
    told = (f"{name}: {found}\n{ran.stdout[-1500:]}\n{ran.stderr[-6000:]}" for name, (found, ran) in faults.items())
    assert not faults, "\n".join(told)
    assert showed >= SHOWING, SHOWING - showed


def test_a_json_document_on_a_terminal_is_the_same_as_in_a_pipe(system, store, run):
    subject = Subject(store, system.home)
    for name in ("nodes", "facts list", "vault list", "soul show"):
        asked = [*name.split(), *ARGUMENTS[name](subject), "--json"]
        shown, exact = (run(*asked, terminal=terminal).stdout for terminal in (True, False))
        assert "\u202e" in exact, name
        assert json.loads(shown) == json.loads(exact), (name, shown, exact)
    shown, exact = (run("export", subject.slug, terminal=terminal).stdout for terminal in (True, False))
    # The first line says when it was made.
    told, meant = ([json.loads(line) for line in text.strip().split("\n")[1:]] for text in (shown, exact))
    assert "\u202e" in exact
    assert told == meant


def test_help_and_usage_errors_obey_nothing_on_a_terminal(run):
    for asked in (["user", "-h"], ["recall", "x", "--limit", NAME], ["recall", "x", f"--{NAME}"], [NAME]):
        text = run(*asked, terminal=True).stdout
        assert "Usage: patrol" in text
        assert obeyed(text, terminal=True) == []
