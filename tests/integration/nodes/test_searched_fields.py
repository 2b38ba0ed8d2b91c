"""The words that a search to the letter looks at are those of the fields that declare it."""

import pytest
from psycopg.types.json import Jsonb

from schemas.intake.inputs import SCENE_FIELDS
from tests.documents.shown import made_up

WORDS = {"action": "Tern.", "actors": ["Auk"], "when": ["2026-03-02"], "setting": "fjord", "dialogue": ["Skua!"]}
WORDS |= {"sensory": ["brine"], "realm": "role-play", "feeling": "Awe.", "themes": ["gull"]}


@pytest.mark.parametrize("name", [name for name in SCENE_FIELDS if name in WORDS])
def test_a_search_to_the_letter_finds_what_is_declared(store, name):
    node = made_up(1, **WORDS)
    with store.transaction() as tx:
        (row,) = tx.execute(
            "select concat_ws(' ', words, lower(array_to_string(themes, ' '))) as words"
            " from memory.words_of_node(%s, %s, %s)",
            [Jsonb(node.scene), node.feeling, node.themes],
        )
    value = WORDS[name]
    word = value[0] if isinstance(value, list) else value
    assert (word.lower() in row["words"]) == SCENE_FIELDS[name].searched
