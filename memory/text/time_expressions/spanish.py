"""Expressions of time in Spanish."""

from memory.text.time_expressions import meanings, modifiers, periods
from memory.text.time_expressions.bare_names import BARE_NAMES
from memory.text.time_expressions.language import Connector, Count, Language, Modifier, Phrase, numbered, vocabulary
from memory.text.time_expressions.periods import Holiday, Part, Season, Unit

_CARDINALS = ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce")
_PAST = "(?:pasad[oa]|anterior)"
_COMING = "(?:que viene|próxim[oa])"
_PART = "(?: (?:por|en|a) la {part})?"

SPANISH = Language(
    words={
        "month": numbered(
            "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre", 1
        ),
        "weekday": numbered("lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo", 0),
        "season": {
            "primavera": Season.SPRING,
            "verano": Season.SUMMER,
            "otoño": Season.AUTUMN,
            "invierno": Season.WINTER,
        },
        "unit": vocabulary(
            (Unit.MINUTE, "minuto|minutos"),
            (Unit.HOUR, "hora|horas"),
            (Unit.DAY, "día|días|dia|dias"),
            (Unit.WEEK, "semana|semanas"),
            (Unit.MONTH, "mes|meses"),
            (Unit.QUARTER, "trimestre|trimestres"),
            (Unit.YEAR, "año|años"),
            (Unit.DECADE, "década|décadas"),
        ),
        "calendarunit": vocabulary(
            (Unit.WEEK, "semana"),
            (Unit.WEEKEND, "fin de semana"),
            (Unit.MONTH, "mes"),
            (Unit.QUARTER, "trimestre"),
            (Unit.YEAR, "año"),
            (Unit.DECADE, "década"),
        ),
        "part": {"mañana": Part.MORNING, "tarde": Part.AFTERNOON, "noche": Part.NIGHT},
        "holiday": vocabulary(
            (Holiday.CHRISTMAS, "navidad|navidades"),
            (Holiday.CHRISTMAS_EVE, "nochebuena"),
            (Holiday.NEW_YEARS_EVE, "nochevieja"),
            (Holiday.NEW_YEAR, "año nuevo"),
            (Holiday.HALLOWEEN, "halloween"),
            (Holiday.VALENTINE, "san valentín"),
        ),
        "ordinal": vocabulary((1, "1º|1o|primero")),
        "tens": numbered("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", 20, 10),
    },
    numbers={
        **{word: Count(number, number) for number, word in enumerate(_CARDINALS, 2)},
        **vocabulary(
            (Count(1, 1), "un|una"),
            (Count(2, 3), "un par de"),
            (Count(2, 5), "unos|unas|unos pocos|unas pocas|pocos|algunos|algunas"),
            (Count(3, 7), "varios|varias"),
        ),
    },
    phrases=(
        Phrase("hoy", meanings.day(0)),
        Phrase("ayer" + _PART, meanings.day(-1)),
        Phrase("(?:anteayer|antes de ayer|antier)" + _PART, meanings.day(-2)),
        Phrase("pasado mañana", meanings.day(2)),
        Phrase("mañana" + _PART, meanings.only_ahead(meanings.day(1))),
        Phrase("en {number} {unit}", meanings.only_ahead(meanings.ago(1))),
        Phrase("anoche", meanings.day(-1, Part.NIGHT)),
        Phrase("anteanoche", meanings.day(-2, Part.NIGHT)),
        Phrase("esta {part}", meanings.day(0)),
        Phrase("el otro día", meanings.days(-7, -1)),
        Phrase("(?:(?:el|la) )?{calendarunit} " + _PAST, meanings.calendar_unit(-1)),
        Phrase("est[ea] {calendarunit}", meanings.calendar_unit(0)),
        Phrase("(?:(?:el|la) )?{calendarunit} " + _COMING, meanings.calendar_unit(1)),
        Phrase("(?:(?:el|la) )?próxim[oa] {calendarunit}", meanings.calendar_unit(1)),
        Phrase("(?:el|la) {calendarunit} antepasad[oa]", meanings.calendar_unit(-2)),
        Phrase("(?:durante |en )?el fin de semana", meanings.usual_weekend),
        Phrase("hace {number} {unit}", meanings.ago()),
        Phrase("{number} {unit} atrás", meanings.ago()),
        Phrase("dentro de {number} {unit}", meanings.ago(1)),
        Phrase("(?:en |durante )?l[oa]s últim[oa]s {number} {unit}", meanings.rolling(-1)),
        Phrase("(?:en|durante) (?:el|la) últim[oa] {unit}", meanings.rolling(-1)),
        Phrase("(?:en |durante )?l[oa]s próxim[oa]s {number} {unit}", meanings.rolling(1)),
        Phrase("el {weekday}" + _PART, meanings.usual_weekday),
        Phrase("(?:el )?{weekday} pasado" + _PART, meanings.last_weekday()),
        Phrase("el pasado {weekday}", meanings.last_weekday()),
        Phrase("este {weekday}", meanings.weekday_of_week(0)),
        Phrase("(?:el )?{weekday} que viene", meanings.coming_weekday),
        Phrase("el próximo {weekday}", meanings.coming_weekday),
        Phrase("(?:el )?{weekday} de la semana pasada", meanings.weekday_of_week(-1)),
        Phrase("{month} del? (?:año )?{year}", meanings.yearly(meanings.month)),
        Phrase("{month} {year}", meanings.yearly(meanings.month)),
        Phrase("{month} del año pasado", meanings.yearly_in(meanings.month, -1)),
        Phrase("{month} del (?:próximo año|año que viene)", meanings.yearly_in(meanings.month, 1)),
        Phrase("{month} de este año", meanings.yearly_in(meanings.month, 0)),
        Phrase("(?:el )?{month} pasado", meanings.yearly(meanings.month, periods.latest_ended)),
        Phrase("(?:el )?pasado (?:mes de )?{month}", meanings.yearly(meanings.month, periods.latest_ended)),
        Phrase("(?:el )?próximo {month}", meanings.yearly(meanings.month, periods.next_to_start)),
        Phrase("{season} del? (?:año )?{year}", meanings.yearly(meanings.season)),
        Phrase("{season} del año pasado", meanings.yearly_in(meanings.season, -1)),
        Phrase("(?:el |la )?{season} pasad[oa]", meanings.yearly(meanings.season, periods.latest_ended)),
        Phrase("est[ea] {season}", meanings.yearly(meanings.season, periods.nearest)),
        Phrase("(?:el|la) próxim[oa] {season}", meanings.yearly(meanings.season, periods.next_to_start)),
        Phrase("{holiday} del? {year}", meanings.yearly(meanings.holiday)),
        Phrase("(?:la |las )?{holiday} pasadas?", meanings.yearly(meanings.holiday, periods.latest_ended)),
        Phrase("(?:el )?año {year}", meanings.year),
        Phrase("(?:en )?los años {year}", meanings.decade),
        Phrase("(?:en )?los {year}s", meanings.decade),
        Phrase("(?:en )?los (?:años )?{figure}s?", meanings.decade),
        Phrase("(?:en )?los (?:años )?{tens}", meanings.decade),
        Phrase("(?:el )?(?:día )?{day} de {month}(?:,? del? {year})?", meanings.yearly(meanings.month_day)),
        Phrase("(?:el )?{ordinal} de {month}(?:,? del? {year})?", meanings.yearly(meanings.month_day)),
        Phrase(
            "(?:del )?{day} (?:al|a|-|\u2013) {day2} de {month}(?: del? {year})?", meanings.yearly(meanings.month_day)
        ),
        Phrase("{day}[/.-]{day2}[/.-]{year}", meanings.day_first_date),
        Phrase("{year}-{figure}-{day}", meanings.full_date),
    ),
    cued_phrases=(
        *BARE_NAMES,
        Phrase("(?:el|la|del) {calendarunit}", meanings.calendar_unit(0)),
    ),
    before=(
        Modifier("(?:en|durante)(?: el| la)?(?: mes de)?", modifiers.same),
        Modifier("desde(?: el| la)?", modifiers.since),
        Modifier("después del?(?: la)?", modifiers.following),
        Modifier("antes del?(?: la)?", modifiers.preceding),
        Modifier("hasta(?: el| la)?", modifiers.until),
        Modifier("(?:a )?(?:principios|comienzos|inicios) del?", modifiers.third(0)),
        Modifier("(?:a )?mediados del?", modifiers.third(1)),
        Modifier("(?:a )?(?:finales|fines) del?", modifiers.third(2)),
    ),
    after=(Modifier("(?:por|en) la {part}", modifiers.part_of_day()),),
    ranges=(
        Connector("entre(?: el)?", "y(?: el)?"),
        Connector("del?|desde(?: el)?", "a|al|hasta(?: el)?|-|\u2013"),
    ),
    left_alone=(
        "(?:cada|todos los|todas las|un|los|algún) (?:{weekday}|{season})",
        "(?:mi|tu|su|nuestr[oa]) (?:últim[oa]|próxim[oa]|primer[oa]?) \\w+",
        "(?:por|de|en|a|cada|toda) (?:la )?mañana|la mañana",
        "{year} (?:palabras|personas|pasos|páginas|metros|kilómetros|euros|dólares|pesos|veces|años|días)",
    ),
)
