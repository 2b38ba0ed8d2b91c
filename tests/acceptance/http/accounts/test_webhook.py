"""A user's webhook over HTTP: its secret is shown once, and its address is a public one."""

import pytest

URL = "https://hooks.example.com/memory?of=wren"


def test_a_webhook_is_set_shown_without_its_secret_and_removed(person, newcomer, problem):
    problem(person.client.get("/v1/webhook"), 404)
    made = person.client.put("/v1/webhook", json={"url": URL}).json()
    assert (made["url"], made["secret"][:6]) == (URL, "whsec_")
    again = person.client.put("/v1/webhook", json={"url": URL}).json()
    assert again["secret"] != made["secret"]
    shown = person.client.get("/v1/webhook")
    assert shown.json()["url"] == URL
    assert again["secret"] not in shown.text
    problem(newcomer().client.get("/v1/webhook"), 404)
    problem(person.with_token(being_id=person.being.being_id).get("/v1/webhook"), 403)
    assert person.client.delete("/v1/webhook").status_code == 204
    problem(person.client.get("/v1/webhook"), 404)


@pytest.mark.parametrize("url", ["http://hooks.example.com/", "https://127.0.0.1/", "https://[::1]:8443/", "ftp://a.b"])
def test_an_address_that_is_not_public_is_refused(person, problem, url):
    problem(person.client.put("/v1/webhook", json={"url": url}), 422)
    problem(person.client.get("/v1/webhook"), 404)
