"""Requests that frontends make for themselves are told from what a person says."""

# ruff: noqa: RUF001  # letters of other languages
import pytest
from pydantic import ValidationError

from memory.proxy.reading.background import maker_of
from memory.proxy.reading.transcript import read_transcript
from schemas.settings import Settings
from tests.processes.recordings import BACKGROUND, NOT_BACKGROUND


@pytest.mark.parametrize("messages", BACKGROUND.values(), ids=BACKGROUND)
def test_requests_of_frontends_are_recognised(messages):
    assert maker_of(read_transcript(messages)) == "frontend"


@pytest.mark.parametrize("messages", NOT_BACKGROUND.values(), ids=NOT_BACKGROUND)
def test_what_a_person_asks_is_no_background(messages):
    assert maker_of(read_transcript(messages)) == "person"


def test_an_operator_registers_prompts_as_they_are_set(monkeypatch):
    monkeypatch.setenv(
        "PATROL_PROXY_TASK_PROMPTS", '["Name this talk in Dutch, briefly:\\n{{MESSAGES:END:2}}\\nName:"]'
    )
    prompts = Settings().proxy_task_prompts
    asked = {"role": "user", "content": "Name this talk in Dutch, briefly:\nMy cat is called Minka.\n\nName:"}
    said = {"role": "user", "content": "Name this talk in Dutch, please."}
    assert maker_of(read_transcript([asked]), prompts) == "frontend"
    assert maker_of(read_transcript([asked])) == maker_of(read_transcript([said]), prompts) == "person"
    monkeypatch.setenv("PATROL_PROXY_TASK_PROMPTS", '["Title: {{prompt}}"]')
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    ("words", "maker"),
    [
        ("My name is Ann.", "unsure"),
        ("Give this conversation a title for my list. Only return the title.", "frontend"),
        ("Which topic is it?", "frontend"),
        ("Follow-up question: where does my sister live?\nStandalone question:", "frontend"),
        ("Classify the feeling, as in 'I hate my job'. Give me one word.", "frontend"),
    ],
)
def test_a_person_may_speak_beside_quoted_talk(words, maker):
    quoted = "<conversation_history>\nUser: Hello.\nAssistant: Hello!\n</conversation_history>"
    assert maker_of(read_transcript([{"role": "user", "content": f"{quoted}\n\n{words}"}])) == maker


@pytest.mark.parametrize(
    ("label", "maker"), [("FINAL SUMMARY:", "unsure"), ("My answer:", "person"), ("Here is my answer:", "person")]
)
def test_what_ends_with_a_label_of_the_answer_may_be_a_programs(label, maker):
    asked = f"Shorten this.\n\nMy sister moves to Bergen.\n\n{label}"
    assert maker_of(read_transcript([{"role": "user", "content": asked}])) == maker


def test_what_begins_with_a_whole_sentence_of_a_prompt_may_be_either():
    asked = "You have been provided with a set of responses from various models to the latest user query: mine, haha."
    assert maker_of(read_transcript([{"role": "user", "content": asked}])) == "unsure"


TALK = [{"role": "user", "content": "My cat is called Minka."}, {"role": "assistant", "content": "A lovely name."}]


@pytest.mark.parametrize(
    "asked",
    [
        "Erstelle einen kurzen Titel (maximal 5 Wörter) für dieses Gespräch. Gib nur den Titel aus.",
        "Faites un résumé de la discussion en moins de 200 mots.",
        "Fassen Sie unsere Diskussion kurz in 200 Wörtern oder weniger zusammen.",
        "Résume la conversation ci-dessus en moins de 100 mots, sans commentaire.",
        "Utilisez quatre mots pour donner le sujet de cette phrase, sans ponctuation.",
        "Genera un título breve para esta conversación. Devuelve solo el título, sin comillas.",
        "Gere um título curto para esta conversa. Responda apenas com o título.",
        "Rispondi solo con il titolo: genera un titolo di 5 parole per questa conversazione.",
        "Maak een korte titel van maximaal vijf woorden voor dit gesprek. Geef alleen de titel.",
        "Wygeneruj krótki tytuł tej rozmowy. Zwróć tylko tytuł.",
        "Сделай краткое резюме этого разговора, не более 200 слов. Выведи только текст резюме.",
        "Bu sohbet için en fazla 5 kelimelik kısa bir başlık oluştur. Sadece başlığı döndür.",
        "根据对话内容生成3个后续问题，仅以JSON格式返回。",
        "これまでの会話を200文字以内で要約してください。要約のみを返してください。",
        "会話を簡潔にまとめてください。200字以内に抑えてください。",
        "이 대화에 대한 짧은 제목을 생성해 주세요. 제목만 출력하세요.",
        "أنشئ عنوانًا قصيرًا لهذه المحادثة. أعد العنوان فقط.",
        "Hãy tạo một tiêu đề ngắn cho cuộc trò chuyện này. Chỉ trả về tiêu đề.",
        "In five words or fewer, what is this conversation about? Respond with the title only.",
        "Write a brief summary of the roleplay so far, in past tense. Do not continue the story.",
        "Translate the following text into German. Only return the translation.\n\nMy cat is called Minka.",
        "Suggest three short follow-up questions the user could ask next. Return only a list in JSON.",
        "Suggest 3 short follow-up questions I might ask next. Return a JSON array of strings only.",
        "Analyze the following roleplay scene and return a memory. You must respond with ONLY valid JSON for the chat.",
        # What only begins like a template
        "Transcribe this audio exactly as spoken in Dutch. Do not translate it, my grandmother Ans is on it.",
        "Based on the chat history, give this conversation a rating. Keep it short. Here's the conversation: no.",
    ],
)
def test_what_an_unknown_frontend_asks_for_may_be_either_in_any_language(asked):
    assert maker_of(read_transcript([*TALK, {"role": "user", "content": asked}])) == "unsure"


