"""Expressions of time in Russian, whose words change with their case."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase
from memory.text.time_expressions.periods import Holiday, Part, Season, Unit

_MONTH_STEMS = (
    *("январ", "феврал", "март", "апрел", "ма", "июн", "июл", "август", "сентябр", "октябр", "ноябр", "декабр"),
)
_HARD, _SOFT, _MAY = ("", "а", "е", "у", "ом"), ("ь", "я", "е", "ю", "ем"), ("й", "я", "е", "ю", "ем")
_ENDINGS = {"март": _HARD, "август": _HARD, "ма": _MAY}
_CARDINALS = {
    **dict.fromkeys(("один", "одна", "одну", "одно", "одного", "одной"), 1),
    **dict.fromkeys(("два", "две", "двух", "двое", "двоих"), 2),
    **dict.fromkeys(("три", "трёх", "трех", "трое", "троих"), 3),
    **dict.fromkeys(("четыре", "четырёх", "четырех", "четверо", "четверых"), 4),
    **dict.fromkeys(("пять", "пяти"), 5),
    **dict.fromkeys(("шесть", "шести"), 6),
    **dict.fromkeys(("семь", "семи"), 7),
    **dict.fromkeys(("восемь", "восьми"), 8),
    **dict.fromkeys(("девять", "девяти"), 9),
    **dict.fromkeys(("десять", "десяти"), 10),
    **dict.fromkeys(("одиннадцать", "одиннадцати"), 11),
    **dict.fromkeys(("двенадцать", "двенадцати"), 12),
    **dict.fromkeys(("тринадцать", "тринадцати"), 13),
    **dict.fromkeys(("четырнадцать", "четырнадцати"), 14),
    **dict.fromkeys(("пятнадцать", "пятнадцати"), 15),
    **dict.fromkeys(("шестнадцать", "шестнадцати"), 16),
    **dict.fromkeys(("семнадцать", "семнадцати"), 17),
    **dict.fromkeys(("восемнадцать", "восемнадцати"), 18),
    **dict.fromkeys(("девятнадцать", "девятнадцати"), 19),
    **dict.fromkeys(("двадцать", "двадцати"), 20),
    **dict.fromkeys(("тридцать", "тридцати"), 30),
    **dict.fromkeys(("сорок", "сорока"), 40),
    **dict.fromkeys(("пятьдесят", "пятидесяти"), 50),
    **dict.fromkeys(("шестьдесят", "шестидесяти"), 60),
    **dict.fromkeys(("семьдесят", "семидесяти"), 70),
    **dict.fromkeys(("восемьдесят", "восьмидесяти"), 80),
    **dict.fromkeys(("девяносто", "девяноста"), 90),
}
_LAST = "(?:прошл|предыдущ|минувш)(?:ый|ая|ое|ого|ой|ом|ым|ую|ем|ее|ий|им)"
_THIS = "(?:этот|эта|это|этого|этой|этом|этим|эту|нынешн(?:ий|яя|ее|его|ей|ем|юю))"
_NEXT = "(?:следующ|будущ)(?:ий|ая|ее|его|ей|ем|им|ую)"
_PART = "(?: {part})?"

RUSSIAN = Language(
    words={
        "month": {
            stem + ending: number for number, stem in enumerate(_MONTH_STEMS, 1) for ending in _ENDINGS.get(stem, _SOFT)
        },
        "weekday": {
            **dict.fromkeys(("понедельник", "понедельника", "понедельнику"), 0),
            **dict.fromkeys(("вторник", "вторника", "вторнику"), 1),
            **dict.fromkeys(("среда", "среду", "среды", "среде"), 2),
            **dict.fromkeys(("четверг", "четверга", "четвергу"), 3),
            **dict.fromkeys(("пятница", "пятницу", "пятницы", "пятнице"), 4),
            **dict.fromkeys(("суббота", "субботу", "субботы", "субботе"), 5),
            **dict.fromkeys(("воскресенье", "воскресенья", "воскресенью"), 6),
        },
        "season": {
            **dict.fromkeys(("весна", "весной", "весны", "весну"), Season.SPRING),
            **dict.fromkeys(("лето", "летом", "лета"), Season.SUMMER),
            **dict.fromkeys(("осень", "осенью", "осени"), Season.AUTUMN),
            **dict.fromkeys(("зима", "зимой", "зимы", "зиму"), Season.WINTER),
        },
        "unit": {
            **dict.fromkeys(("минута", "минуту", "минуты", "минут"), Unit.MINUTE),
            **dict.fromkeys(("час", "часа", "часов"), Unit.HOUR),
            **dict.fromkeys(("день", "дня", "дней"), Unit.DAY),
            **dict.fromkeys(("неделя", "неделю", "недели", "недель"), Unit.WEEK),
            **dict.fromkeys(("месяц", "месяца", "месяцев"), Unit.MONTH),
            **dict.fromkeys(("год", "года", "лет"), Unit.YEAR),
        },
        "calendarunit": {
            **dict.fromkeys(("неделя", "неделе", "неделю", "недели"), Unit.WEEK),
            **dict.fromkeys(("выходные", "выходных"), Unit.WEEKEND),
            **dict.fromkeys(("месяц", "месяце", "месяца"), Unit.MONTH),
            **dict.fromkeys(("год", "году", "года"), Unit.YEAR),
        },
        "part": {
            **dict.fromkeys(("утром", "утра"), Part.MORNING),
            "днём": Part.AFTERNOON,
            "днем": Part.AFTERNOON,
            **dict.fromkeys(("вечером", "вечера"), Part.EVENING),
            "ночью": Part.NIGHT,
        },
        "holiday": {
            **dict.fromkeys(("новый год", "нового года"), Holiday.NEW_YEAR),
            **dict.fromkeys(("хэллоуин", "хеллоуин"), Holiday.HALLOWEEN),
        },
    },
    numbers={
        **{word: Count(number, number) for word, number in _CARDINALS.items()},
        "пару": Count(2, 3),
        "пара": Count(2, 3),
        "несколько": Count(2, 5),
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
        Phrase("{day}(?:-го)? {month}(?:,? {year}(?: года?| году)?)?", meanings.yearly(meanings.month_day)),
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
    after=(Modifier("{part}", modifiers.part_of_day()),),
    ranges=(Connector("со?", "до|по"), Connector("между", "и")),
    left_alone=(
        "кажд(?:ый|ую|ое) (?:{weekday}|{season}|{unit})",
        "{number} {unit}(?! назад)(?= (?:рожд|отроду|от роду))",
        "(?:мне|ему|ей|им|тебе|вам|нам) {number} {unit}",
    ),
)
