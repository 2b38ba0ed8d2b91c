"""Expressions of time in Japanese, which is written without spaces."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase, Values, vocabulary
from memory.text.time_expressions.periods import AskingMoment, Holiday, Part, Season, Span, Unit

_FIGURES = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_YEARS_BEFORE_ERA = {"令和": 2018, "平成": 1988, "昭和": 1925}


def _era_year(values: Values, _at: AskingMoment) -> Span | None:
    """A year of an emperor's era; with `month`, a month of it, and with `day`, a day."""
    of_year = {**values, "year": values["era"] + values.get("figure", 1)}
    if "day" in values:
        return meanings.month_day(of_year, _at, of_year["year"])
    return meanings.month(of_year, _at, of_year["year"]) if "month" in values else meanings.year(of_year, _at)


JAPANESE = Language(
    spaced=False,
    words={
        "month": {
            **{f"{figure}月": number for number, figure in enumerate(_FIGURES, 1)},
            **{f"{number}月": number for number in range(1, 13)},
        },
        "weekday": {
            **{f"{sign}曜{end}": number for number, sign in enumerate("月火水木金土日") for end in ("日", "")},
        },
        "season": {"春": Season.SPRING, "夏": Season.SUMMER, "秋": Season.AUTUMN, "冬": Season.WINTER},
        "unit": {
            "分": Unit.MINUTE,
            "時間": Unit.HOUR,
            "日": Unit.DAY,
            "日間": Unit.DAY,
            "週間": Unit.WEEK,
            **{f"{sign}月": Unit.MONTH for sign in ("か", "ヶ", "ケ", "カ", "ヵ", "箇")},
            **{f"{sign}月間": Unit.MONTH for sign in ("か", "ヶ", "ケ", "カ", "ヵ", "箇")},
            "年": Unit.YEAR,
            "年間": Unit.YEAR,
            "十年": Unit.DECADE,
        },
        "part": vocabulary(
            (Part.MORNING, "朝|午前|午前中"), (Part.AFTERNOON, "昼|午後"), (Part.EVENING, "夕方|晩"), (Part.NIGHT, "夜")
        ),
        "holiday": vocabulary(
            (Holiday.CHRISTMAS, "クリスマス"),
            (Holiday.CHRISTMAS_EVE, "クリスマスイブ"),
            (Holiday.NEW_YEARS_EVE, "大晦日"),
            (Holiday.NEW_YEAR, "元日|元旦"),
            (Holiday.HALLOWEEN, "ハロウィン"),
            (Holiday.VALENTINE, "バレンタインデー|バレンタイン"),
        ),
        "era": _YEARS_BEFORE_ERA,
    },
    numbers={
        **{word: Count(number, number) for number, word in enumerate(_FIGURES, 1)},
        "数": Count(2, 5),
    },
    phrases=(
        Phrase("(?:今日|きょう|本日)(?:の?{part})?", meanings.day(0)),
        Phrase("(?:昨日|きのう)(?:の?{part})?", meanings.day(-1)),
        Phrase("(?:一昨日|おととい)(?:の?{part})?", meanings.day(-2)),
        Phrase("(?:明日|あした)(?:の?{part})?", meanings.day(1)),
        Phrase("(?:明後日|あさって)", meanings.day(2)),
        Phrase("今朝|けさ", meanings.day(0, Part.MORNING)),
        Phrase("今晩|今夜", meanings.day(0, Part.NIGHT)),
        Phrase("昨夜|昨晩|ゆうべ", meanings.day(-1, Part.NIGHT)),
        Phrase("先日|この前|この間", meanings.days(-14, -1)),
        Phrase("先週", meanings.calendar_unit(-1, Unit.WEEK)),
        Phrase("今週", meanings.calendar_unit(0, Unit.WEEK)),
        Phrase("来週", meanings.calendar_unit(1, Unit.WEEK)),
        Phrase("先々週", meanings.calendar_unit(-2, Unit.WEEK)),
        Phrase("再来週", meanings.calendar_unit(2, Unit.WEEK)),
        Phrase("先月", meanings.calendar_unit(-1, Unit.MONTH)),
        Phrase("今月", meanings.calendar_unit(0, Unit.MONTH)),
        Phrase("来月", meanings.calendar_unit(1, Unit.MONTH)),
        Phrase("先々月", meanings.calendar_unit(-2, Unit.MONTH)),
        Phrase("去年|昨年", meanings.calendar_unit(-1, Unit.YEAR)),
        Phrase("今年", meanings.calendar_unit(0, Unit.YEAR)),
        Phrase("来年", meanings.calendar_unit(1, Unit.YEAR)),
        Phrase("一昨年|おととし", meanings.calendar_unit(-2, Unit.YEAR)),
        Phrase("再来年", meanings.calendar_unit(2, Unit.YEAR)),
        Phrase("先週末|先週の週末", meanings.calendar_unit(-1, Unit.WEEKEND)),
        Phrase("今週末|今週の週末", meanings.calendar_unit(0, Unit.WEEKEND)),
        Phrase("来週末|来週の週末", meanings.calendar_unit(1, Unit.WEEKEND)),
        Phrase("週末", meanings.usual_weekend),
        Phrase("{number}{unit}(?:ほど|くらい|ぐらい)?前", meanings.ago()),
        Phrase("半年前", meanings.ago(number=6, unit=Unit.MONTH)),
        Phrase("{number}{unit}後", meanings.ago(1)),
        Phrase("(?:ここ|この|過去|最近の?){number}{unit}", meanings.rolling(-1)),
        Phrase("(?:今後|これから){number}{unit}", meanings.rolling(1)),
        Phrase("先週の?{weekday}(?:の{part})?", meanings.weekday_of_week(-1)),
        Phrase("今週の?{weekday}(?:の{part})?", meanings.weekday_of_week(0)),
        Phrase("来週の?{weekday}(?:の{part})?", meanings.weekday_of_week(1)),
        Phrase("{weekday}(?:の?{part})?", meanings.usual_weekday),
        Phrase("(?:この前の|前の){weekday}(?:の{part})?", meanings.last_weekday()),
        Phrase("(?:今度の|次の){weekday}", meanings.coming_weekday),
        Phrase("(?:去年|昨年)の?{month}", meanings.yearly_in(meanings.month, -1)),
        Phrase("今年の?{month}", meanings.yearly_in(meanings.month, 0)),
        Phrase("来年の?{month}", meanings.yearly_in(meanings.month, 1)),
        Phrase(
            "(?:去年|昨年)の?{month}の?{day}日", lambda values, at: meanings.month_day(values, at, at.local.year - 1)
        ),
        Phrase("今年の?{month}の?{day}日", meanings.yearly_in(meanings.month_day, 0)),
        Phrase("(?:去年|昨年)の{season}", meanings.yearly_in(meanings.season, -1)),
        Phrase("(?:一昨年|おととし)の{season}", meanings.yearly_in(meanings.season, -2)),
        Phrase("今年の{season}", meanings.yearly_in(meanings.season, 0)),
        Phrase("来年の{season}", meanings.yearly_in(meanings.season, 1)),
        Phrase("(?:この)?前の{season}", meanings.yearly(meanings.season, periods.latest_ended)),
        Phrase("この{season}", meanings.yearly(meanings.season, periods.nearest)),
        Phrase("(?:去年|昨年)の{holiday}", meanings.yearly_in(meanings.holiday, -1)),
        Phrase("今年の{holiday}", meanings.yearly_in(meanings.holiday, 0)),
        Phrase("{month}", meanings.yearly(meanings.month)),
        Phrase("{month}の?{day}日", meanings.yearly_date),
        Phrase("{year}年", meanings.year),
        Phrase("{year}年の?{month}", meanings.yearly(meanings.month)),
        Phrase("{year}年の?{month}の?{day}日", meanings.yearly_date),
        Phrase("{year}年の?{season}", meanings.yearly(meanings.season)),
        Phrase("{year}年の?{holiday}", meanings.yearly(meanings.holiday)),
        Phrase("{year}年代", meanings.decade),
        Phrase("{figure}年代", meanings.decade),
        Phrase("{era}(?:{figure}|元)年(?:{month}(?:{day}日)?)?", _era_year),
        Phrase("{year}[/-]{figure}[/-]{day}", meanings.full_date),
    ),
    cued_phrases=(
        Phrase("{season}", meanings.yearly(meanings.season)),
        Phrase("{holiday}", meanings.yearly(meanings.holiday)),
    ),
    before=(),
    after=(
        Modifier("に|の間|休み", modifiers.same),
        Modifier("以降|以来|から(?!\\d)", modifiers.since),
        Modifier("の?後(?!半)", modifiers.following),
        Modifier("以前|より前|の前", modifiers.preceding),
        Modifier("まで", modifiers.until),
        Modifier("上旬|初旬|の?(?:初め|始め|はじめ|頭)", modifiers.third(0)),
        Modifier("中旬|の?(?:半ば|中頃)", modifiers.third(1)),
        Modifier("下旬|の?(?:終わり|おわり)|末", modifiers.third(2)),
        Modifier("の?前半", modifiers.half(0)),
        Modifier("の?後半", modifiers.half(1)),
        Modifier("の?{part}", modifiers.part_of_day),
    ),
    ranges=(Connector("", "から|[〜~-]"),),
    left_alone=(
        # Again and again; durations; names and words that begin with the same signs.
        "毎(?:週|年|月|日|朝|晩)の?(?:{weekday}|{season}|{month})?",
        "明日香|今日子|昨今|今年度",
        "{number}{unit}間(?!前)",
        "(?:春|夏|秋|冬)(?:樹|子|美|菜|奈|彦|雄|生|人|服|物|巻|雨|刀)",
    ),
)
