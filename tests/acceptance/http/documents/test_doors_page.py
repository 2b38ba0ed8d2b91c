"""The requests on the page of the doors are answered as the page says."""

import json
import re

from schemas.settings import CHECKOUT


def test_the_example_is_answered_as_the_page_says(person):
    page = (CHECKOUT / "docs" / "interfaces.md").read_text().split("## HTTP")[1].split("\n## ")[0]
    (sent,) = re.findall(r"-d '(.*?)'\n```", page, re.DOTALL)
    (told,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    answer = person.ask("POST", "/notes", json=json.loads(sent))
    assert answer.status_code == 202
    ids = answer.json()["ids"]
    assert answer.json() | {"ids": [id_ and "an id" for id_ in ids]} == json.loads(told) | {"ids": ["an id", None]}

    again = person.ask("POST", "/notes", json=json.loads(sent)).json()
    assert (again["accepted"], again["duplicates"], again["ids"]) == (0, 1, ids)
