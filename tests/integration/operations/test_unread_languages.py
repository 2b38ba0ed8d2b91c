"""Talk that is mostly in another language than the embedder reads is named, by `patrol doctor` and the overview."""

import pytest

from memory.text.languages import spoken, votes
from memory.text.words import words
from memory.upkeep.health import findings
from memory.upkeep.talk_languages import unread_language
from providers.local.encoder_config import MINILM, MULTILINGUAL
from schemas.settings import Settings
from store.search import languages
from tests.scenes import make_being

TOLD = {
    "de": "Ich habe gestern mit meiner Schwester gekocht, und wir haben sehr viel gelacht, aber es war auch spät.",
    "fr": "Je suis allé au marché avec ma mère et nous avons acheté des pommes pour la tarte de ce soir.",
    "es": "Ayer fui a la playa con mis hermanos y no había nadie, pero el agua estaba muy fría para nadar.",
    "ru": "Вчера сестра позвала меня в кино, и нам очень понравился фильм, хотя он был длинный и грустный.",
    "ja": "昨日は妹と映画を見に行って、とても楽しかったけれど、帰りの電車が遅れてしまった。",
    "zh": "昨天我和妹妹去看电影。我们都很喜欢。但是回家的火车晚点了。所以很晚才到家。",
}


@pytest.mark.parametrize("language", TOLD)
def test_the_language_of_talk_is_told_in_any_script(language):
    assert spoken(votes(words(TOLD[language] * 2))) == language
    assert spoken(votes(words("Yesterday I went with my sister to the cinema. " * 3 + TOLD["ja"][:4]))) == "en"


def found(tx, store, model):
    tx.execute("update memory.beings set embedding_model = %s", [model])
    tx.commit()
    return next(one for one in findings(store, Settings(embedder="minilm")) if one.name == "languages")


def test_doctor_and_overview_name_talk_that_minilm_does_not_read(store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        languages.keep(tx, {being.being_id: ("en", dict(votes(words(TOLD["ja"] * 2))))})
        unread = found(tx, store, MINILM)
        assert (unread.good, unread.stops) == (False, False)
        assert "ja (1)" in unread.words
        assert unread_language(tx, being.being_id) == "ja"

        assert found(tx, store, MULTILINGUAL).good
        assert unread_language(tx, being.being_id) is None
