"""Expressions of time in Russian: its words change with their case."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase, vocabulary
from memory.text.time_expressions.periods import Holiday, Part, Season, Unit

_MONTH_STEMS = (
    *("январ", "феврал", "март", "апрел", "ма", "июн", "июл", "август", "сентябр", "октябр", "ноябр", "декабр"),
)
_HARD, _SOFT, _MAY = ("", "а", "е", "у", "ом"), ("ь", "я", "е", "ю", "ем"), ("й", "я", "е", "ю", "ем")
_ENDINGS = {"март": _HARD, "август": _HARD, "ма": _MAY}
_CARDINALS = vocabulary(
    (1, "один|одна|одну|одно|одного|одной"),
    (2, "два|две|двух|двое|двоих"),
    (3, "три|трёх|трех|трое|троих"),
    (4, "четыре|четырёх|четырех|четверо|четверых"),
    (5, "пять|пяти"),
    (6, "шесть|шести"),
    (7, "семь|семи"),
    (8, "восемь|восьми"),
    (9, "девять|девяти"),
    (10, "десять|десяти"),
    (11, "одиннадцать|одиннадцати"),
    (12, "двенадцать|двенадцати"),
    (13, "тринадцать|тринадцати"),
    (14, "четырнадцать|четырнадцати"),
    (15, "пятнадцать|пятнадцати"),
    (16, "шестнадцать|шестнадцати"),
    (17, "семнадцать|семнадцати"),
    (18, "восемнадцать|восемнадцати"),
    (19, "девятнадцать|девятнадцати"),
    (20, "двадцать|двадцати"),
    (30, "тридцать|тридцати"),
    (40, "сорок|сорока"),
    (50, "пятьдесят|пятидесяти"),
    (60, "шестьдесят|шестидесяти"),
    (70, "семьдесят|семидесяти"),
    (80, "восемьдесят|восьмидесяти"),
    (90, "девяносто|девяноста"),
)
_LAST = "(?:прошл|предыдущ|минувш)(?:ый|ая|ое|ого|ой|ом|ым|ую|ем|ее|ий|им)"
_THIS = "(?:этот|эта|это|этого|этой|этом|этим|эту|нынешн(?:ий|яя|ее|его|ей|ем|юю))"
_NEXT = "(?:следующ|будущ)(?:ий|ая|ее|его|ей|ем|им|ую)"
_PART = "(?: {part})?"

RUSSIAN = Language(
    words={
        "month": {
            stem + ending: number for number, stem in enumerate(_MONTH_STEMS, 1) for ending in _ENDINGS.get(stem, _SOFT)
        },
        "weekday": vocabulary(
            (0, "понедельник|понедельника|понедельнику"),
            (1, "вторник|вторника|вторнику"),
            (2, "среда|среду|среды|среде"),
            (3, "четверг|четверга|четвергу"),
            (4, "пятница|пятницу|пятницы|пятнице"),
            (5, "суббота|субботу|субботы|субботе"),
            (6, "воскресенье|воскресенья|воскресенью"),
        ),
        "season": vocabulary(
            (Season.SPRING, "весна|весной|весны|весну"),
            (Season.SUMMER, "лето|летом|лета"),
            (Season.AUTUMN, "осень|осенью|осени"),
            (Season.WINTER, "зима|зимой|зимы|зиму"),
        ),
        "unit": vocabulary(
            (Unit.MINUTE, "минута|минуту|минуты|минут"),
            (Unit.HOUR, "час|часа|часов"),
            (Unit.DAY, "день|дня|дней"),
            (Unit.WEEK, "неделя|неделю|недели|недель"),
            (Unit.MONTH, "месяц|месяца|месяцев"),
            (Unit.YEAR, "год|года|лет"),
        ),
        "calendarunit": vocabulary(
            (Unit.WEEK, "неделя|неделе|неделю|недели"),
            (Unit.WEEKEND, "выходные|выходных"),
            (Unit.MONTH, "месяц|месяце|месяца"),
            (Unit.YEAR, "год|году|года"),
        ),
        "part": vocabulary(
            (Part.MORNING, "утром|утра"),
            (Part.AFTERNOON, "днём|днем"),
            (Part.EVENING, "вечером|вечера"),
            (Part.NIGHT, "ночью"),
        ),
        "holiday": {
            **dict.fromkeys(("новый год", "нового года"), Holiday.NEW_YEAR),
            **dict.fromkeys(("хэллоуин", "хеллоуин"), Holiday.HALLOWEEN),
        },
    },
    numbers={
        **{word: Count(number, number) for word, number in _CARDINALS.items()},
        **vocabulary((Count(2, 3), "пару|пара"), (Count(2, 5), "несколько")),
    },
    phrases=(
        Phrase("сегодня" + _PART, meanings.day(0)),
        Phrase("вчера" + _PART, meanings.day(-1)),
        Phrase("позавчера" + _PART, meanings.day(-2)),
        Phrase("завтра" + _PART, meanings.day(1)),
        Phrase("послезавтра" + _PART, meanings.day(2)),
        Phrase("на днях", lambda values, at: None if at.ahead else meanings.days(-7, -1)(values, at)),
        Phrase("(?:в |на )?(?:те )?" + _LAST + " {calendarunit}", meanings.calendar_unit(-1)),
        Phrase("(?:в |на )?" + _THIS + " {calendarunit}", meanings.calendar_unit(0)),
        Phrase("(?:в |на )?" + _NEXT + " {calendarunit}", meanings.calendar_unit(1)),
        Phrase("(?:в|на) (?:прошлые|прошлых) выходны[ех]", meanings.calendar_unit(-1, Unit.WEEKEND)),
        Phrase("(?:в|на) (?:эти|этих) выходны[ех]", meanings.calendar_unit(0, Unit.WEEKEND)),
        Phrase("(?:в|на) (?:следующие|следующих) выходны[ех]", meanings.calendar_unit(1, Unit.WEEKEND)),
        Phrase("(?:в|на) выходны[ех]", meanings.usual_weekend),
        Phrase("{number} {unit} назад", meanings.ago()),
        Phrase("{unit} назад", meanings.ago()),
        Phrase("полгода назад", meanings.ago(number=6, unit=Unit.MONTH)),
        Phrase("через {number} {unit}", meanings.ago(1)),
        Phrase("через {unit}", meanings.ago(1)),
        Phrase("через полгода", meanings.ago(1, number=6, unit=Unit.MONTH)),
        Phrase("(?:за )?последни[ех] {number} {unit}", meanings.rolling(-1)),
        Phrase("(?:в )?ближайши[ех] {number} {unit}", meanings.rolling(1)),
        Phrase("во? {weekday}" + _PART, meanings.usual_weekday),
        Phrase("(?:к|до) {weekday}", meanings.only_ahead(meanings.coming_weekday)),
        Phrase("во? " + _LAST + " {weekday}" + _PART, meanings.last_weekday()),
        Phrase("во? " + _THIS + " {weekday}" + _PART, meanings.weekday_of_week(0)),
        Phrase("во? " + _NEXT + " {weekday}" + _PART, meanings.weekday_of_week(1)),
        Phrase("(?:в )?{month} {year}(?: года?| году)?", meanings.yearly(meanings.month)),
        Phrase("в {month} " + _LAST + " года", meanings.yearly_in(meanings.month, -1)),
        Phrase("в {month} " + _THIS + " года", meanings.yearly_in(meanings.month, 0)),
        Phrase("в {month} " + _NEXT + " года", meanings.yearly_in(meanings.month, 1)),
        Phrase("в {month}", meanings.yearly(meanings.month)),
        Phrase("(?:в )?{season} {year}(?: года?| году)?", meanings.yearly(meanings.season)),
        Phrase(_LAST + " {season}", meanings.yearly(meanings.season, periods.latest_ended)),
        Phrase(_THIS + " {season}", meanings.yearly(meanings.season, periods.nearest)),
        Phrase(_NEXT + " {season}", meanings.yearly(meanings.season, periods.next_to_start)),
        Phrase("(?:в )?{year}(?:-м)? (?:году|года)", meanings.year),
        Phrase("{day}(?:-го)? {month}(?:,? {year}(?: года?| году)?)?", meanings.yearly_date),
        Phrase("{day}\\.{day2}\\.{year}", meanings.day_first_date),
        Phrase("{day}\\.{day2}(?!\\.?\\d)", meanings.only_ahead(meanings.day_first_date)),
        Phrase("{year}-{figure}-{day}", meanings.full_date),
    ),
    cued_phrases=(Phrase("{holiday}", meanings.yearly(meanings.holiday)),),
    before=(
        Modifier("на|в", modifiers.same),
        Modifier("со?", modifiers.since),
        Modifier("после", modifiers.following),
        Modifier("до", modifiers.until),
        Modifier("в начале", modifiers.third(0)),
        Modifier("в середине", modifiers.third(1)),
        Modifier("в конце", modifiers.third(2)),
    ),
    after=(Modifier("{part}", modifiers.part_of_day),),
    ranges=(Connector("со?", "до|по"), Connector("между", "и")),
    left_alone=(
        "кажд(?:ый|ую|ое) (?:{weekday}|{season}|{unit})",
        "{number} {unit}(?! назад)(?= (?:рожд|отроду|от роду))",
        "(?:мне|ему|ей|им|тебе|вам|нам) {number} {unit}",
    ),
)
