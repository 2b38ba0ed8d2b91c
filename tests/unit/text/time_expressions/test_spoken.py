"""When what was said takes place: against the message's own date, in the user's zone and language."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.grounding.setting import Setting
from memory.text.time_expressions.clock import time_of_day

BERLIN = ZoneInfo("Europe/Berlin")
# A Wednesday.
SAID_AT = datetime(2026, 3, 4, 18, 10, tzinfo=BERLIN)
PLANS = {
    "en": {
        "I'll call the vet tomorrow": "2026-03-05",
        "call him on Friday": "2026-03-06",
        "tomorrow at 3 pm": "2026-03-05 15:00",
        "next Friday at 17:30": "2026-03-13 17:30",
        "in two weeks": "2026-03-18",
        "in 3 hours": "2026-03-04 21:10",
        "by Monday": "2026-03-09",
        "until 3 May": "2026-05-03",
        "at 5 pm": "2026-03-05 17:00",
        "in May": "2026-05-01",
        "when I'm back": None,
    },
    "de": {"morgen Abend um 20 Uhr": "2026-03-05 20:00", "am Freitag": "2026-03-06", "in drei Tagen": "2026-03-07"},
    "fr": {"demain à 17h30": "2026-03-05 17:30", "vendredi": "2026-03-06", "dans deux semaines": "2026-03-18"},
    "es": {"mañana a las 9": "2026-03-05 09:00", "el viernes": "2026-03-06", "el 3 de mayo": "2026-05-03"},
    "ru": {"завтра в 15:00": "2026-03-05 15:00", "в пятницу": "2026-03-06", "через неделю": "2026-03-11"},
    "ja": {"明日の午後3時": "2026-03-05 15:00", "来週の金曜日": "2026-03-13", "5月3日": "2026-05-03"},
    "zh": {"明天下午3点": "2026-03-05 15:00", "下周五": "2026-03-13", "五月三日": "2026-05-03"},
    "it": {"domani alle 15": "2026-03-05 15:00", "fra due settimane": "2026-03-18", "il 3 maggio": "2026-05-03"},
    "pt": {"amanhã às 9 da noite": "2026-03-05 21:00", "na segunda": "2026-03-09", "pela segunda vez": None},
    "nl": {"morgen om 15 uur": "2026-03-05 15:00", "volgende week": "2026-03-09", "in de lente": None},
    "sv": {"på fredag kl. 15": "2026-03-06 15:00", "om 3 dagar": "2026-03-07", "i maj": "2026-05-01"},
    "pl": {"w piątek o 15:30": "2026-03-06 15:30", "za dwa tygodnie": "2026-03-18", "3 maja": "2026-05-03"},
    "uk": {"у п'ятницю": "2026-03-06", "через два дні": "2026-03-06", "наступного тижня": "2026-03-09"},
    "tr": {"yarın saat 15'te": "2026-03-05 15:00", "haftaya": "2026-03-09", "3 Mayıs'ta": "2026-05-03"},
    "el": {"αύριο στις 15": "2026-03-05 15:00", "την Παρασκευή": "2026-03-06", "τον Μάιο": "2026-05-01"},
    "ar": {"غداً الساعة 15": "2026-03-05 15:00", "يوم الجمعة": "2026-03-06", "الأسبوع القادم": "2026-03-09"},
    "hi": {"कल शाम 5 बजे": "2026-03-05 17:00", "परसों": "2026-03-06", "कला": None},
    "ko": {"내일 오후 3시 30분": "2026-03-05 15:30", "다음 주 금요일": "2026-03-13", "5월 3일": "2026-05-03"},
}
CASES = [(language, words, day) for language, plans in PLANS.items() for words, day in plans.items()]


def begins(words, language, *, ahead=None, said_at=SAID_AT):
    time = Setting("Europe/Berlin", language).time_of(words, said_at, ahead=ahead)
    return time and f"{time.starts_at.astimezone(BERLIN):%Y-%m-%d %H:%M}".removesuffix(" 00:00")


@pytest.mark.parametrize(("language", "words", "expected"), CASES)
def test_a_plan_is_for_the_time_that_its_words_name(language, words, expected):
    assert begins(words, language, ahead=True) == expected


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", "On Monday I met Anna", "2026-03-02"),
        ("en", "On Monday I start at the mill", "2026-03-09"),
        ("de", "Am Montag habe ich Anna getroffen", "2026-03-02"),
        ("de", "Am Montag fange ich an", "2026-03-09"),
        ("fr", "Lundi j'ai rencontré Anna", "2026-03-02"),
        ("fr", "Lundi je commence", "2026-03-09"),
        ("es", "El lunes conocí a Ana, y comí con ella", "2026-03-02"),
        ("es", "El lunes empiezo", "2026-03-09"),
        ("ru", "В понедельник я встретила Анну", "2026-03-02"),
        ("ru", "В понедельник начинаю", "2026-03-09"),
        ("ja", "月曜日に会いました", "2026-03-02"),
        ("zh", "周一我见了她", "2026-03-02"),
        ("it", "Lunedì ho incontrato Anna", "2026-03-02"),
        ("it", "Lunedì comincio", "2026-03-09"),
        ("pt", "Na segunda encontrei a Ana", "2026-03-02"),
        ("nl", "Maandag heb ik Anna gezien", "2026-03-02"),
        ("sv", "I måndags träffade jag Anna", "2026-03-02"),
        ("pl", "W poniedziałek spotkałam Annę", "2026-03-02"),
        ("uk", "У понеділок я зустріла Ганну, її подругу", "2026-03-02"),
        ("tr", "Pazartesi günü Ayşe'yi gördüm", "2026-03-02"),
        ("el", "Τη Δευτέρα πήγα στη θάλασσα", "2026-03-02"),
        ("ar", "يوم الاثنين قابلت سارة", "2026-03-02"),
        ("hi", "सोमवार को मैं अन्ना से मिला", "2026-03-02"),
        ("ko", "월요일에 안나를 만났어요", "2026-03-02"),
        ("ko", "월요일에 시작해요", "2026-03-09"),
    ],
)
def test_a_verb_in_the_past_tells_which_monday_is_meant(language, words, expected):
    assert begins(words, language) == expected


def test_the_day_is_the_users_and_that_of_the_message():
    late = datetime(2026, 3, 2, 23, 30, tzinfo=ZoneInfo("UTC"))
    assert begins("tomorrow", "en", ahead=True, said_at=late) == "2026-03-04"


@pytest.mark.parametrize("words", ["I have 3 cats", "at 120 km/h", "on 3.5", "2026-03-05", "a ratio of 16:9:4"])
def test_other_figures_are_no_times_of_day(words):
    assert time_of_day(words) is None
