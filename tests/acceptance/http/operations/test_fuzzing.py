"""Whatever the OpenAPI document allows, and some that it does not, is sent to the live API: it answers as it says."""

import json
import re
import socket
import subprocess
import sys
from contextlib import ExitStack
from itertools import cycle, islice

import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.http.accounts.test_isolation import CASES
from tests.acceptance.http.intake.scenes import scene

SECONDS = 10
JSON = {"Content-Type": "application/json"}
WORD = "quince"
ANSWER_BYTES = 64 * 1024
# Values take turns: so many are sent to each place, and every value gets to every kind of place.
VALUES_PER_PLACE = 2


class Foreign:
    """Another user's things, by the ids that a stranger could name; each holds one word."""

    def __init__(self, person):
        self.being = str(person.being.being_id)
        ask = person.ask
        self.note, _ = ask("POST", "/notes", json=[scene(WORD), scene(WORD)]).json()["ids"]
        (self.message,) = ask("POST", "/messages", json={"role": "user", "content": WORD}).json()["ids"]
        (session,) = ask("GET", "/sessions").json()["sessions"]
        self.session = session["session_id"]
        seed = {"type": "PROFILE", "content": WORD, "entity_refs": [f"thing:{WORD}"], "in_confidence": True}
        assert ask("POST", "/facts", json=[seed]).status_code == 201
        (fact,) = ask("GET", "/facts").json()["facts"]
        self.fact = fact["fact_id"]
        (record,) = ask("POST", "/vault", json={"text": f"The tree is a {WORD}."}).json()["records"]
        self.record = record["id"]
        self.cluster = ask("GET", "/clusters").json()["clusters"][0]["cluster_id"]
        self.all = [self.being, self.note, self.message, self.session, self.fact, self.record, self.cluster]


@pytest.fixture
def foreign(newcomer):
    return Foreign(newcomer())


@pytest.fixture
def document(person):
    return person.client.get("/openapi.json").json()


