"""Expressions of time in English."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase, numbered, vocabulary
from memory.text.time_expressions.periods import Holiday, Part, Season, Unit

_MONTHS = numbered("january february march april may june july august september october november december", 1)
_ABBREVIATIONS = numbered("jan feb mar apr may jun jul aug sep|sept oct nov dec", 1)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth"),
    *("twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)
_CARDINALS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

# A month's day: "3", "3rd". "may 3 people come?" is no date, so the words that are verbs too need more than a number.
_DAY = r"{day}(?:st|nd|rd|th)?"
_NOT_A_VERB = r"(?!(?-i:may|march)(?!\w))"
_ENDS = r"(?=\s*(?:[?.!,;:)]|$|in(?!\w)|at(?!\w)|with(?!\w)))"
# "the week before last", but not "the week before last Monday".
_NO_MORE = r"(?! (?:week|weekend|month|quarter|year|night|spring|summer|autumn|fall|winter|christmas|\w+day)(?!\w))"
_WEEKDAY_BEFORE = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
_OF = r"(?: of| in|,)?"
_POSSESSIVE = r"(?:my|your|his|her|its|our|their|\w+'s)"
_MEASURES = (
    r"(?:words|people|persons|steps|pages|miles|met(?:er|re)s|feet|km|kilomet(?:er|re)s|dollars|euros|pounds|points|"
    r"times|calories|characters|copies|pieces|followers|songs|photos|books|minutes|hours|days|weeks|months|years)"
)

ENGLISH = Language(
    words={
        "month": {**_MONTHS, **_ABBREVIATIONS},
        "fullmonth": _MONTHS,
        "weekday": numbered("monday tuesday wednesday thursday friday saturday sunday", 0),
        "season": vocabulary(
            (Season.SPRING, "spring|springtime"),
            (Season.SUMMER, "summer|summertime"),
            (Season.AUTUMN, "autumn|fall"),
            (Season.WINTER, "winter|wintertime"),
        ),
        "unit": vocabulary(
            (Unit.MINUTE, "minute|minutes"),
            (Unit.HOUR, "hour|hours"),
            (Unit.DAY, "day|days"),
            (Unit.WEEK, "week|weeks"),
            (Unit.WEEKEND, "weekend|weekends"),
            (Unit.MONTH, "month|months"),
            (Unit.QUARTER, "quarter|quarters"),
            (Unit.YEAR, "year|years"),
            (Unit.DECADE, "decade|decades"),
        ),
        "calendarunit": vocabulary(
            (Unit.WEEK, "week"),
            (Unit.WEEKEND, "weekend"),
            (Unit.MONTH, "month"),
            (Unit.QUARTER, "quarter"),
            (Unit.YEAR, "year"),
            (Unit.DECADE, "decade"),
        ),
        "part": {
            "morning": Part.MORNING,
            "afternoon": Part.AFTERNOON,
            "evening": Part.EVENING,
            "night": Part.NIGHT,
        },
        "holiday": vocabulary(
            (Holiday.CHRISTMAS, "christmas|xmas"),
            (Holiday.CHRISTMAS_EVE, "christmas eve"),
            (Holiday.CHRISTMAS_DAY, "christmas day"),
            (Holiday.BOXING_DAY, "boxing day|the day after christmas"),
            (Holiday.NEW_YEARS_EVE, "new year's eve"),
            (Holiday.NEW_YEAR, "new year's|new year's day"),
            (Holiday.HALLOWEEN, "halloween"),
            (Holiday.VALENTINE, "valentine's day|valentines day"),
        ),
        "ordinal": {
            **{word: number for number, word in enumerate(_ORDINALS, 1)},
            **{word.replace("-", " "): number for number, word in enumerate(_ORDINALS, 1)},
            **{f"{number}{_SUFFIXES.get(number, 'th')}": number for number in range(1, 32)},
            "last": 0,
        },
        "tens": numbered("twenties thirties forties fifties sixties seventies eighties nineties", 20, 10),
    },
    numbers={
        **{word: Count(number, number) for number, word in enumerate(_CARDINALS, 1)},
        **{
            f"{ten}{between}{one}": Count(tens + number, tens + number)
            for tens, ten in zip(range(20, 100, 10), _TENS, strict=True)
            for number, one in enumerate(_CARDINALS[:9], 1)
            for between in ("-", " ")
        },
        **{ten: Count(tens, tens) for tens, ten in zip(range(20, 100, 10), _TENS, strict=True)},
        **vocabulary(
            (Count(1, 1), "a|an"),
            (Count(2, 3), "a couple of|a couple|couple of"),
            (Count(2, 5), "a few|few"),
            (Count(3, 7), "several"),
        ),
    },
    phrases=(
        # Days beside today.
        Phrase("today", meanings.day(0)),
        Phrase("yesterday", meanings.day(-1)),
        Phrase("tomorrow|tmrw|tmr|tmw|tomoz", meanings.day(1)),
        Phrase("(?:the )?day before yesterday", meanings.day(-2)),
        Phrase("(?:the )?day after tomorrow", meanings.day(2)),
        Phrase("this {part}", meanings.day(0)),
        Phrase("tonight", meanings.day(0, Part.NIGHT)),
        Phrase("last night", meanings.day(-1, Part.NIGHT)),
        Phrase("(?:the )?night before last" + _NO_MORE, meanings.day(-2, Part.NIGHT)),
        Phrase("the other day", meanings.days(-7, -1)),
        Phrase("earlier today", meanings.earlier(Unit.DAY)),
        Phrase("later today", meanings.later(Unit.DAY)),
        # Calendar units.
        Phrase("last {calendarunit}", meanings.calendar_unit(-1)),
        Phrase("this {calendarunit}", meanings.calendar_unit(0)),
        Phrase("(?:next|this coming) {calendarunit}", meanings.calendar_unit(1)),
        Phrase("(?:the )?{calendarunit} before last" + _NO_MORE, meanings.calendar_unit(-2)),
        Phrase("(?:the )?{calendarunit} after next", meanings.calendar_unit(2)),
        Phrase("(?:this coming|the coming) weekend", meanings.calendar_unit(0, Unit.WEEKEND)),
        Phrase("(?:this past|the past|over the|on the|at the) weekend", meanings.usual_weekend),
        Phrase("(?:earlier|so far) this {calendarunit}", meanings.earlier()),
        Phrase("later this {calendarunit}", meanings.later()),
        # Distances and stretches.
        Phrase("{number} {unit} ago", meanings.ago()),
        Phrase("half a year ago", meanings.ago(number=6, unit=Unit.MONTH)),
        Phrase("half an hour ago", meanings.ago(number=30, unit=Unit.MINUTE)),
        Phrase("{number} {unit} ago today", meanings.day_ago),
        Phrase("{number} {unit} (?:from (?:now|today)|hence)", meanings.ago(1)),
        Phrase("in {number} {unit}(?:'s?)? time", meanings.ago(1)),
        Phrase("in (?:about |around )?{number} {unit}", meanings.only_ahead(meanings.ago(1))),
        Phrase("by {weekday}", meanings.only_ahead(meanings.coming_weekday)),
        Phrase("(?:over|at|on) the weekend", meanings.only_ahead(meanings.usual_weekend)),
        Phrase("(?:the|these|this) (?:last|past) {number} {unit}", meanings.rolling(-1)),
        Phrase("(?:in|over|during|within|for|of) (?:the )?(?:last|past) {number} {unit}", meanings.rolling(-1)),
        Phrase("(?:the|this) past {unit}", meanings.rolling(-1)),
        Phrase("(?:in|over|during|within) the last {unit}", meanings.rolling(-1)),
        Phrase("(?:(?:in|over|during|within|for) )?the (?:next|coming) {number} {unit}", meanings.rolling(1)),
        Phrase("(?:in|over|during|within) the (?:next|coming) {unit}", meanings.rolling(1)),
        Phrase("(?:about |around )?this time last {unit}", meanings.same_time_ago),
        # Weekdays.
        Phrase("(?:on )?{weekday}(?: {part})?", meanings.usual_weekday),
        Phrase("(?:(?:on )?last|this past) {weekday}(?: {part})?", meanings.last_weekday()),
        Phrase("(?:the )?{weekday} before last" + _NO_MORE, meanings.last_weekday(1)),
        Phrase("this {weekday}(?: {part})?", meanings.weekday_of_week(0)),
        Phrase("(?:this coming|the coming) {weekday}(?: {part})?", meanings.coming_weekday),
        Phrase("next {weekday}(?: {part})?", meanings.weekday_of_week(1)),
        Phrase("(?:on )?{weekday}(?: of)? last week", meanings.weekday_of_week(-1)),
        Phrase("last week(?:'s)?,? (?:on )?{weekday}", meanings.weekday_of_week(-1)),
        Phrase("(?:on )?{weekday}(?: of)? this week", meanings.weekday_of_week(0)),
        Phrase("(?:on )?{weekday}(?: of)? next week", meanings.weekday_of_week(1)),
        Phrase("{number} {weekday}s ago", meanings.weekdays_ago),
        # Months, seasons, feasts.
        Phrase("{month}\\.?(?: of|,)? {year}", meanings.yearly(meanings.month)),
        Phrase("(?:in |back in )?{fullmonth} (?:of )?last year", meanings.yearly_in(meanings.month, -1)),
        Phrase("(?:in |back in )?{fullmonth} (?:of )?this year", meanings.yearly_in(meanings.month, 0)),
        Phrase("(?:in )?{fullmonth} (?:of )?next year", meanings.yearly_in(meanings.month, 1)),
        Phrase("(?:last|this past) {fullmonth}", meanings.yearly(meanings.month, periods.latest_ended)),
        Phrase("this " + _NOT_A_VERB + "{fullmonth}", meanings.yearly_in(meanings.month, 0)),
        Phrase("next {fullmonth}", meanings.yearly(meanings.month, periods.next_to_start)),
        Phrase("the month of {fullmonth}", meanings.yearly(meanings.month)),
        Phrase("{season}(?: of|,)? {year}", meanings.yearly(meanings.season)),
        Phrase("(?:last|this past) {season}", meanings.yearly(meanings.season, periods.latest_ended)),
        Phrase("(?:the )?{season} before last" + _NO_MORE, meanings.yearly(meanings.season, periods.latest_ended, 1)),
        Phrase("this {season}", meanings.yearly(meanings.season, periods.nearest)),
        Phrase("next {season}", meanings.yearly(meanings.season, periods.next_to_start)),
        Phrase("(?:the )?{season} of last year", meanings.yearly_in(meanings.season, -1)),
        Phrase("(?:the )?{season} of this year", meanings.yearly_in(meanings.season, 0)),
        Phrase("{number} {season}s ago", meanings.yearly_ago(meanings.season)),
        Phrase("{holiday},?(?: of| in)? {year}", meanings.yearly(meanings.holiday)),
        Phrase("(?:last|this past) {holiday}", meanings.yearly(meanings.holiday, periods.latest_ended)),
        Phrase("this {holiday}", meanings.yearly_in(meanings.holiday, 0)),
        Phrase("next {holiday}", meanings.yearly(meanings.holiday, periods.next_to_start)),
        # Years, decades, quarters, halves.
        Phrase("the year {year}", meanings.year),
        Phrase("(?:in |during )?the (?:19|20)?(?:'?){figure}s", meanings.decade),
        Phrase("{year}s", meanings.decade),
        Phrase("the {tens}", meanings.decade),
        Phrase("q{figure},?(?: of)? {year}", meanings.yearly(meanings.quarter)),
        Phrase("(?:the )?{ordinal} quarter" + _OF + " {year}", meanings.yearly(meanings.quarter)),
        # Dates.
        Phrase("{year}[-/.]{figure}[-/.]{day}", meanings.full_date),
        Phrase("{year}-{figure}", meanings.full_date),
        Phrase("{day}[/.-]{day2}[/.-]{year}", meanings.either_order_date),
        Phrase(f"{_WEEKDAY_BEFORE}(?:the )?{_DAY}(?: of)? {{month}}\\.?(?:,? {{year}})", meanings.yearly_date),
        Phrase(f"{_WEEKDAY_BEFORE}{{month}}\\.? (?:the )?{_DAY},? {{year}}", meanings.yearly_date),
        Phrase(f"{_WEEKDAY_BEFORE}(?:the )?{{ordinal}}(?: of)? {{month}}(?:,? {{year}})?", meanings.yearly_date),
        Phrase(f"{_WEEKDAY_BEFORE}{{month}}\\.?,? (?:the )?{{ordinal}}(?:,? {{year}})?", meanings.yearly_date),
        Phrase(f"{_WEEKDAY_BEFORE}{{day}} " + _NOT_A_VERB + "{month}", meanings.yearly_date),
        Phrase(f"on {_WEEKDAY_BEFORE}(?:the )?{_DAY}(?: of)? {{month}}", meanings.yearly_date),
        Phrase(f"on {_WEEKDAY_BEFORE}{{month}}\\.? {_DAY}", meanings.yearly_date),
        Phrase(r"(?!may|march|mar(?!\w)|dec(?!\w)){month}\.? {day}", meanings.yearly_date),
        Phrase(r"{month}\.? {day}" + _ENDS, meanings.yearly_date),
        Phrase("on the {day}(?:st|nd|rd|th)" + r"(?=\s*(?:[?.!,;:)]|$))", meanings.day_of_month()),
        Phrase("(?:on )?the {day}(?:st|nd|rd|th) of (?:this|the) month", meanings.day_of_month(0)),
        Phrase("(?:on )?the {day}(?:st|nd|rd|th) of last month", meanings.day_of_month(-1)),
        Phrase("(?:from )?{day} ?(?:-|\u2013|to|until) ?{day2} {month}(?:,? {year})?", meanings.yearly_date),
        Phrase(r"(?:from )?{month} {day} ?(?:-|\u2013|to|until) ?{day2}(?:,? {year})?", meanings.yearly_date),
        Phrase("(?:the )?{ordinal} week (?:of|in) {month}(?:,? {year})?", meanings.yearly(meanings.week_of_month)),
        Phrase(
            "(?:the )?{ordinal} {weekday} (?:of|in) {month}(?:,? {year})?", meanings.yearly(meanings.weekday_of_month)
        ),
        Phrase("week {figure}(?: of|,)? {year}", meanings.yearly(meanings.week_of_year)),
    ),
    cued_phrases=(
        Phrase(r"{fullmonth}(?!'s? \w)", meanings.yearly(meanings.month)),
        Phrase(r"{season}(?!'s? \w)", meanings.yearly(meanings.season)),
        Phrase("{holiday}", meanings.yearly(meanings.holiday)),
        Phrase("{month} {day}", meanings.yearly_date),
        Phrase("{day} {month}", meanings.yearly_date),
        Phrase("{year}", meanings.year),
        Phrase("the {calendarunit}", meanings.calendar_unit(0)),
    ),
    before=(
        Modifier("(?:back )?(?:in|during|throughout|over|within|around)(?: the)?(?: whole)?", modifiers.same),
        Modifier("on|at", modifiers.same),
        Modifier("(?:ever )?since(?: the)?", modifiers.since),
        Modifier("after(?: the)?", modifiers.following),
        Modifier("before(?: the)?", modifiers.preceding),
        Modifier("until|till|up to", modifiers.until),
        Modifier("early(?: in| on)?(?: the)?", modifiers.third(0)),
        Modifier("mid-?|(?:in )?(?:the )?middle of(?: the)?", modifiers.third(1)),
        Modifier("late(?: in)?(?: the)?", modifiers.third(2)),
        Modifier("(?:at |in |from )?(?:the )?(?:start|beginning) of", modifiers.third(0)),
        Modifier("(?:at |by |towards? )?(?:the )?end of", modifiers.third(2)),
        Modifier("(?:in )?(?:the )?first half of", modifiers.half(0)),
        Modifier("(?:in )?(?:the )?second half of", modifiers.half(1)),
        Modifier("(?:on )?the {part} of", modifiers.part_of_day),
        Modifier("(?:in )?the week of", modifiers.containing(Unit.WEEK)),
        Modifier("(?:the |{number} ){unit} before", modifiers.distance(-1)),
        Modifier("(?:the |{number} ){unit} after", modifiers.distance(1)),
        Modifier("(?:on )?the {weekday} before", modifiers.weekday_beside(-1)),
        Modifier("(?:on )?the {weekday} after", modifiers.weekday_beside(1)),
    ),
    after=(
        Modifier("(?:in the |at )?{part}", modifiers.part_of_day),
        Modifier("at noon|at lunch(?:time)?", modifiers.same),
    ),
    ranges=(
        Connector("between(?: the)?", "and(?: the)?"),
        Connector("from(?: the)?", "(?:to|until|till|through|-|\u2013)(?: the)?"),
        Connector("", "to|through|-|\u2013"),
    ),
    left_alone=(
        # Something of one's own, or something that happens again and again.
        _POSSESSIVE + " (?:first|last|next|past|second) (?:{number} )?(?:\\w+)",
        "(?:every|each|any|most|some|one|that|those|another|a) (?:other )?(?:{weekday}|{season})(?!s? ago)",
        "(?:every|each) (?:{fullmonth}|{holiday})",
        "(?:on )?{weekday}s(?! ago)",
        # "the last year of school", but "the last week of May".
        "(?:the )?(?:last|next|first) {calendarunit} of (?!(?:{month}|{year})(?!\\w))\\w+",
        "(?:the )?(?:last|next) (?:day|time|one|few|march|spring|fall)(?! {unit})(?= (?:of|at|in|on|for)(?!\\w))",
        "the (?:last|next) (?:march|may|spring|fall|august)",
        "(?:was|were|is|are|had|have|has|having) (?:a|the) (?:great |nice |bad )?(?:fall|spring|march)",
        # A fall of or from something, the spring of one's life.
        "(?:fall|spring|summer|autumn|winter) of (?!(?:{year}|last|this|next)(?!\\w))\\w+",
        "(?:fall|spring) (?:from|off|down|over|apart|asleep|behind|in love|rolls?|cleaning|onions?|water)",
        "(?:fell|jumped|bathed|drank) (?:\\w+ )?in(?:to)? the (?:fall|spring)",
        # A verb or a person.
        "this (?-i:may|march|fall)",
        "(?:may|march) {number} (?!{year})(?!(?:in|at|on|with|of|and|to|or)(?!\\w))[a-z]+",
        "{number} (?-i:may|march) (?!{year})(?!(?:in|at|on|with|of|and|to|or)(?!\\w))[a-z]+",
        # Days that are named after a weekday, and titles.
        "(?:black|good|ash|super|freaky|casual|easter|palm|cyber|ruby|shrove|maundy|girl|man) {weekday}",
        "{weekday} (?:addams|night live|night fever|night lights|roast|blues|school|times)",
        "friday the (?:13th|thirteenth)",
        # A number that is no year.
        "{year} " + _MEASURES,
        "[$€£]{year}|{year}(?:%|[.,]\\d)",
        # An age.
        "{number} {unit} old",
        "in " + _POSSESSIVE + " (?:early |mid |late |mid-)?(?:'?\\d0s|{tens})",
    ),
)
