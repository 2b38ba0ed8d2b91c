"""120 questions with models that err: nothing is quoted that was not said, and nothing is known that is not there."""

import pytest

from tests.integration.asking.erring import Erring
from tests.integration.asking.questions import questions

ASKED = questions()


@pytest.mark.parametrize("seed", [62])
def test_no_quotation_passes_that_does_not_exist_and_what_is_not_there_is_not_known(asking, seed):
    told = [one for asked in ASKED for one in asked.told]
    ids = asking.tell(*told)
    said = {str(id_): one["content"] for id_, one in zip(ids, told, strict=True)}
    models = Erring(ASKED, seed)
    asking.plan, asking.answer = models.plan, models.answer
    kept = 0
    for one in ASKED:
        asked = asking.ask(one.question)
        for cite in (cite for each in asked.answer for cite in each.cites if cite.kind == "message"):
            assert cite.quote in said[cite.id]
        for cite in (cite for each in asked.answer for cite in each.cites if cite.kind == "computed"):
            assert cite.quote in {row.text for row in asked.looked_at.computed}
        answer = [each.sentence for each in asked.answer]
        written = models.written.get(one.question)
        if written is None or asked.method == "extract":
            assert one.right, "what is not there was answered with passages"
            continue
        assert not set(answer) & set(written.wrong), (one.kind, answer)
        if not one.right:
            assert not asked.known, (one.question, answer)
        elif written.right:
            kept += 1
            assert answer == [text for text, _ in one.right], (one.question, asked.dropped)
    assert kept >= 20