def operations(document, *, with_body):
    """Method, path and operation of each route that takes JSON, or of each that takes no body."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            forms = operation.get("requestBody", {}).get("content", {})
            if (with_body and "application/json" in forms) or not (with_body or forms):
                yield method, path, operation


def places(document, schema, place=(), model=None):
    """The place of each value that a body may have, by the model and field that it is of: routes share models."""
    if "$ref" in schema:
        model = schema["$ref"]
        schema = document["components"]["schemas"][model.rpartition("/")[2]]
    yield (model, place[-1:]), place
    for name, inner in schema.get("properties", {}).items():
        yield from places(document, inner, (*place, name), model)
    if "items" in schema:
        yield from places(document, schema["items"], (*place, 0), model)
    for inner in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from places(document, inner, place, model)


def at(place, value):
    """A body that holds a value at a place, and nothing else."""
    for part in reversed(place):
        value = [value] if part == 0 else {part: value}
    return value


def hostile(foreign):
    """The values for each place of each body."""
    yield from (2**31, 2**63, 10**30, float("nan"), "\0\ud800", None, [[[]]])
    yield [float("nan")] * 2000
    yield {f"k{number}": number for number in range(1500)}
    yield "x" * 60_000
    yield from foreign.all


def sound(answer, what):
    """Hold an answer against what every answer must be."""
    # Health is red where fuzzing made more work than the workers of a loaded machine have done yet.
    red = answer.status_code == 503 and what[1].startswith("/health/")
    assert answer.status_code < 500 or red, what
    assert len(answer.content) < ANSWER_BYTES, what
    assert WORD not in answer.text, what


def test_in_each_place_of_each_body_anything_may_stand(person, document, foreign):
    values, known = cycle(hostile(foreign)), set()
    for method, path, operation in operations(document, with_body=True):
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        own = path.replace("{being}", "mira")
        address = re.sub(r"{\w+}", foreign.record if "record" in path else foreign.note, own)
        new = {place: of for of, place in places(document, schema) if place == () or of not in known}
        known.update(new.values())
        for place in new:
            for value in islice(values, VALUES_PER_PLACE):
                body = json.dumps(at(place, value)).encode()
                sound(person.client.request(method, address, content=body, headers=JSON), (method, path, place))


def test_in_each_place_of_each_address_anything_may_stand(person, document, foreign):
    values = cycle([str(2**31), str(2**63), "-1", "%00", "x" * 4000, *foreign.all])
    for method, path, operation in operations(document, with_body=False):
        if (method, path) == ("delete", "/v1/beings/{being}"):
            continue
        of_own, of_others = path.replace("{being}", "mira"), path.replace("{being}", foreign.being)
        for value in islice(values, VALUES_PER_PLACE):
            for address in {of_own, of_others}:
                sound(person.client.request(method, re.sub(r"{\w+}", value, address)), (method, path, value))
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query" and "{" not in of_own:
                    address = f"{of_own}?{parameter['name']}={value}"
                    sound(person.client.request(method, address), (method, address))


class Unstorable:
    """Every id of a question: it has NUL, and half of a character."""

    def __getattr__(self, name):
        return "a\0b\udcff"


def test_no_place_of_an_address_holds_what_can_not_be_stored(person, document, foreign):
    texts = cycle(["a%00b", "%ED%A0%80", "%00%ED%A0%BD%ED%B8%80"])
    for route, asks in CASES.items():
        method, path = route.split(" ")
        options = asks(Unstorable())
        if "json" in options:
            options = {"content": json.dumps(options["json"]), "headers": JSON}
        parameters = {each["name"] for each in document["paths"][path][method.lower()].get("parameters", ())}
        named = [each for each in re.findall(r"{(\w+)}", path) if each != "being"]
        options.pop("params", None)
        addresses = [re.sub(r"{\w+}", next(texts), path.replace("{being}", "mira"))] if named else []
        addresses += [path.replace("{being}", next(texts))]
        if route != "DELETE /v1/beings/{being}":
            here = re.sub(r"{\w+}", foreign.note, path.replace("{being}", "mira"))
            addresses += [f"{here}?{each}={next(texts)}" for each in sorted(parameters - set(named))]
        for address in addresses:
            sound(person.client.request(method, address, **options), (method, address))


def test_bodies_that_are_withheld_keep_no_other_user_waiting(person, newcomer, document):
    url, token = person.client.base_url, person.client.headers["Authorization"]
    with ExitStack() as opened:
        for method, path, _ in operations(document, with_body=True):
            connection = opened.enter_context(socket.create_connection((url.host, url.port), timeout=PATIENCE))
            connection.sendall(
                f"{method.upper()} {re.sub(r'{.*?}', 'mira', path)} HTTP/1.1\r\nHost: here\r\n"
                f"Authorization: {token}\r\n"
                "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n[".encode()
            )
        assert newcomer().ask("POST", "/recall", json={"query": WORD}).status_code == 200


@pytest.mark.long
def test_the_api_is_what_its_document_says(stack, person, tmp_path):
    token = person.client.headers["authorization"]
    fuzzing = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{stack.url}/openapi.json"),
            *("--header", f"Authorization: {token}", "--phases", "examples,fuzzing"),
            *("--max-examples", "8", "--max-time", str(SECONDS), "--workers", "2", "--seed", "1", "--no-shrink"),
            # A busy machine answers late.
            *("--request-timeout", "60"),
            # That a neighbouring address has the method, and that what is well-formed can break a rule of the domain,
            # is no fault; and for the vault's import it can't make lines of JSON.
            *("--exclude-checks", "unsupported_method,positive_data_acceptance", "--exclude-path-regex", "/import$"),
            *("--continue-on-failure", "--generation-database", "none", "--warnings", "off", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS + 200,
        check=False,
    )
    assert fuzzing.returncode == 0, fuzzing.stdout[-20_000:] + fuzzing.stderr