@pytest.mark.parametrize(
    "said",
    [
        "Kannst du mir einen Titel für mein Buch vorschlagen?",
        "Wie war dein Gespräch mit Leo? Antworte ehrlich.",
        "Ich habe die Diskussion mit Tom beendet, ohne das Thema Urlaub zu nennen.",
        "Ich kann keine Nachrichten mehr schreiben, das Thema macht mich nur traurig.",
        "Faites attention : dans cette phrase, le sujet est sans article.",
        "Vous faites toujours des messages sans sujet.",
        "友達とのチャットをまとめて消しました。質問だけ残りました。",
        "我今天和妈妈的对话让我很难过，她只是说不要。",
        "Review past conversations and suggest two possible next responses to my sister - I want to sound kind.",
        "[OOC: Answer me out of character! Considering that my father died in May, write me a letter to my sister.]",
        "You are a title builder. I heard so from Leo, who bakes.",
        "Summarize what you know of me.",
        "Our chat yesterday made me happy. Write me again, only if you want.",
        f"Our conversation helped. {'I thought of it. ' * 30}Please name my cat. {'She is kind. ' * 30}One word.",
    ],
)
def test_what_people_say_of_talk_is_theirs(said):
    assert maker_of(read_transcript([*TALK, {"role": "user", "content": said}])) == "person"


SCENE = "=== SCENE TRANSCRIPT ===\nAnn: My cat is called Minka.\n\n=== END SCENE ==="


CHOSEN = "choose a word that best represents a character's outfit description, action, or emotion in their dialogue."
TOLD_BY_NAMES = '<message author="user">Hi.</message>\n<message author="a1">Ho.</message>'


@pytest.mark.parametrize(
    ("system", "asked"),
    [
        ("Re-summarize this summaries.", "A summary.\n\nAnother one."),
        (f"From the list below, {CHOSEN}\n\nlist: happy \noutput only one word.", "She smiles."),
        ("Review past conversations and suggest 4 possible next responses for Ann.\n\n- Hm.", "Mira:Hi.,Ann:Ho."),
        ("You are a Scene Tracker Assistant, tasked to keep a tracker for a roleplay. Be exact.", "Ann: Hi."),
        ("Write a short label describing what this block of agent activity accomplished. Be brief.", "Header:"),
        ("You write the short status line a chat app shows while an AI assistant is working. Be brief.", "Status:"),
        (
            "You are a conversation summarizer. Produce a concise summary that preserves key facts, decisions, code.",
            "Hi.",
        ),
        (
            "You are a memory observer for a personalized AI assistant. Be exact.",
            "Recent conversations to analyze:\nHi.",
        ),
        ("You are a title builder.", "Build a title for:\nHi."),
        ("You are a conversation group naming assistant.\nGoal: a name", "Conversation titles:\n- Cats"),
        ("You are a sidecar that extracts 0-4 quick-reply suggestions from the last assistant message.", "Hi."),
    ],
)
def test_what_a_system_line_asks_for_of_the_material_below_it_is_no_talk(system, asked):
    lines = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
    assert maker_of(read_transcript(lines)) == "frontend"


