"""Greetings, thanks and farewells, which ask for nothing that is remembered."""

from memory.text.languages import likeliest
from memory.text.words import is_stop_word, read_words

# Words of which a greeting consists, beside stop words; each alone may mean something, so all words must be of these.
_COURTESIES = """
    hello hi hey hiya yo greetings morning afternoon evening night day today tonight again bye goodbye farewell thanks
    thank thx ty please ok okay cheers welcome good great fine nice well there dear friend everyone sorry see later soon
    doing going up sup so very much many lot all

    hallo moin servus grüß grüezi guten gute gutes morgen tag abend nacht danke dank bitte tschüss tschüs ciao gut
    wieder heute geht gehts wiedersehen bis bald lieber liebe

    bonjour bonsoir salut coucou merci bonne bon nuit journée soirée revoir adieu bientôt va allez

    hola buenos buenas días dias tardes noches gracias adiós adios luego hasta olá oi bom boa dia tarde noite obrigado
    obrigada tchau buongiorno buonasera buonanotte salve grazie arrivederci

    hoi dag goedemorgen goedemiddag goedenavond bedankt hej hejsan godmorgen tak tack takk moi hei kiitos huomenta

    cześć dzień dobry dziękuję ahoj dobrý den děkuji
    привет здравствуйте спасибо пока доброе утро добрый день вечер
    merhaba selam teşekkürler günaydın halo terima kasih selamat pagi

    你好 您好 谢谢 早上好 晚安 再见 こんにちは こんばんは おはよう ありがとう 안녕 안녕하세요 감사합니다
"""  # noqa: RUF001  # Turkish has this letter
_WORDS = frozenset(_COURTESIES.split())


def is_courtesy(text: str) -> bool:
    """Return whether a text is a greeting, thanks or farewell and nothing else."""
    spoken = [word.text.casefold() for word in read_words(text)]
    language = likeliest(spoken)
    return all(word in _WORDS or is_stop_word(word, language) for word in spoken)
