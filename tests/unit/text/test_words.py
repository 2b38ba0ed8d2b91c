"""Words become index terms in many languages: inflected forms meet, and scripts without spaces are read in pairs."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.query_vectors import significant_terms
from memory.search.terms import digest, terms
from memory.text.languages import AUTO, LANGUAGES, elected, votes
from memory.text.words import read_words, words
from memory.vault.similarity import tokens
from schemas.search import LanguageCode

# What was told, and a question that uses other forms of its words, by language.
INFLECTED = {
    "en": ("My sisters were painting the old houses.", "Which sister painted a house?"),
    "de": ("Meine Schwestern wohnten in großen Häusern.", "In welchem grossen Haus wohnt die Schwester?"),
    "es": ("Mis hermanas pintaron las casas viejas.", "¿Qué casa vieja pintó mi hermana?"),
    "fr": ("Mes élèves aiment les gâteaux d'anniversaire.", "Quel gâteau l'élève aimait-il ?"),
    "it": ("Le mie sorelle hanno comprato i libri nuovi.", "Quale libro nuovo ha comprato mia sorella?"),
    "ru": ("Мои сёстры жили в больших домах.", "В каком доме живёт сестра?"),
    "ar": ("زرت المكتبات مع أصدقائي", "هل زار الأصدقاء المكتبة؟"),
    "hi": ("मेरी बहनों ने किताबें खरीदीं", "बहन ने कौन सी किताब खरीदी?"),
    "pt": ("As minhas irmãs compraram livros novos.", "Que livro novo comprou a minha irmã?"),
    "nl": ("Mijn zussen wonen in grote huizen.", "In welk groot huis woont mijn zus?"),
}
UNSPACED = {
    "ja": ("妹の名前は花子です。コーヒーが好きです。", "妹の名前は?", ["妹", "名前"]),
    "zh": ("我妹妹住在上海，她喜欢喝咖啡。", "妹妹住在哪里?", ["妹妹", "住在"]),
    "ko": ("내 여동생의 이름은 지영이에요.", "여동생 이름이 뭐야?", ["여동", "동생", "이름"]),
    "th": ("น้องสาวของฉันชื่อมาลี", "น้องสาวชื่ออะไร", ["น้", "สา"]),
}


@pytest.mark.parametrize("language", INFLECTED)
def test_inflected_forms_meet(language):
    told, asked = (set(terms(text, language)) for text in INFLECTED[language])

    assert len(told & asked) >= 2


@pytest.mark.parametrize("language", UNSPACED)
def test_scripts_without_spaces_meet_in_pairs(language):
    told, asked, shared = UNSPACED[language]

    assert {*shared} <= {*terms(told, language)} & {*terms(asked, language)}


def test_a_han_character_may_be_a_word():
    assert set(terms("猫", "ja")) <= set(terms("黒猫がいる。", "ja"))


@pytest.mark.parametrize("language", ["ru", "ar", "hi"])
def test_a_script_tells_its_language_whatever_the_being_s_is(language):
    told, asked = (set(terms(text, "en")) for text in INFLECTED[language])

    assert len(told & asked) >= 2


def test_case_accents_possessives_and_apostrophes_make_no_difference():
    assert terms("CAFÉS", "en") == terms("cafe", "en")
    assert terms("Nora's", "en") == terms("Nora\u2019s", "en") == terms("nora", "en")
    assert terms("\uff46\uff55ll width", "en") == terms("full width", "en")


def test_stop_words_count_only_where_there_is_nothing_else():
    assert terms("It is the heron.", "en") == ["heron"]
    assert terms("What is it?", "en") == ["what", "is", "it"]


@pytest.mark.parametrize("language", [code for code in INFLECTED if code in votes([])])
def test_a_text_s_language_is_told_by_its_frequent_words(language):
    told = " ".join(INFLECTED[language]) + " " + " ".join(sorted(LANGUAGES[language].stop_words)[:40])

    assert elected(votes(words(told))) == language


def test_every_language_that_can_be_set_is_known():
    assert {*get_args(LanguageCode)} == {AUTO, *LANGUAGES}


def test_a_few_foreign_words_select_no_language():
    assert elected(votes(words("La vita è bella, he said."))) == "en"


@pytest.mark.parametrize("text", ["", "!?", "\u0301", "🙂🙂", "\u200b", "a" * 100_000, "''''"])
def test_nothing_breaks_it(text):
    assert all(terms(text, "en"))


@given(st.text())
def test_a_text_is_read_alike_with_scripts_without_spaces_and_without(text):
    assert words(f"{text} \u5bb6") == [*words(text), "\u5bb6"]


def test_a_digest_is_always_the_same_and_fits_a_bigint():
    assert digest("heron") == digest("heron") != digest("herons")
    assert -(2**63) <= digest("heron") < 2**63


JAPANESE = "猫のミケは魚が好き"


def test_every_reader_of_words_reads_the_runs_of_a_script_alike():
    units = {unit for word in read_words(JAPANESE) for unit in word.units()}

    assert units == {"猫", "の", "ミケ", "は", "魚", "が", "好", "き"}
    assert units == {*words(JAPANESE)} == tokens(JAPANESE)
    assert {*significant_terms(JAPANESE)} == {"猫", "ミケ", "魚", "好"}


@pytest.mark.parametrize("text", ["Nora's cat’s tail", "मेरी बहन", "été 猫の", " 한국어 2024 "])
def test_a_word_stands_where_it_says(text):
    found = list(read_words(text))

    assert found
    assert all(text[word.start : word.end] == word.text for word in found)
    assert [word.text for word in read_words(text, found[0].end)] == [word.text for word in found[1:]]


@pytest.mark.parametrize(
    ("query", "terms_of_query"),
    [
        ("Where is my cat?", ["cat"]),
        ("Wo ist die Katze von Ada?", ["Katze", "Ada"]),
        ("The son of the king", ["son", "king"]),
        ("What is it?", ["What", "is", "it"]),
    ],
)
def test_stop_words_of_its_language_are_no_terms_of_a_query(query, terms_of_query):
    assert significant_terms(query) == terms_of_query


def test_a_danda_ends_a_word():
    assert words("मेरा घर दिल्ली में है। राम आया॥ १२ लोग।") == ["मेरा", "घर", "दिल्ली", "में", "है", "राम", "आया", "१२", "लोग"]
