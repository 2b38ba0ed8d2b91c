"""Expressions of time in German."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.bare_names import BARE_NAMES
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase, numbered, vocabulary
from memory.text.time_expressions.periods import Holiday, Part, Season, Unit

_MONTHS = numbered("januar|jänner februar märz april mai juni juli august september oktober november dezember", 1)
_CARDINALS = ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
_WEEKDAYS = numbered("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", 0)
_LAST = "(?:letzte|vergangene|vorige)[nrsm]?"
_THIS = "diese[nrsm]?"
_NEXT = "(?:nächste|kommende)[nrsm]?"
_PART = "(?: ?{part}s?)?"

GERMAN = Language(
    words={
        "month": _MONTHS,
        "weekday": _WEEKDAYS,
        "season": vocabulary(
            (Season.SPRING, "frühling|frühjahr"),
            (Season.SUMMER, "sommer"),
            (Season.AUTUMN, "herbst"),
            (Season.WINTER, "winter"),
        ),
        "unit": vocabulary(
            (Unit.MINUTE, "minute|minuten"),
            (Unit.HOUR, "stunde|stunden"),
            (Unit.DAY, "tag|tage|tagen"),
            (Unit.WEEK, "woche|wochen"),
            (Unit.MONTH, "monat|monate|monaten"),
            (Unit.QUARTER, "quartal"),
            (Unit.YEAR, "jahr|jahre|jahren"),
            (Unit.DECADE, "jahrzehnt|jahrzehnten|jahrzehnte"),
        ),
        "calendarunit": vocabulary(
            (Unit.WEEK, "woche"),
            (Unit.WEEKEND, "wochenende|wochenendes"),
            (Unit.MONTH, "monat|monats"),
            (Unit.QUARTER, "quartal|quartals"),
            (Unit.YEAR, "jahr|jahres"),
            (Unit.DECADE, "jahrzehnt|jahrzehnts"),
        ),
        "part": vocabulary(
            (Part.MORNING, "morgen|früh|vormittag"),
            (Part.AFTERNOON, "nachmittag"),
            (Part.EVENING, "abend"),
            (Part.NIGHT, "nacht"),
        ),
        "holiday": vocabulary(
            (Holiday.CHRISTMAS, "weihnachten"),
            (Holiday.CHRISTMAS_EVE, "heiligabend"),
            (Holiday.NEW_YEARS_EVE, "silvester"),
            (Holiday.NEW_YEAR, "neujahr"),
            (Holiday.HALLOWEEN, "halloween"),
            (Holiday.VALENTINE, "valentinstag"),
        ),
        "tens": vocabulary(
            (20, "zwanziger|zwanzigern"),
            (30, "dreißiger|dreißigern"),
            (40, "vierziger|vierzigern"),
            (50, "fünfziger|fünfzigern"),
            (60, "sechziger|sechzigern"),
            (70, "siebziger|siebzigern"),
            (80, "achtziger|achtzigern"),
            (90, "neunziger|neunzigern"),
        ),
    },
    numbers={
        **{word: Count(number, number) for number, word in enumerate(_CARDINALS, 2)},
        **vocabulary(
            (Count(1, 1), "ein|eine|einem|einer|einen"),
            (Count(2, 5), "ein paar|wenigen|einigen|einige|paar"),
            (Count(3, 7), "mehreren"),
        ),
    },
    phrases=(
        Phrase("heute" + _PART, meanings.day(0)),
        Phrase("gestern" + _PART, meanings.day(-1)),
        Phrase("vorgestern" + _PART, meanings.day(-2)),
        Phrase("übermorgen" + _PART, meanings.day(2)),
        Phrase("morgen(?: ?(?:{part}|mittag)s?)?", meanings.only_ahead(meanings.day(1))),
        Phrase("in {number} {unit}", meanings.only_ahead(meanings.ago(1))),
        Phrase("(?:in )?{number} {unit} (?:später|von jetzt)", meanings.only_ahead(meanings.ago(1))),
        Phrase("letzte nacht", meanings.day(-1, Part.NIGHT)),
        Phrase("neulich|vor kurzem", meanings.days(-14, -1)),
        Phrase(_LAST + " {calendarunit}", meanings.calendar_unit(-1)),
        Phrase(_THIS + " {calendarunit}", meanings.calendar_unit(0)),
        Phrase(_NEXT + " {calendarunit}", meanings.calendar_unit(1)),
        Phrase("vorletzte[nrsm]? {calendarunit}", meanings.calendar_unit(-2)),
        Phrase("übernächste[nrsm]? {calendarunit}", meanings.calendar_unit(2)),
        Phrase("(?:am|übers) wochenende", meanings.usual_weekend),
        Phrase("vor {number} {unit}", meanings.ago()),
        Phrase("vor einem halben jahr", meanings.ago(number=6, unit=Unit.MONTH)),
        Phrase("(?:in|während) den (?:letzten|vergangenen) {number} {unit}", meanings.rolling(-1)),
        Phrase("(?:die|der) (?:letzten|vergangenen) {number} {unit}", meanings.rolling(-1)),
        Phrase("(?:in den|die) (?:nächsten|kommenden) {number} {unit}", meanings.rolling(1)),
        Phrase("(?:am )?{weekday}" + _PART, meanings.usual_weekday),
        Phrase("(?:am )?" + _LAST + " {weekday}" + _PART, meanings.last_weekday()),
        Phrase("(?:am )?vorletzten {weekday}", meanings.last_weekday(1)),
        Phrase(_THIS + " {weekday}" + _PART, meanings.weekday_of_week(0)),
        Phrase(_NEXT + " {weekday}" + _PART, meanings.coming_weekday),
        Phrase("(?:am )?{weekday} " + _LAST + " woche", meanings.weekday_of_week(-1)),
        Phrase(_LAST + " woche(?: am)? {weekday}", meanings.weekday_of_week(-1)),
        Phrase("(?:im )?{month},? {year}", meanings.yearly(meanings.month)),
        Phrase("(?:im )?{month} " + _LAST + " jahres", meanings.yearly_in(meanings.month, -1)),
        Phrase("(?:im )?{month} dieses jahres", meanings.yearly_in(meanings.month, 0)),
        Phrase(_LAST + " {month}", meanings.yearly(meanings.month, periods.latest_ended)),
        Phrase(_THIS + " {month}", meanings.yearly_in(meanings.month, 0)),
        Phrase(_NEXT + " {month}", meanings.yearly(meanings.month, periods.next_to_start)),
        Phrase("(?:im )?{season} {year}", meanings.yearly(meanings.season)),
        Phrase("(?:im )?{season} " + _LAST + " jahres", meanings.yearly_in(meanings.season, -1)),
        Phrase(_LAST + " {season}", meanings.yearly(meanings.season, periods.latest_ended)),
        Phrase("vorletzten {season}", meanings.yearly(meanings.season, periods.latest_ended, 1)),
        Phrase(_THIS + " {season}", meanings.yearly(meanings.season, periods.nearest)),
        Phrase(_NEXT + " {season}", meanings.yearly(meanings.season, periods.next_to_start)),
        Phrase("{holiday} {year}", meanings.yearly(meanings.holiday)),
        Phrase(_LAST + " {holiday}", meanings.yearly(meanings.holiday, periods.latest_ended)),
        Phrase(_NEXT + " {holiday}", meanings.yearly(meanings.holiday, periods.next_to_start)),
        Phrase("im jahre? {year}", meanings.year),
        Phrase("(?:in )?den {year}ern", meanings.decade),
        Phrase("(?:in den |die )?{year}er[- ]jahren?", meanings.decade),
        Phrase("(?:in )?den (?:{figure}ern|{tens})(?: jahren)?", meanings.decade),
        Phrase("in den {figure}er[- ]jahren", meanings.decade),
        Phrase("(?:am )?{day}\\.? {month},? {year}", meanings.yearly_date),
        Phrase("(?:am )?{day}\\. {month}", meanings.yearly_date),
        Phrase("(?:vom )?{day}\\.? ?(?:bis(?: zum)?|-|\u2013) ?{day2}\\.? {month}(?: {year})?", meanings.yearly_date),
        Phrase("(?:am )?{day}\\.{day2}\\.{year}", meanings.day_first_date),
        Phrase("am {day}\\.{day2}\\.", meanings.day_first_date),
        Phrase("{year}-{figure}-{day}", meanings.full_date),
    ),
    cued_phrases=(
        *BARE_NAMES,
        Phrase("(?:der|des) {calendarunit}", meanings.calendar_unit(0)),
    ),
    before=(
        Modifier("im|in|an|zu|über|während(?: des)?", modifiers.same),
        Modifier("seit(?: dem)?", modifiers.since),
        Modifier("nach(?: dem)?", modifiers.following),
        Modifier("vor(?: dem)?", modifiers.preceding),
        Modifier("bis(?: zum)?", modifiers.until),
        Modifier("anfang(?: des)?", modifiers.third(0)),
        Modifier("mitte(?: des)?", modifiers.third(1)),
        Modifier("ende(?: des)?", modifiers.third(2)),
    ),
    after=(Modifier("(?:am )?{part}s?", modifiers.part_of_day),),
    ranges=(
        Connector("zwischen(?: dem)?", "und(?: dem)?"),
        Connector("vo[nm]", "bis(?: zum)?|-|\u2013"),
        Connector("", "bis|-|\u2013"),
    ),
    left_alone=(
        "(?:jede[nrsm]?|einem|einen|eines|manche[nrsm]?) (?:{weekday}|{season})",
        "(?:mein|dein|sein|ihr|unser|euer)(?:e[nrsm]?)? (?:letzte|nächste|vorige)[nrsm]? \\w+",
        "(?:{weekday})s",
        "(?:guten|schönen|am|den|jeden|diesen|eines|vom|zum) {part}s?",
    ),
)
