"""Before there are memories the page says what is kept, and begins: a Being, earlier talk, a token for a frontend."""

import json
import re
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from schemas.settings import CHECKOUT
from tests.acceptance.http.page.conftest import Mind
from tests.processes.browser import accessibility_faults


@pytest.fixture
def owner(person):
    """A person with an empty Being."""
    return Mind(person)


@pytest.fixture
def page(owner, page_of):
    return page_of(owner.token)


def test_talk_without_a_key_is_said_to_be_kept_and_found(owner, page):
    expect(page.locator("main")).to_contain_text("Nothing has been handed in yet.")
    owner.told("/messages", json=[{"id": "m1", "role": "user", "content": "The lamp is lit."}])
    page.reload()
    expect(page.locator(".lead")).to_have_text("Kept, and found again by the search: 1 message and 1 conversation.")
    expect(page.locator("main")).to_contain_text("1 message waits for one; nothing is lost meanwhile.")
    assert accessibility_faults(page) == []
    page.get_by_role("link", name="1 message").click()
    expect(page.locator(".sessions a")).to_have_text("The lamp is lit.")


def test_an_export_is_handed_in_with_what_was_set_aside(owner, page, went, tmp_path):
    archive = tmp_path / "export.zip"
    with ZipFile(archive, "w") as packed:
        packed.write(CHECKOUT / "tests" / "exports" / "chatgpt" / "conversations.json", "export/conversations.json")
        packed.writestr("export/chat.html", "<p>The same as a page.</p>")
    went(page, "start")
    files = page.get_by_label("Files:")
    files.set_input_files(archive)
    outcome = page.get_by_role("status").filter(has_text="Taken in")
    expect(outcome).to_contain_text("Taken in: 10 messages and 1 set aside.")
    expect(outcome.locator(".aside li")).to_have_text("conversation 3, message h3: it has no author")
    assert len(owner.told("/sessions")["sessions"]) == 3
    again = (CHECKOUT / "tests" / "exports" / "chatgpt" / "conversations.json").read_text().encode("utf-16")
    files.set_input_files({"name": "again.json", "mimeType": "application/json", "buffer": again})
    expect(outcome).to_contain_text("Taken in: 0 messages, 10 known before and 1 set aside.")
    files.set_input_files({"name": "notes.json", "mimeType": "application/json", "buffer": b'[{"colour": "red"}]'})
    expect(page.get_by_role("status").filter(has_text="notes.json")).to_contain_text("Choose one below.")
    other = tmp_path / "memories-000.zip"
    with ZipFile(other, "w") as packed:
        packed.writestr("users.json", "[]")
    files.set_input_files([other, archive])
    expect(outcome).to_contain_text("Taken in: 0 messages, 10 known before and 2 set aside.")
    expect(outcome.locator(".aside li").first).to_contain_text("memories-000.zip: The archive holds no conversations")
    of_team = tmp_path / "team.zip"
    ann, bob = ({"uuid": f"0b5e0000-0000-4000-8000-00000000000{number}"} for number in (1, 2))
    chat = {
        "uuid": "k",
        "account": ann,
        "chat_messages": [{"uuid": "m", "sender": "human", "text": "The lamp is lit."}],
    }
    with ZipFile(of_team, "w") as packed:
        packed.writestr("conversations.json", json.dumps([chat]))
        packed.writestr("memories.json", json.dumps([{"account_uuid": bob["uuid"], "conversations_memory": "Bakes."}]))
    files.set_input_files(of_team)
    expect(outcome).to_contain_text("Taken in: 1 message.")
    expect(outcome).to_contain_text("left out: conversations of other users (1)")


