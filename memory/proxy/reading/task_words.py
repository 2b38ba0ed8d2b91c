"""Words of unknown frontends' requests: for a title or the like, of the talk, in a form that a program can read.

People may ask so as well, so that a request with all four kinds of words near each other, at its beginning or its end,
is unsure.
"""

# ruff: noqa: RUF001  # letters of other languages

import re
from collections.abc import Sequence
from typing import NamedTuple

# The most characters between near words; in languages that write words in one to three characters fewer.
_NEAR = 250
_NEAR_DENSE = 120


class _Words(NamedTuple):
    """Patterns of one language, for text in lower case."""

    asks: re.Pattern[str]
    of_talk: re.Pattern[str]
    what: re.Pattern[str]
    in_form: re.Pattern[str]
    near: int


def _words(asks: str, of_talk: str, what: str, in_form: str, near: int = _NEAR) -> _Words:
    return _Words(re.compile(asks), re.compile(of_talk), re.compile(what), re.compile(in_form), near)


_MAKE = (
    r"generate|create|write|suggest|summari[sz]e|give|provide|name|classify|extract|rephrase|rewrite|produce|return|output"
    r"|compose|make|propose|come up with|determine|identify|predict|condense|shorten|translate|rate"
)
# Verbs of which people use more in talk.
_AND_MORE = (
    r"label|list|choose|pick|draft|craft|respond|reply|answer|tl;?dr|correct|decide|describe|analy[sz]e|review|take|pause"
    r"|which"
)
# Of English the verb begins a sentence.
_ENGLISH = _words(
    rf"(?:^|[.!?:,;\]\[*>#-] ?|\b(?:please|and|to|task is|then) )(?:{_MAKE}|{_AND_MORE})\b",
    r"\b(?:conversation|chat|dialogue|discussion|transcript|role-?play|story so far|messages?"
    r"|user'?s? (?:input|query|question|prompt)"
    r"|(?:the user|i) (?:could|might|may|would) (?:ask|say|reply|send|type)(?: \w+){0,2} next"
    r"|following (?:text|prompt|passage|paragraph|sentence)"
    r"|(?:text|story|scene) (?:above|below|between)|above (?:text|story|scene)|piece of text)\b",
    r"\b(?:titles?|names?|tags?|summar\w{1,6}|follow-?ups?|suggestions?|keywords?|emojis?|quer(?:y|ies)|labels?"
    r"|headlines?|topics?|languages?|replies|questions|translations?|sentiment|emotions?|memor(?:y|ies)|facts|tl;?dr"
    r"|condense|one (?:line|word|sentence|of)|prompts?|corrected|rewrite|rewritten|description|json|yes or no"
    r"|web search|standalone)\b",
    r"\b(?:only (?:the|return|output|respond|give|a|one|with|valid|yes)\b|(?:return|output|respond|reply|answer) only"
    r"|(?:nothing|anything) else|no (?:explanations?|quotes|punctuation|preamble|other text|additional)"
    r"|without (?:quotes|punctuation|any)|(?:title|name|answer|output|text|result|word|summary|translation)s? only"
    r"|one word|just the|comma-separated|(?:in|of) (?:at most )?\w{1,6} (?:words|sentences|characters)"
    r"|json|\d+ (?:words|characters)|(?:do not|don't) (?:include|add|use|answer|explain|reply|continue))",
)
# An instruction that begins so may be longer, or stand around the talk.
_INSTRUCTION = 600
_BEGINS = re.compile(
    r"(?: ?(?:please,?|###? ?task:|you are [^.]{0,200}\.|your (?:task|job|goal) is to"
    rf"|(?:based on|given) [^.,:]{{0,100}}[.,:]))* ?(?:{_MAKE})\b"
)
_OTHERS: Sequence[_Words] = (
    # German
    _words(
        r"\b(?:erstelle|generiere|schreibe?|fasse|gib|formuliere|nenne|erzeuge|finde|schlage?|übersetze)(?:n sie)?\b",
        r"\b(?:gesprächs?|diskussion|unterhaltung|chats?|konversation|dialogs?|(?:chat|gesprächs)verlaufs?|nachrichten)\b",
        r"(?:titel|überschrift|zusammenfass|\bfassen?\b|stichw[oö]rt|schlagw[oö]rt|folgefrage|vorschl[aä]g|thema|themen"
        r"|schlüsselw)",
        r"\b(?:nur|ausschließlich|lediglich|ohne|keine|höchstens|maximal|oder weniger|json)\b",
    ),
    # French
    _words(
        r"\b(?:génère|générez|crée|créez|rédige|rédigez|écris|écrivez|résume|résumez|donne|donnez|propose|proposez"
        r"|faites un résumé|utilisez (?:\w{1,9} ){1,3}mots)\b",
        r"\b(?:conversation|discussion|dialogue|échange|chat|messages|cette phrase)\b",
        r"\b(?:titre|résume?z?|résumé|mots-clés|étiquettes|questions|suggestions|sujet)\b",
        r"\b(?:uniquement|seulement|sans|rien d'autre|maximum|moins de|json)\b",
    ),
    # Spanish and Portuguese
    _words(
        r"\b(?:genera|genere|gere|crea|crie|escribe|escreva|resume|resuma|da|dé|dê|sugiere|sugira|propón|proponha)\b",
        r"\b(?:conversación|conversa|conversação|diálogo|chat|charla|mensajes|mensagens|bate-papo)\b",
        r"\b(?:título|resumen?|resumo|resuma|etiquetas|palabras clave|palavras-chave|preguntas|perguntas|tema)\b",
        r"\b(?:solo|sólo|solamente|únicamente|apenas|somente|sin|sem|nada más|máximo|menos de|json)\b",
    ),
    # Italian
    _words(
        r"\b(?:genera|crea|scrivi|riassumi|dai|fornisci|suggerisci|proponi)\b",
        r"\b(?:conversazione|dialogo|discussione|chat|messaggi)\b",
        r"\b(?:titolo|riassunto|riassumi|etichette|parole chiave|domande|suggerimenti|argomento)\b",
        r"\b(?:solo|soltanto|esclusivamente|senza|nient'altro|massimo|meno di|json)\b",
    ),
    # Dutch, Swedish, Danish and Norwegian
    _words(
        r"\b(?:maak|genereer|schrijf|geef|vat|bedenk|skapa|skriv|ge|sammanfatta|lav|giv|opret|lag|gi|oppsummer)\b",
        r"\b(?:gesprek|conversatie|chat|dialoog|konversation(?:en)?|samtale?n?|chatt(?:en)?|samtal(?:et)?|samtalen)\b",
        r"\b(?:titel(?:n|en)?|tittel|samenvatting|vat|sammanfattning|sammanfatta|oppsummer\w{0,6}|onderwerp|trefwoorden)\b",
        r"\b(?:alleen|enkel|zonder|niets anders|maximaal|endast|bara|utan|højst|kun|uden|uten|bare|json)\b",
    ),
    # Polish and Czech
    _words(
        r"\b(?:wygeneruj|stwórz|napisz|podsumuj|podaj|streść|zaproponuj|vytvoř|vygeneruj|napiš|shrň|navrhni)\b",
        r"\b(?:rozmow\w{1,3}|czat\w{0,3}|dialog\w{0,3}|konwersacj\w{1,3}|konverzac\w{1,3}|rozhovor\w{0,3}|chat\w{0,3})\b",
        r"\b(?:tytuł\w{0,3}|podsumuj|podsumowani\w{1,3}|streszczeni\w{1,3}|streść|słow\w{0,2} kluczow\w{1,3}"
        r"|náz[eo]v\w{0,2}|nadpis|shrň|shrnutí|souhrn)\b",
        r"\b(?:tylko|wyłącznie|bez|jedynie|maksymalnie|pouze|jen|nejvýše|json)\b",
    ),
    # Russian and Ukrainian
    _words(
        r"\b(?:придумай\w{0,2}|создай\w{0,2}|сгенерируй\w{0,2}|сделай\w{0,2}|напиши\w{0,2}|суммируй\w{0,2}|предложи\w{0,2}"
        r"|дай\w{0,2}|обобщи\w{0,2}|створи\w{0,2}|згенеруй\w{0,2}|підсумуй\w{0,2}|запропонуй\w{0,2})\b",
        r"(?:диалог|разговор|беседы|бесед[уе]|чат[ае]?\b|переписк|сообщени|розмов|діалог|бесіди)",
        r"(?:заголов|названи|резюме|краткое содержание|теги|ключевые слова|вопрос|тем[ауы]\b|назв[ау]|підсум|суммируй"
        r"|обобщи)",
        r"(?:только|ничего (?:другого|кроме)|без |не более|исключительно|лише|тільки|json)",
    ),
    # Turkish
    _words(
        r"\b(?:oluştur\w{0,3}|üret\w{0,3}|yaz\w{0,3}|özetle\w{0,3}|ver\w{0,3}|öner\w{0,3})\b",
        r"\b(?:sohbet\w{0,4}|konuşma\w{0,4}|diyalo\w{1,5}|mesaj\w{0,5})\b",
        r"\b(?:başlı\w{1,5}|özet\w{0,5}|etiket\w{0,4}|soru\w{0,5}|konu\w{0,3})\b",
        r"\b(?:sadece|yalnızca|en fazla|olmadan|json)\b",
    ),
    # Chinese
    _words(
        r"(?:生成|总结|總結|概括|提取|给出|給出|起一?个|取一?个|写|寫|归纳|歸納|创建|輸出|输出|提供|翻译)",
        r"(?:对话|對話|聊天|会话|會話|谈话|談話|消息|讨论|上文)",
        r"(?:标题|標題|摘要|总结|總結|概括|标签|標籤|主题|主題|关键词|關鍵詞|问题|建议|名称|话题)",
        r"(?:只|仅|僅|不要|无需|無需|不需要|不加|不超过|不超過|以内|以內|直接返回|直接输出|json)",
        _NEAR_DENSE,
    ),
    # Japanese
    _words(
        r"(?:生成|作成|要約|まとめてください|付けて|つけて|考えて|出力|返して|提案|抽出|書いて)",
        r"(?:会話|対話|チャット|やり取り|やりとり|メッセージ|議論)",
        r"(?:タイトル|題名|要約|まとめてください|タグ|キーワード|質問|見出し|件名|トピック)",
        r"(?:のみ|だけ|以内|以外|しないで|不要|なしで|json)",
        _NEAR_DENSE,
    ),
    # Korean
    _words(
        r"(?:생성|요약|작성|만들|출력|제안|추출|지어)",
        r"(?:대화|채팅|메시지|토론)",
        r"(?:제목|요약|태그|키워드|질문|주제)",
        r"(?:만 |이내|이하|하지 마|없이|오직|json)",
        _NEAR_DENSE,
    ),
    # Arabic and Hindi
    _words(
        r"(?:أنشئ|اكتب|لخص|لخّص|اقترح|ولّد|बनाएं|बनाइए|लिखें|लिखिए|सारांश)",
        r"(?:محادثة|المحادثة|حوار|الحوار|دردشة|बातचीत|वार्तालाप|चैट)",
        r"(?:عنوان|ملخص|لخص|وسوم|كلمات مفتاحية|शीर्षक|सारांश|टैग)",
        r"(?:فقط|دون|بدون|केवल|सिर्फ|बिना|json)",
    ),
    # Vietnamese and Indonesian
    _words(
        r"\b(?:tạo|viết|tóm tắt|đặt|đề xuất|buat(?:lah)?|buatkan|tulis(?:kan)?|ringkas(?:lah)?|berikan)\b",
        r"\b(?:cuộc trò chuyện|hội thoại|đoạn chat|percakapan|obrolan|chat)\b",
        r"\b(?:tiêu đề|tóm tắt|từ khóa|judul(?:nya)?|ringkasan|ringkas|kata kunci|topik)\b",
        r"\b(?:chỉ|không|hanya|tanpa|maksimal|json)\b",
    ),
)


# The first words of a system line that asks for a title alone; a companion's describe the companion.
_TITLE = re.compile(
    r"(?!you are\b)[^.!?:]{0,80}"
    r"(?:\b(?:titles?|headline|names? for|titel|titre|título|titolo|заголовок)\b|标题|標題|タイトル)"
)


def asks_for_title(plain: str) -> bool:
    """Whether a system line, in lower case, asks for a title of the talk from its first words on."""
    return _TITLE.match(plain) is not None and asks_like_a_frontend(plain)


def asks_like_a_frontend(plain: str) -> bool:
    """Whether a text asks to make a title or the like of the talk, in a form that a program can read.

    Args:
        plain: The text, in lower case, with single spaces.
    """
    around = f"{plain[:_INSTRUCTION]} {plain[-_INSTRUCTION:]}"
    return (_BEGINS.match(plain) is not None and _has(_ENGLISH[1:4], around)) or any(
        _has(language[:4], part)
        for language in (_ENGLISH, *_OTHERS)
        for part in {plain[: language.near], plain[-language.near :]}
    )


def _has(words: Sequence[re.Pattern[str]], text: str) -> bool:
    return all(pattern.search(text) for pattern in words)
