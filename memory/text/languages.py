"""The languages that words are read in: their stemmers, their stop words, and the recognition of a text's language.

A script that belongs to one language here decides it. Languages in Latin letters are recognised by their most frequent
words (stop words), which also count for nothing in a question. To add a language: the name of its stemmer in
the Snowball library, its stop words, and a sentence of it in `tests/unit/text/test_words.py`.

Published lists of stop words hold significant words ("mug", "novel", "fire"): with those of stopwords-iso the search
finds 0.807 of the evidence, and 0.829 with these (`make quality`). Detectors of languages take 0.4 s to import and
read "haha yes" or a name as some small language; the most frequent words add up over all messages.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

# How many times as many words must speak for a language as for English, which chats of all languages borrow from.
MARGIN = 1.3
LEAST_VOTES = 12


@dataclass(frozen=True)
class Language:
    """How words of a language are read.

    Attributes:
        stemmer: Its name in the Snowball library; None: words are not stemmed.
        stop_words: Words that carry no information, in lower case.
    """

    stemmer: str | None
    stop_words: frozenset[str] = frozenset()


def _language(stemmer: str | None, stop_words: str = "") -> Language:
    return Language(stemmer, frozenset(stop_words.split()))


LANGUAGES: Mapping[str, Language] = {
    "en": _language(
        "english",
        "a an the is are was were be been being am do does did doing done have has had having of to in on at for"
        " from by with about as into and or but if so that this these those there here it its he him his she her"
        " hers they them their theirs we us our ours i me my mine you your yours what which who whom whose when"
        " where why how not no nor can could will would shall should may might must just than then too very s t re"
        " ve ll d m don didn doesn isn wasn dont didnt doesnt isnt wasnt im ive youre thats",
    ),
    "de": _language(
        "german",
        "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren bin bist sein"
        " seine seinen ihr ihre ihren mein meine meinen dein deine deinen ich du er sie es wir mich mir dich dir"
        " uns euch ihn ihm ihnen nicht kein keine im in am an auf aus bei mit nach seit von vom zu zum zur für fur"
        " über um wie was wer wo wann warum welche welcher welches dass daß wenn als auch noch nur schon so sehr"
        " hat habe haben hatte hast wird werden wurde kann man da dann doch denn",
    ),
    "es": _language(
        "spanish",
        "el la los las un una unos unas y o pero es son era eran fue fueron ser estar está estoy están estaba yo"
        " tú él ella nosotros ellos ellas me te se nos le les lo mi mis tu tus su sus de del al a en con por para"
        " sin sobre que qué quien quién cual cuál cuando cuándo donde dónde como cómo porque no ni ya muy más hay"
        " ha he han había tiene tengo este esta esto ese esa eso",
    ),
    "fr": _language(
        "french",
        "le la les un une des et ou mais est sont était étaient être suis es sommes je tu il elle nous vous ils"
        " elles me te se lui leur leurs mon ma mes ton ta tes son sa ses notre votre de du au aux à a en dans avec"
        " pour par sans sur que qui quoi quel quelle quand où comment pourquoi ne pas ni plus très ai as avons"
        " avez ont avait ce cet cette ces ça y l d j c n m t s qu",
    ),
    "it": _language(
        "italian",
        "il lo la i gli le un uno una e o ma è sono era erano essere sei siamo io tu lui lei noi voi loro mi ti si"
        " ci vi mio mia miei tuo tua suo sua di del della dei delle al alla in nel nella con per da dal su che chi"
        " cosa quale quando dove come perché non né più molto ho hai ha abbiamo hanno aveva questo questa quello",
    ),
    "pt": _language(
        "portuguese",
        "o a os as um uma uns umas e ou mas é são era eram foi ser estar está estou eu tu ele ela nós eles elas me"
        " te se lhe meu minha teu tua seu sua de do da dos das ao à em no na nos nas com por para sem sobre que"
        " quem qual quando onde como porque não nem já muito mais há tem tenho este esta isto esse essa isso você",
    ),
    "nl": _language(
        "dutch",
        "de het een en of maar is zijn was waren ben bent ik jij je hij zij ze wij we jullie mij me jou hem haar"
        " ons hun mijn jouw van in op aan met voor door bij naar uit over om te dat die dit deze wat wie waar"
        " wanneer waarom hoe niet geen ook nog al heel heb heeft hebben had wordt worden kan er",
    ),
    "sv": _language(
        "swedish",
        "och eller men är var vara jag du han hon det den vi ni de mig dig honom henne oss er dem min mitt mina din"
        " ditt sin en ett i på av med för till från om att som vad vem var när varför hur inte också har hade kan",
    ),
    "pl": _language(
        "polish",
        "i lub ale jest są był była było być jestem ja ty on ona ono my wy oni mnie mi ci go jej ich mój moja twój"
        " w na z ze do od po dla o u przez że co kto gdzie kiedy dlaczego jak nie tak już bardzo się ma mam to ten",
    ),
    "tr": _language(
        "turkish",
        "ve veya ama bir bu şu o ben sen biz siz onlar benim senin onun için ile gibi de da mi mı mu mü ne kim"
        " nerede zaman neden nasıl değil var yok çok daha en her",
    ),
    "ru": _language(
        "russian",
        "и или но а я ты он она оно мы вы они меня мне тебя тебе его ему её ей нас нам вас вам их им мой моя моё"
        " мои твой твоя свой в на с со к ко у о об от до по за из для без при через что кто где когда почему как"
        " какой какая не ни да же ли бы это этот эта тот был была было были есть быть очень уже ещё",
    ),
    "ar": _language(
        "arabic",
        "في من على إلى عن مع هذا هذه ذلك تلك التي الذي أن إن كان كانت هو هي أنا أنت نحن هم ما ماذا متى أين كيف"
        " لماذا لا لم لن و أو ثم قد كل",
    ),
    "hi": _language(
        "hindi",
        "और या लेकिन है हैं था थी थे हूँ हूं मैं तुम आप वह वे यह ये हम मेरा मेरी मेरे तेरा उसका उसकी का की के को में पर"
        " से ने तक क्या कौन कब कहाँ कहां क्यों कैसे नहीं भी ही तो कि जो एक",
    ),
    "el": _language(
        "greek",
        "ο η το οι τα του της των τον την και ή αλλά είναι ήταν εγώ εσύ αυτός με σε από για που τι πότε πού",
    ),
    "hy": _language("armenian"),
    "ta": _language("tamil"),
    "ja": _language(None),
    "zh": _language(None),
    "ko": _language(None),
    "th": _language(None),
    "da": _language("danish"),
    "no": _language("norwegian"),
    "fi": _language("finnish"),
    "hu": _language("hungarian"),
    "ro": _language("romanian"),
    "cs": _language("czech"),
    "id": _language("indonesian"),
    "ca": _language("catalan"),
}
DEFAULT = "en"
AUTO = "auto"

# Scripts that belong to one language here: a word in them is stemmed so, for Beings of any language.
OF_SCRIPT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile("[\u0400-\u052f]"), "ru"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u0b80-\u0bff]"), "ta"),
)
_LATIN = tuple(
    code
    for code, known in LANGUAGES.items()
    if known.stop_words and known.stemmer not in {None, "russian", "arabic", "hindi", "greek"}
)
# In which languages in Latin letters a word is among the most frequent ones.
_FREQUENT_IN: dict[str, list[str]] = {}
for _code in _LATIN:
    for _word in LANGUAGES[_code].stop_words:
        _FREQUENT_IN.setdefault(_word, []).append(_code)


def language_of_word(word: str, usual: str) -> str:
    """The language that a word is stemmed in: its script's, else the usual one."""
    if word.isascii():
        return usual
    return next((code for script, code in OF_SCRIPT if script.search(word)), usual)