def test_a_long_export_is_divided_between_its_conversations(page, went):
    long = "The lamp is lit. " * 3000
    chats = [
        {"uuid": f"k{at}", "name": "", "chat_messages": [{"uuid": f"m{at}", "sender": "human", "text": f"{at} {long}"}]}
        for at in range(45)
    ]
    chats[40]["chat_messages"][0]["sender"] = "elf"
    for chat in chats:
        chat["account"] = {"uuid": f"0b5e0000-0000-4000-8000-00000000000{int(chat is chats[44])}"}
    went(page, "start")
    asked = []
    page.on("request", lambda request: request.url.endswith("/imports") and asked.append(request.url))
    # Set by the page's own script: a driver hands over a file of megabytes slowly.
    page.evaluate(
        """chats => {
            const files = new DataTransfer();
            files.items.add(new File([JSON.stringify(chats)], "conversations.json"));
            document.querySelector(".drop").dispatchEvent(
                new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
        }""",
        chats,
    )
    outcome = page.get_by_role("status").filter(has_text="Taken in")
    expect(outcome).to_contain_text("Taken in: 43 messages and 1 set aside.")
    expect(outcome).to_contain_text("left out: conversations of other users (1)")
    expect(outcome.locator(".aside li")).to_contain_text("conversation 41")
    assert len(asked) == 3


def test_a_token_for_a_frontend_is_made_after_a_question_listed_and_revoked(owner, page, went, problem):
    owner.person.add_being("other")
    went(page, "start")
    making = page.get_by_role("button", name="Make a token for this Being …")
    dialog = page.get_by_role("dialog")
    making.click()
    expect(dialog).to_contain_text("also after you have logged out")
    dialog.get_by_role("button", name="Cancel").click()
    tokens = page.locator(".tokens li")
    expect(tokens).to_have_count(0)
    making.click()
    dialog.get_by_role("button", name="Make it").click()
    secret = page.get_by_role("textbox", name="Token, which frontends call API key").input_value()
    expect(tokens).to_have_count(1)
    expect(tokens).to_contain_text("not used yet")
    expect(tokens).to_contain_text("It hands in and reads.")
    assert accessibility_faults(page) == []

    client = owner.person.with_secret(secret)
    assert client.post("/v1/beings/mira/messages", json={"role": "user", "content": "Hello."}).is_success
    assert client.get("/v1/beings/mira/sessions").is_success
    problem(client.patch("/v1/beings/mira", json={"name": "Other"}), 403)
    problem(client.get("/v1/beings/other"), 404)

    went(page, "talk")
    went(page, "start")
    expect(tokens).to_contain_text("last used on")
    tokens.get_by_role("button", name="Revoke …").click()
    dialog.get_by_role("button", name="Revoke it").click()
    expect(tokens).to_have_count(0)
    problem(client.get("/v1/beings/mira/sessions"), 401)


def test_tokens_of_a_being_are_for_a_login_with_all_scopes_and_no_other_being(owner, problem):
    being, other = owner.person.being.being_id, owner.person.add_being("other").being_id
    every = owner.person.with_page_login(owner.person.with_secret(owner.token))
    reading = owner.person.with_page_login(owner.person.with_secret(owner.reading))
    path = f"/page/session/tokens/{being}"
    token = every.post(path).json()["token"]["token_id"]
    assert [one["token_id"] for one in every.get(path).json()["tokens"]] == [token]
    for refused in (reading.get(path), reading.post(path), reading.delete(f"{path}/{token}")):
        problem(refused, 403)
    assert every.get(f"/page/session/tokens/{other}").json()["tokens"] == []
    problem(every.delete(f"/page/session/tokens/{other}/{token}"), 404)
    # Neither is the login's own token in the list, which opens all Beings.
    assert every.delete(f"{path}/{token}").status_code == 204
    problem(every.delete(f"{path}/{token}"), 404)
    assert every.get(path).json()["tokens"] == []


def test_a_person_without_a_being_makes_one(owner, open_page, stack, cookie_of):
    owner.told("", "DELETE")
    page = open_page()
    page.context.add_cookies([cookie_of(owner.token)])
    page.goto(stack.url)
    page.get_by_label("Name", exact=True).fill("Älva am See")
    expect(page.get_by_label("Short name")).to_have_value(re.compile("^a.?lva-am-see$"))
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Älva am See")
