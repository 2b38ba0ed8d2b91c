"""A model's statement stands in the words that it quotes, or is dropped: what must survive, and what must not."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.grounding.grounding import NAME, NUMBER
from memory.grounding.setting import Setting
from memory.grounding.text_names import alias_groups

SAID_AT = datetime(2026, 3, 2, 18, 10, tzinfo=ZoneInfo("Europe/Berlin"))
# The quoted words and what a model makes of them; then the whole message, and the messages before it.
GROUNDED = [
    ("I don't eat meat", "Is vegetarian."),
    ("I live in Austin, Texas", "Lives in Austin, Texas."),
    ("Ich wohne in Köln", "Lives in Cologne."),
    ("Ich esse kein Fleisch", "Is a Vegetarian."),
    ("Ich bin Lehrer", "Ist Lehrer von Beruf."),
    ("Ich liebe meine Vierbeiner", "Mag Hunde."),
    ("Meine Schwester Anna arbeitet bei Siemens", "The user's sister Anna works at Siemens."),
    ("J'habite à Londres", "Lives in London."),
    ("Vivo en Múnich", "Lives in Munich."),
    ("Моя сестра Анна живёт в Москве", "The user's sister Anna lives in Moscow."),
    ("Я познакомился с Марией в Казани", "Met Maria in Kazan."),
    ("東京に住んでいます", "Lives in Tokyo."),
    ("東京に住んでいます", "東京に住んでいる。"),
    ("田中さんと会った", "Met Tanaka."),
    ("田中さんと会った", "田中さんに会った。"),
    ("我住在北京", "Lives in Beijing."),
    ("Domani ho il dentista alle nove", "Ha il dentista il 3 marzo 2026."),
    ("Amanhã tenho dentista", "Has a dentist appointment on 3 March 2026."),
    ("Morgen moet ik naar de tandarts", "Goes to the dentist on 2026-03-03."),
    ("Jutro idę do dentysty", "Goes to the dentist on 3 March 2026."),
    ("내일 치과에 가요", "Goes to the dentist on 2026-03-03."),
    ("王伟是我的老板", "Wang Wei is the user's boss."),
    ("安娜喜欢咖啡", "Anna likes coffee."),
    ("我三十岁", "Is 30 years old."),
    ("мне тридцать два года", "Is 32 years old."),
    ("I'm thirty-two", "Is 32 years old."),
    ("ich bin zweiunddreißig", "Is 32."),
    ("J'ai trois chats", "Has 3 cats."),
    ("tengo dos hermanas", "Has two sisters."),
    ("猫を三匹飼っています", "Has three cats."),
    ("我有两只猫", "Has 2 cats."),
    ("mom lives in seattle", "The user's mother lives in Seattle."),
    ("NYC is home", "Lives in New York City."),
    ("I live in Berlin now", "Lives in Berlin, Germany."),
    ("I live in Austin", "Lives in Austin, Texas."),
    ("I'm in Austin", "Lives in Austin (TX)."),
    ("I moved to new york", "Moved to New York, USA."),
    ("NYC is home", "Lives in New York City, United States."),
    ("Ich wohne in München", "Lives in Munich, Germany."),
    ("Ich wohne in Köln", "Wohnt in Köln, Deutschland."),
    ("東京に住んでいます", "Lives in Tokyo, Japan."),
    ("I work at open ai", "Works at OpenAI."),
    ("Bob is my brother", "Robert is the user's brother."),
    ("My birthday is on the 3rd of May", "Birthday is 3 May."),
    ("I start tomorrow", "Starts on 2026-03-03."),
    ("I start next Monday", "Starts on 9 March 2026."),
    ("morgen fange ich an", "Starts on 3 March."),
    ("завтра начинаю", "Starts on 3 March."),
    ("明日から始めます", "Starts on 3 March 2026."),
    ("明天开始", "Starts on 2026-03-03."),
    ("last year I moved", "Moved in 2025."),
    ("I have a sister", "Has 1 sister."),
    ("we got twins", "Has two children."),
    ("Half past eight is my bedtime", "Goes to bed at 8:30."),
    ("I'm from Spain", "Is Spanish."),
    ("Ich bin Deutsche", "Is German."),
    ("soy vegetariana", "Is a vegetarian."),
    ("I run the company", "Is CEO of the company."),
    ("I write code for a living", "Works as a Software Engineer."),
    ("Makesh called", "Mukesh called the user."),
    ("We watched it on Ivan's TV", "Watched it on Ivan's TV."),
    ("Wir feiern Weihnachten", "Celebrates Christmas."),
    ("Yes!", "Lives in Berlin.", "Yes!", ("Do you live in Berlin?",)),
    ("Five years", "Has been at Siemens for five years.", "Five years", ("How long have you been at Siemens?",)),
    ("He moved to Berlin", "Tom moved to Berlin.", "He moved to Berlin", ("Tom called today.",)),
    ("lives in Berlin now", "Anna lives in Berlin.", "Anna, my sister, lives in Berlin now"),
    ("Vive en Madrid", "Ana lives in Madrid.", "Vive en Madrid", ("Mi hermana se llama Ana.",)),
    ("大阪に住んでいます", "田中さんは大阪に住んでいる。", "大阪に住んでいます", ("田中さんは元気？",)),
    ("Er wohnt in Wien", "Tom wohnt in Wien.", "Er wohnt in Wien", ("Tom ist umgezogen.",)),
    ("My sister got married", "Anna got married.", "My sister got married", ("Anna is my sister",)),
    ("I love it there", "Loves Lisbon.", "I love it there", ("I moved to Lisbon",)),
    ("I'm allergic to nuts", "Is allergic to nuts."),
    ("I work from home", "Works from home."),
    ("Il travaille chez Renault", "Paul travaille chez Renault.", "Il travaille chez Renault", ("Paul va bien",)),
    ("Sarah is CEO of TechStartup Inc", "Sarah is CEO of TechStartup Inc."),
    ("работаю в Яндексе", "Works at Yandex."),
    ("Я живу в Берлине", "Lives in Berlin."),
    ("мой друг Сергей", "Sergey is the user's friend."),
    ("Paris is where I live", "Vive en París."),
    ("I moved to Munich", "Wohnt in München."),
    ("私はシアトルの水族館で働いています", "Works at the Seattle Aquarium."),
    ("El 5 de mayo me mudo a Sevilla", "Moves to Seville on 5 May."),
    ("j'ai 1800 euros", "Has 1,800 euros."),
    ("I get up at five every day", "Gets up at 5:00."),
    ("um halb neun stehe ich auf", "Gets up at 8:30."),
    ("Mein Chef heißt Müller", "Mueller is the user's boss."),
    ("I've got a Golden Retriever called Rex", "Has a golden retriever named Rex."),
    ("the third of June is our anniversary", "Anniversary is on June 3."),
    ("I hate Mondays", "Hates Mondays."),
    ("my dog is a labrador", "Has a Labrador."),
    ("on parle français à la maison", "Speaks French at home."),
    ("我说德语", "Speaks German."),
    ("otuz iki yaşındayım", "32 yaşında."),
    ("Üç çocuğum var", "Has three children."),
    ("12 Mayıs'ta doğdum", "Birthday is 12 May."),
    ("Ablam Ayşe İzmir'e taşındı", "Ayşe İzmir'de yaşıyor."),
    ("고양이 세마리 키워요", "고양이 3마리를 키운다."),
    ("서른두 살이에요", "Is 32 years old."),
    ("생일은 5월 12일이에요", "Birthday is 12 May."),
    ("제 동생은 지은이예요", "The user's sibling is Ji-eun."),
    ("عمري اثنان وثلاثون عاما", "Is 32 years old."),
    ("عندي ثلاث قطط", "Has 3 cats."),
    ("أعمل مع محمد", "Works with Mohammed."),
    ("أختي تعيش بدبي", "The user's sister lives in Dubai."),
    ("मैं बत्तीस साल का हूँ", "Is 32 years old."),
    ("मेरा जन्मदिन 12 मई को है", "Birthday is 12 May."),
    ("मैं राहुल के साथ काम करता हूँ", "Works with Rahul."),
    ("Ho trentadue anni", "Is 32 years old."),
    ("Tenho trinta e dois anos", "Tem 32 anos."),
    ("Ik ben tweeëndertig", "Is 32 years old."),
    ("Jag har tre katter", "Has three cats."),
    ("Мені тридцять два роки", "Is 32 years old."),
    ("Pracuję z Tomkiem w Krakowie", "Works with Tomek in Kraków."),
    ("Urodziłam się 12 maja", "Birthday is 12 May."),
    ("אני עובד עם משה", "Works with Moshe."),
    ("живу с Иваном", "Lives with Ivan."),
    ("トヨタで働いています", "Works at Toyota."),
    ("She is in her thirties", "Is in her 30s."),
    ("I work in Berlin", "Works for a Berlin-based firm."),
]
INVENTED = [
    ("Domani ho il dentista alle nove", "Ha il dentista il 9 marzo 2026."),
    ("I love walnuts", "Starts at Seattle Aquarium."),
    ("I love walnuts", "The user starts at the Seattle Aquarium on 3 May."),
    ("The walnuts were great", "Works at the Monterey Bay Aquarium."),
    ("Ich esse gern Walnüsse", "Arbeitet im Aquarium in Seattle."),
    ("Ich esse gern Walnüsse", "Works with Anna."),
    ("I love walnuts", "Lives in Berlin.", "I love walnuts", ("I visited Berlin",)),
    ("I have two cats", "Has three cats."),
    ("I have two cats", "Has 5 cats."),
    ("I'm 34", "Is 43 years old."),
    ("I start tomorrow", "Starts on 5 May."),
    ("I live in Austin", "Lives in Boston."),
    ("I live in Paris", "Lives in Paris, Texas."),
    ("I live in Berlin", "Lives in Berlin, Austria."),
    ("I live in Berlin", "Lives in Berlin, and was born in Germany."),
    ("I live in Berlin", "Lives in Munich, Germany."),
    ("I live there", "Lives in Germany."),
    ("Anna called", "Maria called."),
    ("くるみを食べました", "シアトルで働いている。"),
    ("くるみを食べました", "Works in Seattle."),
    ("我喜欢核桃", "Lives in Berlin."),
    ("我喜欢核桃", "住在上海。"),
    ("Я люблю орехи", "Живёт в Москве."),
    ("Я люблю орехи", "Lives in Moscow."),
    ("J'aime les noix", "Habite à Lyon."),
    ("me gustan las nueces", "Vive en Sevilla."),
    ("me gustan las nueces", "Works at Google."),
    ("I had walnuts", "Tom starts at the Seattle aquarium.", "I had walnuts. Tom starts at the Seattle Aquarium."),
    ("I had walnuts", "Works at Google.", "While Tom told me about Google, I had walnuts"),
    ("I met Martin", "Met Martina."),
    ("Мне 30 лет", "Is 40 years old."),
    ("猫を三匹飼っています", "Has four cats."),
    ("ich habe drei Katzen", "Hat vier Katzen."),
    ("j'ai trois chats", "A quatre chats."),
    ("I earn 1800", "Earns 18000."),
    ("田中さんと会った", "佐藤さんに会った。"),
    ("Ich wohne in Köln", "Wohnt in Hamburg."),
    ("I like jazz", "Likes jazz, and plays it with Quentin."),
    ("iki kedim var", "Has 3 cats."),
    ("서른두 살이에요", "Is 42 years old."),
    ("عندي ثلاث قطط", "Has 5 cats."),
    ("أعمل مع محمد", "Works with Layla."),
    ("मैं राहुल के साथ काम करता हूँ", "Works with Vikram."),
    ("Ho tre gatti", "Has 4 cats."),
    ("Pracuję z Markiem", "Works with Mariusz."),
    ("Urodziłam się 12 maja", "Birthday is 12 June."),
    ("living with Ivanova", "Lives with Igor."),
    ("My aunt dotes on cats", "Has 10 cats."),
    ("Das bin ich", "Earns 1000 euros."),
    ("I work in Berlin", "Works for a Munich-based firm."),
]


BERLIN = Setting("Europe/Berlin", "en")


def ground(span, text=None, before=(), setting=BERLIN):
    """The ground of a statement that quotes these words."""
    return setting.quoted(span, text or span, list(before), SAID_AT)


@pytest.mark.parametrize("case", GROUNDED, ids=lambda case: f"{case[0]} > {case[1]}")
def test_what_was_said_in_other_words_survives(case):
    span, statement, *said = case
    assert ground(span, *said).faults(statement) == []


@pytest.mark.parametrize("case", INVENTED, ids=lambda case: f"{case[0]} > {case[1]}")
def test_a_name_or_number_that_was_not_said_is_found(case):
    span, statement, *said = case
    assert ground(span, *said).faults(statement)


def test_a_fault_tells_its_kind_and_nothing_that_was_said():
    assert ground("I love walnuts").faults("Starts at the Seattle Aquarium on 3 May.") == [NAME, NUMBER]


def test_names_of_the_user_and_of_known_entities_need_not_be_said():
    setting = Setting("UTC", "en", frozenset({"Mia Berg"}), alias_groups([["Juniper", "June"], ["Lighthouse", "LH"]]))
    assert ground("I met June", setting=setting).faults("Mia met Juniper.") == []
    assert ground("LH ships", setting=setting).faults("The Lighthouse project ships.") == []
    assert ground("I met Ann", setting=setting).faults("Mia met Juniper.") == [NAME]


@pytest.mark.parametrize(
    ("declared", "faults"),
    [
        (("place", "Austin, Texas"), []),
        (("place", "Texas"), [NAME]),
        (("org", "Acme Corporation"), [NAME]),
        (("person", "Mom"), []),
        (("thing", "Walnut"), []),
        (("person", "用户"), []),
        (("person", "Benutzer"), []),
        (("project", "Austin flat"), []),
    ],
)
def test_the_entities_of_a_statement_stand_as_well(declared, faults):
    assert ground("I live in Austin").faults("Lives in Austin.", [declared]) == faults


def test_the_state_of_a_city_that_was_told_is_an_entity_of_its_statement():
    assert ground("I live in Austin").faults("Lives in Austin, Texas.", [("place", "Austin, Texas")]) == []
    assert ground("I live in Paris").faults("Lives in Paris, Texas.", [("place", "Paris, Texas")]) == [NAME]


@pytest.mark.parametrize(
    ("span", "statement", "shares"),
    [
        ("I don't eat meat", "Is vegetarian.", False),
        ("I don't eat meat", "Eats no meat.", True),
        ("Ich bin Vegetarier", "Is a vegetarian.", True),
        ("Ich wohne in Köln", "Lives in Cologne.", True),
        ("I love walnuts", "Works at night.", False),
    ],
)
def test_a_statement_that_shares_no_word_is_told_apart(span, statement, shares):
    assert ground(span).shares_a_word(statement) == shares