@pytest.mark.parametrize(
    "asked",
    [
        "(Summarise the scene at this moment in time. Include descriptions of scene, each character, their appearance)",
        f"Return a memory of this scene as JSON.\n\n{SCENE}",
        "Pause your roleplay. Describe Mira's plans at the current moment.\n\nFollow the next rules:\n- Two points",
        "[OOC: Answer me out of Character! Considering the last response, write me a list of the clothes.]",
        "Write the next message as Ann. Follow the requested perspective, narration style, and constraints exactly.",
        "Review the completed conversation turn and decide whether long-term memory should change.\n\nuser: Hi.",
        "Transcribe this audio exactly as spoken in Dutch. Do not translate it.",
        "Based on the chat history, give this conversation a name. Keep it short. Here's the conversation The name is:",
        "[OOC: Answer me out of Character! Considering where we are currently in the story, write me a list.]",
        "使用四到五個字直接返回這句話的簡要主題，不要解釋，如果沒有主題，請直接返回“閒聊”",
    ],
)
def test_what_companions_and_their_extensions_ask_for_is_no_talk(asked):
    assert maker_of(read_transcript([*TALK, {"role": "user", "content": asked}])) == "frontend"


@pytest.mark.parametrize("talk", [TOLD_BY_NAMES, "<user>Hi.</user>\n<assistant>Ho.</assistant>"])
def test_talk_that_is_quoted_in_tags_is_told_by_its_speakers(talk):
    asked = f"<conversation_history>\n{talk}\n</conversation_history>\n\nChoose who speaks."
    assert maker_of(read_transcript([{"role": "user", "content": asked}])) == "frontend"


def test_what_libraries_of_agents_ask_for_is_no_talk():
    """LangMem shortens the talk, LlamaIndex makes a question of it that stands alone, CrewAI plans what it is to do."""
    extended = (
        "This is summary of the conversation so far: A cat.\n\nExtend this summary by taking into account the new"
    )
    condensed = (
        "Given a conversation (between Human and Assistant) and a follow up message from Human, rewrite the message"
    )
    planned = (
        "Based on these tasks summary: a cat \n Create the most descriptive plan based on the tasks descriptions, tools"
        " available, and agents' goals for them to execute their goals with perfection."
    )
    for asked in (
        "Create a summary of the conversation above:",
        f"\nCurrent Task: {planned}\n\nProvide your complete response:",
        f"{extended} messages above:",
        f"{condensed} to be a standalone question.\n\n<Follow Up Message>\nHow old?\n\n<Standalone question>\n",
    ):
        assert maker_of(read_transcript([*TALK, {"role": "user", "content": asked}])) == "frontend"
    assert (
        maker_of(read_transcript([*TALK, {"role": "user", "content": "Create a summary of it for my mother."}]))
        == "person"
    )


def test_prompts_of_coding_agents_and_gpt4all_are_known():
    title = (
        "Generate a concise 3-7 word title for this conversation, omitting punctuation. Go straight to the title,"
        " without any preamble and prefix like `Here's a concise suggestion:...` or `Title:`"
    )
    diagram = (
        "Analyze the conversation and call draw to assess diagram relevance and generate PlantUML if highly relevant."
    )
    for asked in (title, "Describe the above conversation in seven words or less.", diagram):
        assert maker_of(read_transcript([*TALK, {"role": "user", "content": asked}])) == "frontend"
    for system in (
        "You are a title generator. You output ONLY a thread title. Nothing else.",
        "You are an expert in crafting pithy titles for chatbot conversations. Reply with one.",
        "Generate a short chat title (2-5 words) summarizing the user's message.\n\nOutput ONLY the title text.",
    ):
        assert maker_of(read_transcript([{"role": "system", "content": system}, *TALK[:1]])) == "frontend"
    kobold = "A cat.\n### Instruction:\nSummarize the above text in a single paragraph of up to ten detailed sentences."
    assert maker_of(read_transcript([{"role": "user", "content": f"{kobold}\n### Response:\n"}])) == "frontend"


@pytest.mark.parametrize(
    ("system", "maker"),
    [
        ("Create a 3-5 word title for the user's message. Respond with the title only.", "unsure"),
        ("Erstelle einen kurzen Titel für dieses Gespräch, höchstens fünf Wörter, nur den Titel.", "unsure"),
        ("You are Title, the talking cat. Answer only in rhyme in this chat.", "person"),
        ("You are a helpful assistant. Give short answers only. Summarize the conversation when asked.", "person"),
        ("Create a warm chat. Answer the user's messages in two sentences, without lists. Remember facts.", "person"),
    ],
)
def test_a_system_line_may_ask_for_a_title_of_the_only_line(system, maker):
    lines = [{"role": "system", "content": system}, *TALK, TALK[0]]
    assert maker_of(read_transcript(lines[:2])) == maker
    assert maker_of(read_transcript(lines)) == "person"
