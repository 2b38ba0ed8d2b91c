"""Expressions of time in French."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.bare_names import BARE_NAMES
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase, numbered, vocabulary
from memory.text.time_expressions.periods import Holiday, Part, Season, Unit

_CARDINALS = ("deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze")
_PAST = "(?:derni(?:er|ère)|passée?)"
_COMING = "(?:prochaine?|qui vient)"
_PART = "(?: (?:au |dans la )?{part})?"

FRENCH = Language(
    words={
        "month": numbered(
            "janvier février|fevrier mars avril mai juin "
            "juillet août|aout septembre octobre novembre décembre|decembre",
            1,
        ),
        "weekday": numbered("lundi mardi mercredi jeudi vendredi samedi dimanche", 0),
        "season": {
            "printemps": Season.SPRING,
            "été": Season.SUMMER,
            "automne": Season.AUTUMN,
            "hiver": Season.WINTER,
        },
        "unit": vocabulary(
            (Unit.MINUTE, "minute|minutes"),
            (Unit.HOUR, "heure|heures"),
            (Unit.DAY, "jour|jours"),
            (Unit.WEEK, "semaine|semaines"),
            (Unit.MONTH, "mois"),
            (Unit.QUARTER, "trimestre|trimestres"),
            (Unit.YEAR, "an|ans|année|années"),
            (Unit.DECADE, "décennie|décennies"),
        ),
        "calendarunit": vocabulary(
            (Unit.WEEK, "semaine"),
            (Unit.WEEKEND, "week-end|weekend"),
            (Unit.MONTH, "mois"),
            (Unit.QUARTER, "trimestre"),
            (Unit.YEAR, "an|année"),
            (Unit.DECADE, "décennie"),
        ),
        "part": {
            "matin": Part.MORNING,
            "après-midi": Part.AFTERNOON,
            "soir": Part.EVENING,
            "nuit": Part.NIGHT,
        },
        "ordinal": {"1er": 1, "premier": 1},
        "holiday": vocabulary(
            (Holiday.CHRISTMAS, "noël|noel"),
            (Holiday.CHRISTMAS_EVE, "réveillon"),
            (Holiday.NEW_YEAR, "nouvel an"),
            (Holiday.HALLOWEEN, "halloween"),
            (Holiday.NEW_YEARS_EVE, "saint-sylvestre"),
            (Holiday.VALENTINE, "saint-valentin"),
        ),
    },
    numbers={
        **{word: Count(number, number) for number, word in enumerate(_CARDINALS, 2)},
        **vocabulary((Count(1, 1), "un|une"), (Count(2, 5), "quelques"), (Count(3, 7), "plusieurs")),
    },
    phrases=(
        Phrase("aujourd'hui", meanings.day(0)),
        Phrase("hier" + _PART, meanings.day(-1)),
        Phrase("avant-hier" + _PART, meanings.day(-2)),
        Phrase("demain" + _PART, meanings.day(1)),
        Phrase("après-demain", meanings.day(2)),
        Phrase("(?:ce|cet|cette) {part}", meanings.day(0)),
        Phrase("la nuit dernière", meanings.day(-1, Part.NIGHT)),
        Phrase("l'autre jour", meanings.days(-7, -1)),
        Phrase("(?:la |le |l')?{calendarunit} " + _PAST, meanings.calendar_unit(-1)),
        Phrase("(?:ce|cet|cette) {calendarunit}(?:-ci)?", meanings.calendar_unit(0)),
        Phrase("(?:la |le |l')?{calendarunit} " + _COMING, meanings.calendar_unit(1)),
        Phrase("(?:durant |pendant )?(?:le|ce) week-?end", meanings.usual_weekend),
        Phrase("il y a {number} {unit}", meanings.ago()),
        Phrase("dans {number} {unit}", meanings.ago(1)),
        Phrase(
            "(?:au cours des |ces |les |pendant les |dans les ){number} derni(?:ers|ères) {unit}", meanings.rolling(-1)
        ),
        Phrase("(?:au cours des |ces |les |pendant les |dans les ){number} prochaine?s {unit}", meanings.rolling(1)),
        Phrase("{weekday}" + _PART, meanings.usual_weekday),
        Phrase("{weekday} dernier" + _PART, meanings.last_weekday()),
        Phrase("{weekday} prochain" + _PART, meanings.coming_weekday),
        Phrase("ce {weekday}" + _PART, meanings.weekday_of_week(0)),
        Phrase("{weekday} de la semaine dernière", meanings.weekday_of_week(-1)),
        Phrase("{month} {year}", meanings.yearly(meanings.month)),
        Phrase("{month} (?:de )?l'(?:an|année) " + _PAST, meanings.yearly_in(meanings.month, -1)),
        Phrase("{month} dernier", meanings.yearly(meanings.month, periods.latest_ended)),
        Phrase("{month} prochain", meanings.yearly(meanings.month, periods.next_to_start)),
        Phrase("(?:l')?(?:au )?{season} (?:de (?:l'année )?)?{year}", meanings.yearly(meanings.season)),
        Phrase("(?:l'|le )?{season} dernier", meanings.yearly(meanings.season, periods.latest_ended)),
        Phrase("cet? {season}(?! \\w+é)", meanings.yearly(meanings.season, periods.nearest)),
        Phrase("(?:l'|le )?{season} prochain", meanings.yearly(meanings.season, periods.next_to_start)),
        Phrase("{holiday} {year}", meanings.yearly(meanings.holiday)),
        Phrase("{holiday} dernier", meanings.yearly(meanings.holiday, periods.latest_ended)),
        Phrase("(?:en )?l'an(?:née)? {year}", meanings.year),
        Phrase("(?:dans )?les années {year}", meanings.decade),
        Phrase("(?:dans )?les années {figure}", meanings.decade),
        Phrase("(?:le )?{day} {month}(?:,? {year})?", meanings.yearly_date),
        Phrase("(?:le )?{ordinal} {month}(?:,? {year})?", meanings.yearly_date),
        Phrase("(?:du )?{day} (?:au|-|\u2013) {day2} {month}(?: {year})?", meanings.yearly_date),
        Phrase("{day}[/.-]{day2}[/.-]{year}", meanings.day_first_date),
        Phrase("{year}-{figure}-{day}", meanings.full_date),
    ),
    cued_phrases=(
        *BARE_NAMES,
        Phrase("(?:la |le |l'|du |de la |de l'){calendarunit}", meanings.calendar_unit(0)),
    ),
    before=(
        Modifier("en|(?:au|pendant|durant|dans)(?: le mois de| l'| le)?|au mois de|à", modifiers.same),
        Modifier("depuis(?: l'| le)?", modifiers.since),
        Modifier("après(?: l'| le)?", modifiers.following),
        Modifier("avant(?: l'| le)?", modifiers.preceding),
        Modifier("jusqu'(?:à|en|au)(?: l'| le)?", modifiers.until),
        Modifier("(?:au )?début(?: de(?: l')?| du)?", modifiers.third(0)),
        Modifier("(?:à la )?mi-|au milieu (?:de(?: l')?|du)", modifiers.third(1)),
        Modifier("(?:à la )?fin(?: de(?: l')?| du)?", modifiers.third(2)),
    ),
    after=(Modifier("(?:au |dans la )?{part}", modifiers.part_of_day),),
    ranges=(
        Connector("entre(?: le)?", "et(?: le)?"),
        Connector("de|du", "à|au|jusqu'(?:à|en|au)|-|\u2013"),
    ),
    left_alone=(
        "(?:chaque|tous les|un|les) (?:{weekday}|{season})s?",
        "(?:mon|ton|son|notre|votre|leur|ma|ta|sa) (?:derni(?:er|ère)|prochaine?|premi(?:er|ère)) \\w+",
        # The participle of "être", and the planet.
        "(?:a|ai|as|ont|avons|avez|avait|avaient|ayant|avoir|aura) été",
        "(?:planète|sur) mars",
        "{year} (?:mots|personnes|pas|pages|mètres|kilomètres|euros|dollars|fois|ans|jours)",
    ),
)
