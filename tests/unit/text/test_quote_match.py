"""A quotation is compared as a sequence of tokens, and what is found are the message's own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.prompt_escaping import tagged
from memory.text.quote_match import find_quote

TEXT = "Well,  I love\n green tea & biscuits <3, you know."
LONG = (
    "Yesterday my sister “Ana” moved to **Ghent** 🎉, she\u2019s the one who "
    "recieved 3.5 points… and I don\u2019t like it at all."
)


@pytest.mark.parametrize(
    ("quoted", "found"),
    [
        ("I love green tea", "I love\n green tea"),
        ("green tea & biscuits", "green tea & biscuits"),
        ("green tea &amp; biscuits &lt;3", "green tea & biscuits <3"),
        (" you know. ", "you know."),
        ("i love green tea", "I love\n green tea"),
        ("I LOVE green tea!", "I love\n green tea"),
        ("…I love green tea …", "I love\n green tea"),
        ("I love … biscuits", None),
        ("green … biscuits", "green tea & biscuits"),
        ("I love tea", None),
        ("I loved green tea", None),
        ("", None),
        ("  ", None),
        ("...", None),
        ("**", None),
    ],
)
def test_find_quote(quoted, found):
    assert find_quote(quoted, TEXT) == found


@pytest.mark.parametrize(
    ("quoted", "found"),
    [
        ('my sister "Ana" moved to Ghent', "my sister “Ana” moved to **Ghent"),
        ("moved to Ghent, she's the one", "moved to **Ghent** 🎉, she\u2019s the one"),
        ("moved to Ghent 🎉", "moved to **Ghent** 🎉"),
        ("she's the one who received 3.5 points", "she\u2019s the one who recieved 3.5 points"),
        ("received 3.5 points - and I dont like it at all", "recieved 3.5 points… and I don\u2019t like it at all"),
        ("yesterday [...] moved to Ghent", "Yesterday my sister “Ana” moved to **Ghent"),
        ("moved to Ghent 😢", None),
        ("received 35 points", None),
        ("received 3 points", None),
        ("and I … like it", None),
    ],
)
def test_form_is_aside_and_the_messages_own_words_are_found(quoted, found):
    assert find_quote(quoted, LONG) == found


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        ("35", "It weighs 3.5 kilos."),
        ("3.5", "It weighs 35 kilos."),
        ("5 degrees", "It has -5 degrees."),
        ("0.5", "It weighs 5 kilos."),
        ("5 grams", "It weighs .5 grams."),
        ("102", "It is 10² wide."),
        ("therapist", "I met the rapist."),
        ("the rapist", "I met the therapist."),
        ("rapist", "I met the therapist."),
        ("I can", "I can't go."),
        ("I can go", "I can't go."),
        ("were late", "we're late"),
        ("it costs 5 today", "it costs 5 € today"),
        ("it costs $5", "it costs 5"),
        ("schon da", "schön da"),
        ("resume", "résumé"),
        ("green tea", "gren tea"),
        ("my friend karen", "my friend Karin"),
        ("Karen came", "Karin came"),
        ("my friends", "my friend"),
        ("he liked me", "he likes me"),
        ("recieved tomorow", "rceeived tomorrow"),
        ("I love … coffee", "I love tea. He loves coffee."),
        ("I love … coffee", "I love tea\nand hate coffee."),
        ("I drink … coffee", "I drink tea, never coffee."),
        ("I drink … coffee", "I drink tea but don't drink coffee."),
        ("sugar I want", "sugar ❌ I want"),
        ("👍", "👎"),
        ("パン", "パンダが好き"),
        ("好きです", "好きじゃないです"),
        ("喜欢茶", "喜欢红茶"),
        ("커피 … 마셔요", "커피 안 마셔요"),
        ("저는 … 의사예요", "저는 학생이 아니라 의사예요"),
        ("… …", "anything"),
    ],
)
def test_a_near_miss_is_no_quotation(quoted, text):
    assert find_quote(quoted, text) is None


@pytest.mark.parametrize(
    ("quoted", "text", "found"),
    [
        ("\uff13\uff0e\uff15 kg", "about 3.5 kg.", "3.5 kg"),
        ("cafe\u0301", "The café.", "café"),
        ("-5 degrees", "It has −5 degrees.", "−5 degrees"),
        ("ich trinke grünen tee", "Ich trinke GRÜNEN Tee", "Ich trinke GRÜNEN Tee"),
        ("お茶が好き", "私はお茶が好きです。", "お茶が好き"),
        ("eau fraîche", "j\u2019aime l\u2019eau fraîche", "eau fraîche"),
        ("I see. You went", "I see, you went", "I see, you went"),
        ("so we moved", "so <b>we</b> moved", "so <b>we</b> moved"),
        ("see my blog today", "see [my blog](https://a.example/b) today", "see [my blog](https://a.example/b) today"),
        ("👍", "Fine 👍🏽!", "👍🏽"),
        ("soft hyphen", "so\u00adft hyphen", "so\u00adft hyphen"),
        ("I am definitely in", "I am definately in", "I am definately in"),
        ("I'm a nurse, that's all", "im a nurse, thats all", "im a nurse, thats all"),
        ("고양이 세 마리 키워요", "나는 고양이 세마리 키워요", "고양이 세마리 키워요"),
        ("أنا أعيش في القاهرة", "انا اعيش فى القاهره", "انا اعيش فى القاهره"),
        ("انا اعيش في القاهرة", "أَنَا أَعِيشُ فِي القَاهِرَةِ", "أَنَا أَعِيشُ فِي القَاهِرَةِ"),
        ("मैं यहाँ रहता हूँ", "मैं यहां रहता हूं", "मैं यहां रहता हूं"),
        ("люблю ёлку", "люблю елку", "люблю елку"),
        ("izmir'de oturuyorum", "İzmir'de oturuyorum", "İzmir'de oturuyorum"),
    ],
)
def test_other_scripts_and_markup(quoted, text, found):
    assert find_quote(quoted, text) == found


def test_the_time_follows_the_lengths():
    assert find_quote("a " * 20_000 + "b", "a " * 40_000) is None


@given(st.text(alphabet="ab &<>;ampltgq\n", min_size=1).filter(lambda text: any(map(str.isalpha, text))))
def test_a_quotation_of_escaped_text_is_found(text):
    inside = tagged("message", text).removeprefix("<message>\n").removesuffix("\n</message>")
    assert find_quote(inside, text) is not None


@given(st.text(), st.text())
def test_what_is_found_is_in_the_text(quoted, text):
    found = find_quote(quoted, text)
    assert found is None or (found and found in text)
