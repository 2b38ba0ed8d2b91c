"""A room over HTTP: it is its user's, and a token for one Being opens what that one heard."""

import pytest

SAID = [
    {"id": "1", "role": "user", "content": "Hello, all."},
    {"id": "2", "speaker_being": "leo", "content": "Good morning."},
    {"id": "3", "role": "user", "content": "Mira, a zeppelin is coming.", "present": ["mira"]},
]


@pytest.fixture
def leo(person):
    """A second Being."""
    return person.add_being("leo")


@pytest.fixture
def room(person, leo):
    """The path of a room of both."""
    made = person.client.post("/v1/rooms", json={"name": "The tavern", "beings": ["mira", str(leo.being_id)]})
    assert made.status_code == 201, made.text
    assert (made.json()["slug"], made.json()["beings"]) == ("the-tavern", ["mira", "leo"])
    return "/v1/rooms/the-tavern"


def test_each_being_has_what_it_heard_and_a_token_for_it_opens_no_more(person, leo, room, newcomer, problem):
    receipt = person.client.post(f"{room}/messages", json=SAID)
    assert receipt.status_code == 202, receipt.text
    ids = receipt.json()["ids"]
    of_leo = person.with_token(being_id=leo.being_id)

    everything = person.client.get(f"{room}/messages").json()["messages"]
    assert [(one["message_id"], one["present"]) for one in everything[::-1]] == [
        (ids[0], ["mira", "leo"]),
        (ids[1], ["mira", "leo"]),
        (ids[2], ["mira"]),
    ]
    heard = of_leo.get(f"{room}/messages").json()["messages"]
    assert [(one["content"], one["speaker_being"]) for one in heard] == [
        ("Good morning.", "leo"),
        ("Hello, all.", None),
    ]
    assert "zeppelin" not in of_leo.get("/v1/beings/leo/export").text
    assert "zeppelin" not in of_leo.post("/v1/beings/leo/search", json={"query": "zeppelin"}).text
    assert [one["slug"] for one in of_leo.get("/v1/rooms").json()["rooms"]] == ["the-tavern"]

    problem(of_leo.post(f"{room}/messages", json={"role": "user", "content": "x", "present": ["mira"]}), 422)
    problem(of_leo.request("DELETE", f"{room}/messages/{ids[2]}"), 404)
    problem(of_leo.patch(room, json={"beings": ["leo"]}), 403)
    problem(of_leo.post("/v1/rooms", json={"name": "Mine", "beings": ["leo"]}), 403)
    problem(of_leo.request("DELETE", room), 403)
    assert of_leo.post(f"{room}/messages/retract", json={"ids": ["1"]}).json()["retracted"] == 1
    assert len(person.client.get(f"{room}/messages").json()["messages"]) == 3

    assert of_leo.post(f"{room}/messages/restore", json={"ids": ["1"]}).json()["restored"] == 1
    assert person.client.post(f"{room}/messages/retract", json={"after": "1"}).json()["retracted"] == 2
    assert person.client.post(f"{room}/messages/restore", json={"after": "1"}).json()["ids"] == ids[1:]
    assert person.client.delete(f"{room}/messages/{ids[1]}").json()["messages"] == 1
    problem(person.client.post(f"{room}/messages/restore", json={"ids": ["2"]}), 410)

    stranger = newcomer().client
    assert stranger.get("/v1/rooms").json()["rooms"] == []
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"name": "Theirs"}),
        ("DELETE", "", None),
        ("GET", "/messages", None),
        ("POST", "/messages", SAID),
        ("POST", "/messages/retract", {"ids": ["1"]}),
        ("POST", "/messages/restore", {"ids": ["1"]}),
        ("DELETE", f"/messages/{ids[0]}", None),
    ):
        problem(stranger.request(method, f"{room}{path}", json=body), 404)
    problem(stranger.post("/v1/rooms", json={"name": "Theirs", "beings": [str(leo.being_id)]}), 422)

    assert person.client.delete(room).status_code == 204
    problem(person.client.get(room), 404)
    problem(person.client.post(f"{room}/messages", json=SAID), 404)
    assert "zeppelin" in person.client.get("/v1/beings/mira/export").text


def test_a_being_that_leaves_hears_no_more_and_one_that_comes_back_hears_what_follows(person, leo, room, problem):
    """The locks of all these are taken in the documented order, which the end of the package checks."""

    def say(content, **fields):
        return person.client.post(f"{room}/messages", json={"role": "user", "content": content, **fields})

    say("Hello, all.")
    assert person.client.patch(room, json={"beings": ["mira"]}).json()["beings"] == ["mira"]
    say("Leo is gone.")
    told = problem(say("Are you there?", present=["leo"]), 422)["detail"]
    assert told == "present: names a Being that takes no part in this room: name those of the room by slug or id"
    assert person.client.patch(room, json={"beings": ["mira", "leo"]}).json()["beings"] == ["mira", "leo"]
    say("Leo is back.")
    of_leo = person.with_token(being_id=leo.being_id)
    heard = [one["content"] for one in of_leo.get(f"{room}/messages").json()["messages"]]
    assert heard == ["Leo is back.", "Hello, all."]
    assert person.client.delete(f"/v1/beings/{leo.being_id}").status_code == 200
    assert person.client.get(room).json()["beings"] == ["mira"]


@pytest.mark.parametrize(
    ("name", "slug"), [("黑兽", "being-"), ("Серафина", "being-"), ("🌙", "being-"), ("Mira B.", "mira-b")]
)
def test_a_being_gets_a_slug_from_its_name(person, name, slug):
    made = person.client.post("/v1/beings", json={"name": name}).json()
    other = person.client.post("/v1/beings", json={"name": f"{name}{name}"}).json()
    assert made["slug"].startswith(slug)
    assert made["slug"] != other["slug"]
    assert person.client.get(f"/v1/beings/{made['slug']}").json()["name"] == name
