"""From an introduction to what is known: facts and todos as their user tends them from the command line."""

import json

FACTS = [
    {"type": "PROFILE", "content": "Drinks green tea.", "entity_refs": ["thing:tea"]},
    {"type": "PEOPLE", "content": "John is a cofounder.", "entity_refs": ["person:John Doe"], "importance": 2},
    {"type": "OPEN_LOOP", "content": "Find a flat."},
]


def lines(*items):
    return "\n".join(json.dumps(item) for item in items).encode()


def test_facts_are_introduced_found_and_tended(account):
    assert (
        account("facts", "seed", "-", given=lines(*FACTS)).stdout
        == "2 facts, 0 added to known facts, 1 todo, 0 repeated\n"
    )
    assert "3 repeated" in account("facts", "seed", "-", given=lines(*FACTS)).stdout
    john, tea = account.json("facts", "list")["facts"]
    assert (tea["memory_key"], john["entity_refs"]) == ("profile|thing|tea|fact", ["person:john_doe"])

    found = account.json("facts", "retrieve", "tea")
    assert found["facts"][0]["content"] == "Drinks green tea."
    ending = tea["fact_id"][-8:]
    assert account.json("facts", "pin", ending)["importance"] == 3
    assert "pinned fact" in account("facts", "archive", ending, code=1).stderr
    account("facts", "unpin", ending)
    assert account("facts", "correct", ending, "--content", "Drinks coffee.").stdout == "Corrected: Drinks coffee.\n"
    told = account("facts", "show", ending).stdout
    assert "Drinks green tea." in told
    assert "unpinned" in told
    account("facts", "archive", ending)
    assert [fact["fact_id"] for fact in account.json("facts", "list", "--archived")["facts"]] == [tea["fact_id"]]
    account("facts", "restore", ending)
    account("facts", "erase", ending)
    assert [fact["fact_id"] for fact in account.json("facts", "list")["facts"]] == [john["fact_id"]]
    assert [entity["entity_ref"] for entity in account.json("entities", "list")["entities"]] == ["person:john_doe"]


def test_todos_are_tended(account):
    account("facts", "seed", "-", given=lines({"type": "OPEN_LOOP", "content": "Sell the old oven."}))
    todo = next(one for one in account.json("todos", "list")["todos"] if one["content"] == "Sell the old oven.")
    ending = todo["todo_id"][-8:]
    assert account("todos", "done", ending).stdout == "Done: Sell the old oven.\n"
    assert ending in account("todos", "list", "--status", "DONE").stdout
    account("todos", "erase", ending)
    assert "There is no todo" in account("todos", "reopen", ending, code=1).stderr


def test_a_file_with_a_wrong_line_is_not_taken(account):
    wrong = lines(FACTS[0], {"type": "SONG", "content": "La la."})
    told = account("facts", "seed", "-", given=wrong, code=1).stderr
    assert "Line 2: type" in told
    assert "La la" not in told