# Beside them scripts of languages without a stemmer here: their words show which language is spoken.
SPOKEN: tuple[tuple[re.Pattern[str], str], ...] = (
    *OF_SCRIPT,
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
)


def votes(words: list[str]) -> Counter[str]:
    """How many of these words are among the most frequent ones of each language in Latin letters, or in its script."""
    found = Counter(dict.fromkeys(_LATIN, 0))
    for word, times in Counter(words).items():
        for language in _FREQUENT_IN.get(word, ()):
            found[language] += times
        if not word.isascii() and (code := next((code for script, code in SPOKEN if script.search(word)), None)):
            found[code] += times
    return found


def spoken(counted: Mapping[str, int]) -> str:
    """The language that most votes speak for, in any script; English while they are few or no other is well ahead."""
    best, most = max(counted.items(), key=lambda item: item[1], default=(DEFAULT, 0))
    if best != DEFAULT and most >= LEAST_VOTES and most > MARGIN * counted.get(DEFAULT, 0):
        return best
    return DEFAULT


def likeliest(words: list[str]) -> str:
    """The language of a short text: the one of which most words are frequent ones; English where none is ahead."""
    counted = votes(words)
    return max(_LATIN, key=lambda code: (counted[code], code == DEFAULT))


def elected(counted: Mapping[str, int]) -> str:
    """The language in Latin letters that votes speak for, in which words without a script of their own are stemmed."""
    return spoken({code: count for code, count in counted.items() if code in _LATIN})
