"""The chats of other programs are read by the names that they give to their fields."""

import io
import json
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from memory.intake.importers import claude, exported_chat, transcripts
from memory.intake.importers.entries import (
    NOT_UTF8,
    Conversation,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    UnreadableEntry,
)

QUESTION, ANSWER = "My dog is Rex.", "Rex! How old is he?"
SAID = [("user", QUESTION), ("assistant", ANSWER)]
ASKED, ANSWERED = "2026-03-02T10:00:00Z", "2026-03-02T10:00:09Z"
ONE, TWO, CHAT = "0b5e0000-0000-4000-8000-000000000001", "0b5e0000-0000-4000-8000-000000000002", "chat-of-the-dog-01"


def read(content, name="chats.json", user=None, companion=None):
    written = content if isinstance(content, str) else json.dumps(content)
    return list(transcripts.read(ExportFile(name, io.BytesIO(written.encode())), ExportPersons(user, companion, UTC)))


def standing(entries):
    chats = [one for one in entries if isinstance(one, Conversation)]
    return [(message["role"], message["content"]) for chat in chats for message in chat.chosen]


MESSAGES = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]


def listed(question, answer, **more):
    return {**more, "messages": [question, answer]}


REJECTION = f"The user doesn't want to proceed with this tool use. To tell you how, the user said:\n{QUESTION}"
CONTEXT = "<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>"


def lines(*records):
    return "\n".join(map(json.dumps, records))


def record(kind, **payload):
    return {"timestamp": ASKED, "type": kind, "payload": payload}


def call(name, message):
    return {"function": {"name": name, "arguments": json.dumps({"message": message})}}


LIBRECHAT = {
    "conversationId": CHAT,
    "recursive": True,
    "messages": [
        {
            "messageId": ONE,
            "parentMessageId": "00000000-0000-0000-0000-000000000000",
            "conversationId": CHAT,
            "sender": "Ann",
            "isCreatedByUser": True,
            "text": QUESTION,
            "createdAt": ASKED,
            "children": [
                {
                    "messageId": TWO,
                    "sender": "GPT",
                    "isCreatedByUser": False,
                    "text": "",
                    "content": [{"type": "think", "think": "A dog."}, {"type": "text", "text": ANSWER}],
                    "children": [],
                }
            ],
        }
    ],
}
DEEPSEEK = {
    "id": CHAT,
    "mapping": {
        "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
        "1": {"id": "1", "parent": "root", "message": {"fragments": [{"type": "REQUEST", "content": QUESTION}]}},
        "2": {
            "id": "2",
            "parent": "1",
            "message": {
                "inserted_at": "2026-03-02T18:00:09.500000+08:00",
                "fragments": [{"type": "THINK", "content": "A dog."}, {"type": "RESPONSE", "content": ANSWER}],
            },
        },
    },
}
GROK = {
    "conversations": [
        {
            "conversation": {"id": CHAT, "create_time": ASKED},
            "responses": [
                {"response": {"_id": ONE, "sender": "human", "message": QUESTION, "parent_response_id": None}},
                {
                    "response": {
                        "_id": TWO,
                        "sender": "ASSISTANT",
                        "message": ANSWER,
                        "create_time": {"$date": {"$numberLong": "1772445609000"}},
                        "parent_response_id": ONE,
                    }
                },
            ],
        }
    ]
}
LM_STUDIO = {
    "createdAt": 1772445600000,
    "messages": [
        {"versions": [{"type": "singleStep", "role": "user", "content": [{"type": "text", "text": QUESTION}]}]},
        {
            "currentlySelected": 0,
            "versions": [
                {
                    "type": "multiStep",
                    "role": "assistant",
                    "steps": [
                        {
                            "type": "contentBlock",
                            "content": [{"type": "text", "text": "A dog."}],
                            "style": {"type": "thinking"},
                        },
                        {"type": "contentBlock", "content": [{"type": "text", "text": ANSWER}]},
                    ],
                },
                {"type": "singleStep", "role": "assistant", "content": [{"type": "text", "text": "No."}]},
            ],
        },
    ],
}
FORMS = {
    "LibreChat": LIBRECHAT,
    "DeepSeek": [DEEPSEEK],
    "Grok": GROK,
    "LM Studio": LM_STUDIO,
    "RisuAI": {
        "type": "risuChat",
        "ver": 2,
        "data": {"message": [{"role": "user", "data": QUESTION, "chatId": "a"}, {"role": "char", "data": ANSWER}]},
    },
    "Agnai": listed(
        {"_id": "aaaaaaaa", "userId": "anon", "handle": "Ann", "msg": QUESTION, "createdAt": ASKED},
        {"_id": "bbbbbbbb", "characterId": "imported", "handle": "Mira", "msg": ANSWER, "parent": "aaaaaaaa"},
        greeting="Hello.",
    ),
    "Backyard": listed(
        {"type": "human", "text": QUESTION, "createdAt": ASKED},
        {
            "type": "ai",
            "outputs": [
                {"text": ANSWER, "createdAt": ASKED, "activeTimestamp": "2026-03-02T10:00:09.000Z"},
                {"text": "No.", "createdAt": ASKED, "activeTimestamp": "2026-03-02T10:00:02.000Z"},
            ],
        },
        exampleMessages=[{"characterID": "mira", "text": "An example."}],
    ),
    "TypingMind": {
        "data": {"chats": [listed({"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER})]}
    },
    "LobeChat": {
        "exportType": "all",
        "state": listed(
            {"id": "msg_question_0001", "role": "user", "content": QUESTION, "topicId": "t"},
            {"id": "msg_answer_000001", "role": "assistant", "content": ANSWER, "parentId": "msg_question_0001"},
        ),
    },
    "pairs": {
        "internal": [["<|BEGIN-VISIBLE-CHAT|>", ""], [QUESTION, ANSWER]],
        "visible": [["", ""], ["My dog &amp;", "?"]],
        "metadata": {"user_1": {"timestamp": "Mar 02, 2026 10:00"}},
    },
    "a story with marks": {
        "prompt": "\n{{[INPUT]}}\n" + QUESTION,
        "actions": ["\n{{[OUTPUT]}}\nRex! How", " old is he?"],
        "savedsettings": {},
    },
    "a story with names": {
        "prompt": f"Ann: {QUESTION}",
        "actions": [f"\nMira: {ANSWER}\n"],
        "savedsettings": {"chatname": "Ann", "chatopponent": "Mira||$||Lou"},
    },
    "Gemini": [
        {"title": "Used Gemini Apps", "products": ["Gemini Apps"], "time": ANSWERED},
        {
            "title": f"Prompted {QUESTION}",
            "products": ["Gemini Apps"],
            "time": ASKED,
            "safeHtmlItem": [{"html": "<p>Rex! How <b>old</b> is he?</p>"}],
        },
    ],
    "the API's": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}, {"type": "image_url"}]},
    ],
    "big-AGI": listed(
        {"id": "q", "role": "user", "fragments": [{"ft": "content", "part": {"pt": "text", "text": QUESTION}}]},
        {
            "id": "a",
            "role": "assistant",
            "fragments": [
                {"ft": "content", "part": {"pt": "text", "text": ANSWER}},
                {"ft": "content", "part": {"pt": "error", "text": "A file."}},
                {"ft": "attachment", "part": {"pt": "doc", "data": {"idt": "text", "text": "A file."}}},
            ],
        },
    ),
    "Chatbox": listed(
        {"id": "q", "role": "user", "contentParts": [{"type": "text", "text": QUESTION}]},
        {"id": "a", "role": "assistant", "contentParts": [{"type": "reasoning", "text": "A dog."}, {"text": ANSWER}]},
    ),
    "LangChain": [
        {"type": "human", "data": {"type": "human", "content": QUESTION}},
        {"type": "tool", "data": {"type": "tool", "content": "A dog."}},
        {"type": "human", "data": {"type": "human", "content": "Forget it."}, "deleted": True},
        {"type": "ai", "data": {"type": "ai", "content": ANSWER, "tool_calls": []}},
    ],
    "LangChain's rows": [
        {"session_id": "s", "message": {"type": "human", "data": {"content": QUESTION}}},
        {"session_id": "s", "message": {"type": "ai", "data": {"content": ANSWER}}},
    ],
    "Chatbox's topics": {"id": CHAT, "messages": MESSAGES[1:], "threads": [{"id": "t", "messages": MESSAGES[:1]}]},
    "AI Studio": {
        "messages": [
            {"role": "user", "text": QUESTION},
            {"role": "model", "text": "A dog.", "isThought": True},
            {"role": "model", "parts": [{"text": "A dog.", "thought": True}, {"text": ANSWER}]},
        ],
    },
    "exchanges": [
        {"id": 1, "username": "ann", "prompt": QUESTION, "response": ANSWER, "sent_at": "3/2/2026, 6:30:00 PM"}
    ],
    "a page of exchanges": {
        "limit": 20,
        "data": [{"id": "e", "conversation_id": CHAT, "query": QUESTION, "answer": f"<think>A dog.</think>{ANSWER}"}],
    },
    "parts apart": {
        "indexedDB": {
            "topics": [
                {
                    "id": CHAT,
                    "messages": [
                        {"id": ONE, "role": "user", "blocks": ["q"], "createdAt": ASKED},
                        {"id": TWO, "role": "assistant", "blocks": ["t", "a", "i"], "askId": ONE},
                    ],
                }
            ],
            "message_blocks": [
                {"id": "q", "messageId": ONE, "type": "main_text", "content": QUESTION},
                {"id": "t", "messageId": TWO, "type": "thinking", "content": "A dog."},
                {"id": "a", "messageId": TWO, "type": "main_text", "content": ANSWER},
                {"id": "i", "messageId": TWO, "type": "image", "content": "iVBORw0KGgo="},
            ],
        }
    },
    "segments": listed(
        {"id": 0, "role": "user", "segments": [{"type": "text", "text": QUESTION}]},
        {"id": 1, "role": "assistant", "segments": [{"type": "thinking", "text": "A dog."}, {"text": ANSWER}]},
    ),
    "a mark of the bot, and answers that were left or failed": {
        "chatMessages": [
            {"id": 1, "is_bot": 0, "message": QUESTION, "created_at": ASKED},
            {"id": 2, "is_bot": 1, "is_main": False, "message": "No.", "created_at": ASKED},
            {"id": 3, "is_bot": 1, "is_main": True, "message": ANSWER, "created_at": ANSWERED},
            {"id": 4, "is_bot": 1, "error": True, "message": "Unauthorized", "created_at": ANSWERED},
        ]
    },
    "ShareGPT": [
        {
            "conversations": [
                {"from": "human", "value": QUESTION},
                {"from": "function_call", "value": "{}"},
                {"from": "observation", "value": "A dog."},
                {"from": "gpt", "value": ANSWER},
            ]
        }
    ],
    "an agent's": [
        {"type": "user", "message": {"role": "user", "content": QUESTION}, "uuid": "q", "sessionId": "s"},
        {"type": "user", "message": {"role": "user", "content": "Look."}, "isSidechain": True, "sessionId": "s"},
        {"type": "user", "message": {"role": "user", "content": "/clear"}, "isMeta": True, "sessionId": "s"},
        {"type": "assistant", "message": {"role": "assistant", "content": ANSWER}, "uuid": "a", "sessionId": "s"},
    ],
    "an editor's requests": {
        "requests": [
            {
                "requestId": "q",
                "message": {"text": QUESTION, "parts": []},
                "response": [
                    {"kind": "thinking", "value": "A dog."},
                    {"value": "Rex! "},
                    {"kind": "markdownContent", "content": {"value": "How old is he?"}},
                    {"kind": "toolInvocationSerialized", "invocationMessage": "A file."},
                ],
                "responseId": "a",
                "timestamp": 1772445600000,
            }
        ]
    },
    "pairs as a history": {"history": [[QUESTION, ANSWER]]},
    "sides as a history": {"history": [["user", QUESTION], ["assistant", ANSWER]]},
    "a history beside messages": listed(*MESSAGES, history=[["move", "undo"]]),
    "a mark of who operates": listed(
        {"role": "user", "author": {"is_human": True}, "content": QUESTION},
        {"role": "assistant", "author": {"is_human": True}, "content": ANSWER},
    ),
    "a companion with an event's name": listed(
        {"sender": "user", "text": QUESTION}, {"sender": "Call", "text": ANSWER}
    ),
    "marks that say no": listed(
        {"role": "user", "content": QUESTION, "deleted": "n"}, {"role": "assistant", "content": ANSWER, "deleted": "-"}
    ),
    "Zep": listed(
        {"uuid": "q", "role": "Ann", "role_type": "user", "content": QUESTION},
        {"uuid": "a", "role": "Wren", "role_type": "assistant", "content": ANSWER},
    ),
    "Letta": [
        {"id": "q", "message_type": "user_message", "content": QUESTION},
        {"id": "t", "message_type": "reasoning_message", "reasoning": "A dog."},
        {"id": "a", "message_type": "assistant_message", "content": ANSWER},
    ],
    "a log of two records for each message": lines(
        {"type": "session_meta", "payload": {"id": CHAT, "instructions": "Be kind."}},
        record("response_item", role="user", content=[{"type": "input_text", "text": CONTEXT}]),
        record("response_item", role="user", content=[{"type": "input_text", "text": QUESTION}]),
        record("event_msg", type="user_message", message=QUESTION),
        record("event_msg", type="agent_reasoning", text="A dog."),
        record("event_msg", type="agent_message", message=ANSWER),
        record("response_item", role="assistant", content=[{"type": "output_text", "text": ANSWER}]),
        record("compacted", message="A dog.", replacement_history=[]),
    ),
    "a log of events alone": lines(
        record("event_msg", type="user_message", message=QUESTION),
        record("event_msg", type="agent_message", message=ANSWER),
    ),
    "a log with other records": lines(
        {"type": "summary", "summary": "A dog."},
        {"type": "user", "message": {"content": f"<command-name>/clear</command-name>\n{QUESTION}"}, "uuid": "q"},
        {"type": "attachment", "uuid": "l", "parentUuid": "q", "attachment": {"type": "hook"}},
        {"type": "assistant", "message": {"model": "<synthetic>", "content": "No."}, "uuid": "s", "parentUuid": "l"},
        {"type": "assistant", "message": {"content": ANSWER}, "uuid": "a", "parentUuid": "s"},
        {"type": "assistant", "message": {"content": "API Error"}, "isApiErrorMessage": True, "parentUuid": "a"},
    ),
    "answers to an agent's questions": lines(
        {"type": "user", "message": {"content": "Hm"}, "uuid": "h", "isMeta": True},
        {
            "type": "user",
            "uuid": "q",
            "message": {"content": [{"type": "tool_result", "content": f'User has answered: "Who?"="{QUESTION}"'}]},
            "toolUseResult": {"questions": [{"question": "Who?"}], "answers": {"Who?": QUESTION}},
        },
        {"type": "user", "uuid": "w", "message": {"content": [{"type": "tool_result", "content": REJECTION}]}},
        {"type": "assistant", "message": {"content": ANSWER}, "uuid": "a"},
    ),
    "a reason to reject a call": lines(
        {
            "type": "user",
            "uuid": "q",
            "message": {"content": [{"type": "tool_result", "is_error": True, "content": REJECTION}]},
        },
        {"type": "assistant", "message": {"content": ANSWER}, "uuid": "a"},
    ),
    "lines of kinds alone": lines(
        {"sessionId": "s", "startTime": ASKED},
        {"type": "info", "content": "Update available"},
        {"type": "user", "content": [{"text": QUESTION}]},
        {"type": "gemini", "content": ANSWER},
    ),
    "a program's setting up": [
        {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context for our chat."}]},
        {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
        {"role": "user", "parts": [{"text": QUESTION}]},
        {"role": "model", "parts": [{"text": ANSWER}]},
    ],
    "an agent that speaks by calls": {
        "agents": [
            {
                "id": "agent-0",
                "messages": [
                    {"id": "message-0", "role": "user", "content": json.dumps({"type": "login", "time": ASKED})},
                    {
                        "id": "message-1",
                        "role": "user",
                        "content": json.dumps({"type": "user_message", "message": QUESTION, "time": ASKED}),
                    },
                    {"role": "assistant", "content": "I save it.", "tool_calls": [call("core_memory_append", "Rex")]},
                    {"role": "tool", "content": '{"status": "OK"}'},
                    {"role": "assistant", "content": "I ask.", "tool_calls": [call("send_message", ANSWER)]},
                ],
            }
        ],
        "tools": [{"json_schema": {"properties": {"message": {"type": "string"}}}}],
    },
    "facts about a message beside it": {
        "info": {"id": CHAT},
        "messages": [
            {
                "info": {"id": "q", "role": "user", "time": {"created": 1772445600000}},
                "parts": [{"type": "text", "text": QUESTION}, {"type": "text", "text": "A file.", "synthetic": True}],
            },
            {"meta": {"nature": "Robot"}, "content": {"type": "text", "text": ANSWER}},
        ],
    },
    "a mark of what I sent": [{"text": QUESTION, "is_from_me": 1}, {"text": ANSWER, "is_from_me": "No"}],
    "kinds of authors": [
        {"text": QUESTION, "authorType": "user"},
        {"text": "A dog.", "authorType": "nomi", "channel": "analysis"},
        {"text": ANSWER, "authorType": "nomi"},
    ],
    "thoughts by their kind": [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "type": "reasoning", "content": "A dog."},
        {"role": "assistant", "content": ANSWER},
    ],
    "Character.AI's dump": {
        "histories": {
            "histories": [
                {
                    "msgs": [
                        {"src": {"is_human": True}, "text": QUESTION},
                        {"src": {"is_human": False}, "text": "No.", "is_alternative": True},
                        {"src": {"is_human": False}, "text": ANSWER},
                    ]
                }
            ]
        }
    },
    "tags of documents": listed(
        {"sender": "human", "message": QUESTION},
        {"sender": "assistant", "message": f'<xaiArtifact contentType="text/plain">{ANSWER}</xaiArtifact>'},
    ),
    "Chatwoot": {
        "messages": [
            {"message_type": "incoming", "content": QUESTION, "sender": {"type": "contact", "name": "Ann"}},
            {"message_type": "outgoing", "content": ANSWER, "sender": {"type": "user", "name": "Wren"}},
        ]
    },
    "a list of lists": [MESSAGES],
    "pages": [{"object": "list", "data": MESSAGES[:1], "has_more": True}, {"object": "list", "data": MESSAGES[1:]}],
    "a page in a thread": {"thread": {"id": CHAT}, "messages": {"object": "list", "data": MESSAGES, "has_more": False}},
    "nodes of GraphQL": {"data": {"chat": {"id": CHAT, "messages": {"edges": [{"node": one} for one in MESSAGES]}}}},
    "Rasa": {
        "sender_id": "ann",
        "latest_message": {"text": QUESTION, "intent": {"name": "inform"}},
        "events": [
            {"event": "action", "name": "action_session_start", "timestamp": 1772445600.1},
            {"event": "session_started", "timestamp": 1772445600.2},
            {"event": "user", "text": QUESTION, "timestamp": 1772445600.5, "parse_data": {"text": QUESTION}},
            {"event": "slot", "name": "dog", "value": "Rex", "timestamp": 1772445600.6},
            {"event": "bot", "text": ANSWER, "timestamp": 1772445609.5, "data": {"buttons": None}},
        ],
    },
    "pydantic-ai": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "system-prompt", "content": "Be kind."},
                {"part_kind": "user-prompt", "content": [QUESTION, {"kind": "image-url", "url": "a.png"}]},
            ],
        },
        {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "look", "args": "{}"}]},
        {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "look", "content": "A dog."}]},
        {
            "kind": "response",
            "parts": [{"part_kind": "thinking", "content": "Hm"}, {"part_kind": "text", "content": ANSWER}],
        },
    ],
    "LangChain's objects": [
        {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"type": "human", "content": QUESTION}},
        {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"type": "ai", "content": ANSWER}},
    ],
    "LlamaIndex": {
        "store": {
            "ann": [
                {
                    "role": role,
                    "blocks": [{"block_type": "image", "image": "aGk="}, {"block_type": "text", "text": text}],
                }
                for role, text in SAID
            ]
        },
        "class_name": "SimpleChatStore",
    },
    "Haystack": [{"_role": role, "_meta": {}, "_name": None, "_content": [{"text": text}]} for role, text in SAID],
    "Semantic Kernel": {
        "messages": [
            {"content_type": "message", "role": role, "items": [{"content_type": "text", "text": text}]}
            for role, text in SAID
        ]
    },
    "Semantic Kernel for .NET": [
        {"Role": {"Label": role}, "Items": [{"$type": "TextContent", "Text": text}]} for role, text in SAID
    ],
    "AutoGen": {
        "type": "RoundRobinManagerState",
        "message_thread": [
            {"source": role, "content": text, "type": "TextMessage", "models_usage": None} for role, text in SAID
        ],
    },
    "Responses": [
        MESSAGES[0],
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "A dog."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
    ],
    "Alpaca": [{"instruction": QUESTION, "input": "", "output": ANSWER}],
    "pairs in a conversation": [{"conversation_id": CHAT, "conversation": [{"human": QUESTION, "assistant": ANSWER}]}],
    "ShareGPT's items": [
        {"id": CHAT, "items": [{"from": "human", "value": QUESTION}, {"from": "gpt", "value": ANSWER}]}
    ],
    "a request and its answer": {"model": "m", "messages": MESSAGES[:1], "choices": [{"message": MESSAGES[1]}]},
    "Snapchat": {
        "mira": [
            {
                "From": "mira",
                "Media Type": "TEXT",
                "Created": "2026-03-02 10:00:09 UTC",
                "Content": ANSWER,
                "IsSender": False,
            },
            {
                "From": "ann",
                "Media Type": "TEXT",
                "Created": "2026-03-02 10:00:00 UTC",
                "Content": QUESTION,
                "IsSender": True,
            },
        ]
    },
}
# What says by names who speaks, and the name of the user.
NAMED = {
    "Google Chat": (
        "Ann",
        listed(
            {"creator": {"name": "Ann", "user_type": "Human"}, "text": QUESTION},
            {"creator": {"name": "Wren", "user_type": "Human"}, "text": ANSWER},
        ),
    ),
    "Skype": (
        "8:ann",
        {
            "conversations": [
                {
                    "id": "8:wren",
                    "MessageList": [
                        {
                            "from": "8:wren",
                            "originalarrivaltime": ANSWERED,
                            "messagetype": "RichText",
                            "content": ANSWER,
                        },
                        {"from": "8:ann", "originalarrivaltime": ASKED, "messagetype": "RichText", "content": QUESTION},
                    ],
                }
            ]
        },
    ),
    "Telegram": (
        "Ann",
        listed(
            {"id": 1, "type": "message", "from": "Ann", "text": [{"type": "mention", "text": "My dog"}, " is Rex."]},
            {"id": 2, "type": "message", "from": "Wren", "text": [{"type": "code", "text": "Rex"}, "! How old is he?"]},
            exported=[{"id": 3, "type": "service", "actor": "Ann", "text": ""}],
        ),
    ),
    "Discord": (
        "ann",
        {
            "channel": {"id": "5"},
            "messages": [
                {"type": "RecipientAdd", "content": "Added Wren.", "author": {"name": "ann", "isBot": False}},
                {"type": "Default", "content": QUESTION, "author": {"name": "ann", "isBot": False}},
                {"type": "Reply", "content": ANSWER, "author": {"name": "wren", "isBot": True}},
            ],
        },
    ),
    "Slack": (
        "U1",
        [
            {"type": "message", "text": QUESTION, "user": "U1", "ts": "1772445600.000100"},
            {"type": "message", "subtype": "channel_join", "text": "<@U2> has joined", "user": "U2"},
            {"type": "message", "text": ANSWER, "user": "U2", "ts": "1772445609.000100"},
        ],
    ),
    "Messenger": (
        "Zoë",
        [
            {"sender_name": "Wren", "timestamp_ms": 1772445609000, "content": ANSWER},
            {"sender_name": "ZoÃ«", "timestamp_ms": 1772445600000, "content": QUESTION},
            {"sender_name": "Wren", "timestamp_ms": 1772445599000, "photos": [{"uri": "a.jpg"}]},
        ],
    ),
}


@pytest.mark.parametrize("exported", FORMS.values(), ids=FORMS)
def test_what_both_said_is_read(exported):
    entries = read(exported)
    assert standing(entries) == SAID
    assert not any(isinstance(one, UnreadableEntry) or (isinstance(one, Conversation) and one.bad) for one in entries)


def test_a_persons_tags_and_openings_stand_unless_an_agents_program_writes_such():
    texts = (
        f"<context>\nI am a nurse.\n</context>\n{QUESTION}",
        "<document>\nDear diary, I met Ann.\n</document>",
        "This session is being continued from a previous conversation: I moved to Bergen.",
    )
    said = [{"id": str(number), "role": "user", "content": text} for number, text in enumerate(texts)]
    (chat,) = read({"messages": said})
    assert [message["content"] for message in chat.messages] == [*texts]
    (agents,) = read({"messages": [*said, {"id": "9", "role": "user", "content": CONTEXT}]})
    assert [message["content"] for message in agents.messages] == [QUESTION]
    assert agents.left_out == {exported_chat.INSERTED: 4}
    assert agents.conversation == chat.conversation, "the id is of what is written"


@pytest.mark.parametrize("name", ["Claude", "Gemini", "Info", "Prompt"])
def test_a_person_may_have_the_name_of_a_model_or_a_kind(name):
    said = [{"from": one, "type": "message", "text": QUESTION} for one in ("Ann", name, "Mira")]
    (chat,) = read({"messages": said}, user="Ann", companion="Mira")
    assert [message["role"] for message in chat.messages] == ["user", "other", "assistant"]


def test_of_objects_whose_names_logs_have_too_the_messages_are_read():
    for name in ("payload", "properties", "requests"):
        assert standing(read({"type": "export", name: {"messages": MESSAGES}})) == SAID
        assert standing(read({"type": "export", name: [{"messages": MESSAGES}]})) == SAID
        assert standing(read(lines(*({"type": "message", name: message} for message in MESSAGES)))) == SAID
    named = lines(
        *(record("message", **{"from": name, "text": text}) for name, (_, text) in zip("ab", SAID, strict=True))
    )
    assert standing(read(named, user="a", companion="b")) == SAID


@pytest.mark.parametrize("kind", [{"type": "thought"}, {"kind": "reasoning"}, {"channel": "analysis"}])
def test_thoughts_are_a_models_and_leave_the_ids_behind_them(kind):
    said = [MESSAGES[0] | kind, MESSAGES[1] | {"content": "A dog."}, MESSAGES[1]]
    (whole,), (chat,) = (read({"messages": [*said[:1], thought, said[2]]}) for thought in (said[1], said[1] | kind))
    assert standing([chat]) == SAID
    assert chat.messages[-1]["id"] == whole.messages[-1]["id"]
    named = [{"author": "Ann", "channel": "thoughts", "text": QUESTION}, {"author": "Mira", "channel": "thoughts"}]
    named[1]["text"] = ANSWER
    assert standing(read(named, user="Ann")) == SAID, "a channel of people has any name"


def test_what_a_log_goes_back_to_begins_another_branch():
    said = [("user", "q", None), ("assistant", "a", "q"), ("user", "left", "a"), ("user", "taken", "a")]
    log = [
        {
            "type": role,
            "message": {"content": key},
            "uuid": key,
            "parentUuid": parent,
            "sessionId": "s",
            "userType": "x",
        }
        for role, key, parent in said
    ]
    (chat,) = read(lines(*log))
    assert [message["content"] for message in chat.chosen] == ["q", "a", "taken"]
    (noted,) = read(lines({"type": "queue-operation", "content": "q", "sessionId": "s"}, *log))
    assert (noted.conversation, noted.bad, noted.left_out) == (chat.conversation, [], {exported_chat.NO_TALK: 1})
    (unclear,) = read(lines({"content": "I moved.", "sessionId": "s"}, *log))
    assert [bad.reason for bad in unclear.bad] == [exported_chat.NO_SIDE], "what a person may have said is set aside"
    # As the hook names them.
    assert chat.conversation == "claude-code/s"


def test_a_chat_that_is_only_counted_is_another_one_in_another_file():
    files = [MESSAGES, [*MESSAGES[1:], *MESSAGES]]
    chats = [read({"chats": [{"id": 1, "messages": messages}]}) for messages in files]
    assert len({chat.conversation for (chat,) in chats}) == 2


@pytest.mark.parametrize("begin", ["", "\r\n", "sep=\t\r\n", '"sep=\t"\r\n'])
def test_a_table_is_read_as_excel_writes_it_and_bytes_that_are_no_utf8_are_told(begin):
    written = f"{begin}Author\tMessage\r\nHuman\t{QUESTION}\r\nAI\t\xf0\x9f\x98\r\n".encode("latin-1")
    bad, chat = transcripts.read(ExportFile("chat.tsv", io.BytesIO(written)), ExportPersons(None, None, UTC))
    assert (bad.place, bad.reason, standing([chat])) == ("row 2", NOT_UTF8, [SAID[0], ("assistant", "\ufffd")])


def test_the_columns_of_a_table_may_have_names_of_several_words():
    rows = (f"{ASKED},Outgoing,,{QUESTION}", f'{ANSWERED},Incoming,Wren,"{ANSWER}"')
    table = "\n".join(('"Message Date",Type,Sender Name,Text,"Sent; read; seen; deleted"', *rows))
    (chat,) = read(table, "messages.csv")
    assert standing([chat]) == SAID
    assert [message["created_at"] for message in chat.messages] == [
        "2026-03-02T10:00:00+00:00",
        "2026-03-02T10:00:09+00:00",
    ]


def test_an_id_is_that_of_the_speaker_and_words_as_they_are_written():
    said = [
        {"role": "user", "name": "You", "content": QUESTION},
        {"role": "assistant", "name": "Bot", "content": ANSWER},
    ]
    (chat,) = read([{"messages": said}])
    assert [message["speaker"] for message in chat.messages] == ["You", "Bot"]
    written = {"sender_name": "Ann", "timestamp_ms": 1772445600000, "content": "Voil\u00c3\u00a0"}
    (recoded,) = read([written], user="Ann")
    (other,) = read([{"name": "Ann", "time": 1772445600000, "content": written["content"]}], user="Ann")
    assert (recoded.messages[0]["content"], recoded.messages[0]["id"]) == ("Voil\u00e0", other.messages[0]["id"])


def test_a_time_of_telegram_is_that_of_its_zone():
    said = {"from": "Ann", "date": "2026-03-02T13:00:00", "date_unixtime": "1772445600", "text": QUESTION}
    (chat,) = read([{"id": 7, "messages": [said]}], user="Ann")
    assert chat.messages[0]["created_at"] == "2026-03-02T10:00:00+00:00"


def test_a_table_may_begin_with_its_newest_row():
    table = f'Conversation,Time,Author,Message\r\nDogs,{ANSWERED},AI,"Rex!\nOld?"\r\nDogs,{ASKED},Human,{QUESTION}\r\n'
    for separator in ",;\t":
        written = "\ufeff" + table.replace(",", separator)
        (chat,) = read(written, "activity.csv")
        assert standing([chat]) == [("user", QUESTION), ("assistant", "Rex!\nOld?")]
        assert chat.conversation == "other/Dogs"


@pytest.mark.parametrize("answered_in", [0, 5])
def test_a_file_may_begin_with_its_newest_exchange(answered_in):
    exchanges = [
        [
            {"role": "user", "content": f"Q{number}", "timestamp": 1_772_445_600 + 60 * number},
            {"role": "assistant", "content": f"A{number}", "timestamp": 1_772_445_600 + 60 * number + answered_in},
        ]
        for number in (3, 2, 1)
    ]
    listed = [one for exchange in exchanges for one in exchange]
    expected = [(one["role"], one["content"]) for exchange in reversed(exchanges) for one in exchange]
    assert standing(read([{"messages": listed}])) == expected
    by_message = [one for exchange in exchanges for one in reversed(exchange)]
    assert standing(read([{"messages": by_message}])) == expected
    greeting = {"role": "assistant", "content": "Hello.", "timestamp": 1_772_445_600}
    assert standing(read([{"messages": [*listed, greeting]}])) == [("assistant", "Hello."), *expected]


def test_a_file_may_begin_with_its_newest_message_on_two_clocks():
    said = [("assistant", 700), ("user", 380), ("assistant", 389), ("user", 70), ("assistant", 79), ("user", -250)]
    messages = [{"role": role, "content": str(at), "timestamp": 1_772_445_600 + at} for role, at in said]
    assert standing(read([{"messages": messages}])) == [(role, str(at)) for role, at in reversed(said)]


def test_of_an_export_of_all_users_one_persons_chats_are_read():
    ids = ["0b5e0000-0000-4000-8000-00000000000a", "0b5e0000-0000-4000-8000-00000000000b"]
    exported = [{"id": f"chat of {id_}", "user_id": id_, "chat": {"messages": MESSAGES}} for id_ in ids]
    first, bad = read(exported)
    assert (first.conversation, bad.reason) == (
        f"other/chat of {ids[0]}",
        "it is of another user than the first one: name the user",
    )
    assert [type(one) for one in read(exported, user="Ann")] == [Conversation, UnreadableEntry]
    assert [type(one) for one in read(exported, user=ids[1])] == [ExcludedEntry, Conversation]
    claudes = [{"uuid": id_, "account": {"uuid": id_}, "chat_messages": []} for id_ in ids]
    file = ExportFile("conversations.json", io.BytesIO(json.dumps(claudes).encode()))
    assert [type(one) for one in claude.read(file, ExportPersons(None, None, UTC))] == [Conversation, UnreadableEntry]


@pytest.mark.parametrize(
    "content",
    [
        '{"user_id": "ann", "chats": [CHAT]}\n{"chats": [CHAT], "user_id": "bob"}',
        '[{"user": "64af00000000000000000001", SAID}, {"user": "64af00000000000000000002", SAID}]',
        '{"users": [{"id": "ann", "conversations": [CHAT]}, {"id": "bob", "conversations": [CHAT]}]}',
        '{"users": [{"role": "admin", "id": "ann", "chats": [CHAT]}, {"role": "user", "id": "bob", "chats": [CHAT]}]}',
        '{"user_id": 1, "log": MESSAGES}\n{"log": MESSAGES, "user_id": 2}',
        '{"messages": [{"session_id": "a", "user_id": 1, SAID}, {"session_id": "b", "user_id": 2, SAID}]}',
        '{"user": {"role": "user", "s": {}, "id": 1, "t": {}}, "chats": [CHAT]}\n{"user_id": 2, "chats": [CHAT]}',
        '{"user_id": "ann", SAID}\n{"user_id": "mira", "role": "assistant", "content": "A"}\n{"user_id": "bob", SAID}',
    ],
)
def test_whose_chats_are_is_known_from_what_stands_around_them(content):
    written = {
        "CHAT": json.dumps({"messages": MESSAGES}),
        "MESSAGES": json.dumps(MESSAGES),
        "SAID": '"role": "user", "content": "Q"',
    }
    for name, text in written.items():
        content = content.replace(name, text)
    first, bad = (one for one in read(content) if not isinstance(one, ExcludedEntry))
    assert isinstance(first, Conversation)
    assert bad.reason == "it is of another user than the first one: name the user"


@pytest.mark.parametrize("owner", ["user_2NNEqL2nrIRdJ194ndJqAHwEfxC", "auth0|5f7c8ec7c33c6c004bbafe82", 7])
def test_the_name_that_was_told_is_none_of_the_ids_of_accounts(owner):
    assert standing(read([{"user": {"id": owner}, "messages": MESSAGES}], user="Ann")) == SAID


@pytest.mark.parametrize("around", ['{"data": [{}, {}]}', '{"hits": {"hits": [{}, {}]}}', "{}\n{}"])
def test_what_stands_around_each_message_has_the_messages_id(around):
    first, second = ({"id": f"message {number}", "node": {"of": one}} for number, one in enumerate(MESSAGES))
    (chat,) = read(around.replace("{}", json.dumps(first), 1).replace("{}", json.dumps(second), 1))
    assert standing([chat]) == SAID


def test_the_time_of_an_export_is_not_that_of_its_chats():
    first, again = (read({"createdAt": at, "chats": [{"messages": MESSAGES}]}) for at in ("2026-03-01", "2026-03-02"))
    assert [one["id"] for one in first[0].messages] == [one["id"] for one in again[0].messages]


def test_marks_of_sources_are_no_words_of_an_answer_and_stay_in_those_of_a_person():
    card = '<grok:render card_id="x" type="render_inline_citation"><argument name="id">3</argument></grok:render>'
    answer = (
        f"[cite_start]Oslo[citation:1][web:2] is big[ref_3] [^1^], cold{card} and [cite: 1, 2]. `[cite_start]` `[^1^]`"
        " It <co>snows</co: 0,1>\u30101\u2020source\u3011 there[0\u2020a.md]. `\u30101\u2020source\u3011`"
    )
    turns = [{"role": "user", "content": "What is [citation:1]?"}, {"role": "assistant", "content": answer}]
    assert standing(read([{"messages": turns}])) == [
        ("user", "What is [citation:1]?"),
        ("assistant", "Oslo is big, cold and. `[cite_start]` `[^1^]` It snows there. `\u30101\u2020source\u3011`"),
    ]


def test_an_answer_stands_beside_what_was_looked_up_for_it():
    parts = [{"type": "SEARCH", "results": []}, {"type": "THINK", "content": "A dog."}]
    nodes = {
        "1": {"id": "1", "message": {"fragments": [{"type": "REQUEST", "content": QUESTION}]}},
        "2": {"id": "2", "parent": "1", "message": {"fragments": [*parts, {"type": "RESPONSE", "content": ANSWER}]}},
    }
    assert standing(read([{"id": CHAT, "mapping": nodes}])) == SAID


def test_messages_are_of_the_chat_that_stands_around_them():
    logs = [
        {"id": f"log of the chat {number}", "created_at": f"2026-03-0{number}", "log": MESSAGES} for number in (1, 2)
    ]
    within = [{"created_at": one["created_at"], "data": {"id": one["id"], "messages": MESSAGES}} for one in logs]
    for content in ({"logs": logs}, "\n".join(map(json.dumps, logs)), within):
        chats = read(content)
        assert [chat.conversation for chat in chats] == [f"other/{one['id']}" for one in logs]
        assert [chat.messages[0]["created_at"][:10] for chat in chats] == ["2026-03-01", "2026-03-02"]


def test_messages_with_the_id_of_their_chat_are_a_chat_each():
    lines = [
        {"thread_id": thread, "role": role, "content": [{"type": "text", "text": {"value": f"{thread} {role}"}}]}
        for thread in ("thread-a", "thread-b")
        for role in ("user", "assistant")
    ]
    chats = read("\n".join(map(json.dumps, lines)), "messages.jsonl")
    assert [chat.conversation for chat in chats] == ["other/thread-a", "other/thread-b"]
    assert [message["content"] for message in chats[1].messages] == ["thread-b user", "thread-b assistant"]


@pytest.mark.parametrize(("user", "exported"), NAMED.values(), ids=NAMED)
def test_what_people_said_is_read_of_the_one_who_is_named(user, exported):
    entries = read(exported, user=user)
    assert standing(entries) == SAID
    assert not any(isinstance(one, UnreadableEntry) or one.bad for one in entries)
    found = read(exported, user="Bo")
    assert "user" not in dict(standing(found))
    assert QUESTION not in dict(map(reversed, standing(found))), "no words of the user are the Being's"


def test_a_speaker_without_a_role_is_the_one_that_is_named():
    text = ["My dog is ", {"type": "bold", "text": "Rex."}]
    chat = {"messages": [{"id": 1, "type": "message", "from": "Ann", "text": text}]}
    assert standing(read(chat, user="ann")) == [("user", QUESTION)]
    chat["messages"] += [{"id": name, "from": name, "text": "Hello."} for name in ("Mira", "Lou")]
    assert [role for role, _ in standing(read(chat, user="ann", companion="mira"))] == ["user", "assistant", "other"]
    (bad, *_) = read(chat)
    assert bad.reason == exported_chat.NO_SIDE


@pytest.mark.parametrize("named", ["claude-3", "Rep", "nomi", "Mira"])
def test_who_answers_the_user_alone_is_the_companion(named):
    said = [{"sender": "user", "text": QUESTION}, {"sender": named, "text": ANSWER}]
    assert standing(read({"messages": said})) == SAID
    for name in ("sender_name", "speaker"):
        by_name = [{name: one["sender"], "text": one["text"]} for one in said]
        assert standing(read({"messages": by_name})) == SAID
    (chat,) = read({"messages": [*said, {"sender": "bot", "text": "Woof!"}]})
    assert standing([chat]) == [SAID[0], ("assistant", "Woof!")]
    assert [bad.reason for bad in chat.bad] == [exported_chat.NO_SIDE], "beside a bot it may be anyone"


@pytest.mark.parametrize(
    "mark",
    [
        *({"temporary": "yes"}, {"incognito": ASKED}, {"deletedAt": True}),
        *({"temporary": True}, {"isTemporary": 1}, {"settings": {"incognito": "true"}}, {"is_do_not_remember": True}),
        *({"deletedAt": ASKED}, {"chat": {"expiredAt": ASKED}}),
    ],
)
def test_a_chat_that_is_not_to_be_remembered_is_left_out_of_whichever_program(mark):
    (left_out,) = read([{"messages": MESSAGES, **mark}])
    assert isinstance(left_out, ExcludedEntry)
    (left_out,) = claude.read(
        ExportFile("c", io.BytesIO(json.dumps({"uuid": "c", "chat_messages": [], **mark}).encode())),
        ExportPersons(None, None, UTC),
    )
    assert isinstance(left_out, ExcludedEntry)
    unmarked = {"temporary": "no", "deletedAt": "0001-01-01T00:00:00Z", "incognito": None, "deleted": {}}
    assert standing(read([{"messages": MESSAGES, **unmarked}])) == SAID


@pytest.mark.parametrize(
    "times",
    [
        (1772445609000, 1772445600000),
        ({"seconds": 1772445609, "nanoseconds": 5}, {"seconds": 1772445600, "nanoseconds": 0}),
        ("Mon Mar  2 10:00:09 2026", "Mon Mar  2 10:00:00 2026"),
    ],
)
def test_a_time_has_many_names_and_forms(times):
    lines = [
        {"sender_name": name, "timestamp_ms": time, "content": text}
        for name, time, text in zip(("Mira", "Ann"), times, (ANSWER, QUESTION), strict=True)
    ]
    (chat,) = read({"messages": lines}, user="Ann")
    assert [message["created_at"][:19] for message in chat.messages] == [ASKED[:19], ANSWERED[:19]]
    assert standing([chat]) == SAID


def test_a_persons_message_is_no_exchange_and_stays_beside_an_error():
    said = [
        {"role": "user", "content": "Q", "prompt": "x", "response": "y"},
        {"user": "Ann", "bot": "Mira", "isUser": True, "text": "My prompt?"},
        {"role": "user", "content": "My mother died.", "error": True},
    ]
    assert standing(read({"messages": said})) == [("user", text) for text in ("Q", "My prompt?", "My mother died.")]


def test_words_stay_beside_references_to_parts_that_are_not_in_the_file():
    said = [{"role": "user", "content": QUESTION, "blocks": ["b"]}, {"role": "assistant", "content": ANSWER}]
    assert standing(read([{"messages": said}])) == SAID
    export = {"indexedDB": {"topics": [{"messages": said}], "message_blocks": [{"id": "b", "content": "A dog."}]}}
    assert standing(read(export)) == SAID


def test_who_is_no_bot_is_the_user_where_no_name_says_otherwise():
    said = [("Ann", False, QUESTION), ("Otto", False, "I am ill."), ("Mira", True, ANSWER)]
    (chat,) = read(
        {"messages": [{"sender": name, "is_bot": bot, "text": text} for name, bot, text in said]}, user="Ann"
    )
    assert standing([chat]) == [SAID[0], ("assistant", "I am ill."), SAID[1]]
    for by in ("sender", "name"):
        named = [{by: name, "text": text} for name, _, text in said]
        kinds = [{**one, "authorType": kind} for one, kind in zip(named, ("user", "user", "bot"), strict=True)]
        with_kinds, without = read(kinds, user="Ann"), read(named, user="Ann")
        assert (ids(with_kinds), standing(with_kinds)) == (ids(without), standing([chat])), "a name says more"
    unnamed = [
        {"text": QUESTION, "is_bot": False, "sender_type": "member", "src": "app"},
        {"text": ANSWER, "is_bot": True},
    ]
    assert standing(read(unnamed)) == SAID


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "from_user": 1},
        {"type": "assistant", "sender_name": "User"},
    ],
)
def test_an_id_or_a_name_makes_no_answer_the_users(answer):
    said = [{"role": "user", "content": QUESTION}, {**answer, "content": ANSWER}]
    assert standing(read([{"messages": said}])) == SAID


def test_a_call_of_a_tool_is_no_exchange():
    said = [{"role": "user", "content": QUESTION}, {"type": "tool_call", "input": "ls", "output": "a.md"}]
    assert standing(read([{"messages": [*said, {"role": "assistant", "content": ANSWER}]}])) == SAID


def test_exchanges_of_other_users_are_set_aside():
    said = [("ann", QUESTION, ANSWER), ("bo", "I am ill.", "Rest.")]
    export = [
        {"id": number, "username": name, "prompt": asked, "response": answer}
        for number, (name, asked, answer) in enumerate(said, 1)
    ]
    chat, bad = read(export)
    assert standing([chat]) == SAID
    assert isinstance(bad, UnreadableEntry)


def test_what_a_person_said_is_no_alternative():
    said = [{"is_bot": 0, "is_main": False, "message": QUESTION}, {"is_bot": 1, "is_main": True, "message": ANSWER}]
    assert standing(read([{"messages": said}])) == SAID


def test_a_fraction_of_a_second_is_no_time():
    time = {"nanoseconds": 999_999_999, "seconds": 1772445600}
    (chat,) = read([{"messages": [{"role": "user", "content": QUESTION, "createdAt": time}]}])
    assert chat.messages[0]["created_at"][:19] == ASKED[:19]


def test_a_speakers_name_may_stand_with_the_author():
    said = [("Ann", QUESTION), ("Mira", ANSWER)]
    chat = {"messages": [{"type": "Default", "author": {"name": name}, "content": text} for name, text in said]}
    assert standing(read(chat, user="ann")) == SAID
    for message, kind in zip(chat["messages"], ("user", "bot"), strict=True):
        message["author"]["type"] = kind
    assert standing(read(chat, user="ann", companion="mira")) == SAID


@pytest.mark.parametrize(
    ("times", "is_turned"),
    [
        *(((0.102, 0.023), False), ((60, 90, 0), False), ((90, 60, 30), True), ((90, 60, 60, 0), True)),
        *(((540, 300, 300, 300), False), ((302, 300, 2, 0), True)),
    ],
)
def test_a_file_may_begin_with_its_newest_message(times, is_turned):
    texts = [*map(str, range(len(times)))]
    chat = {
        "id": CHAT,
        "messages": [
            {"role": "assistant" if number % 2 else "user", "content": text, "timestamp": 1772445600 + at}
            for number, (text, at) in enumerate(zip(texts, times, strict=True))
        ],
    }
    assert [text for _, text in standing(read(chat))] == (texts[::-1] if is_turned else texts)


def test_of_a_question_and_its_answer_behind_a_systems_line_two_clocks_may_tell_the_times():
    said = [{"role": "system", "content": "Be kind."}, MESSAGES[0] | {"time": ANSWERED}, MESSAGES[1] | {"time": ASKED}]
    assert standing(read(said)) == SAID


@pytest.mark.parametrize("author", [{"role": "assistant", "name": "gpt-4o"}, {"type": "bot", "name": "Assistant"}])
def test_the_name_of_a_model_beside_its_role_is_no_third_persons(author):
    answer = {"role": "assistant", "author": author, "content": ANSWER}
    assert standing(read([MESSAGES[0], answer], companion="Wren")) == SAID


@pytest.mark.parametrize("is_text", [True, False])
def test_behind_the_hour_that_a_clock_showed_twice_a_chat_stands_as_it_was(is_text):
    times = ("02:58:00", "02:59:00", "02:01:00", "02:02:00")
    if is_text:
        lines = (f"[26.10.25, {at}] {name}: {at}" for at, name in zip(times, ("Ann", "Wren") * 2, strict=True))
        content = "\n".join([*lines, "[30.10.25, 02:00:00] Ann: Hi."]).encode()
    else:
        turns = [{"role": role, "content": at} for role, at in zip(("user", "assistant") * 2, times, strict=True)]
        content = json.dumps([{**one, "date": f"2025-10-26T{one['content']}"} for one in turns]).encode()
    file = ExportFile("chat.txt" if is_text else "chat.json", io.BufferedReader(io.BytesIO(content)))
    (chat,) = transcripts.read(file, ExportPersons("Ann", None, ZoneInfo("Europe/Berlin")))
    assert [one["content"] for one in chat.messages][:4] == list(times)
    assert [one["created_at"][11:16] for one in chat.messages][:4] == ["00:58", "00:59", "01:01", "01:02"]


@pytest.mark.parametrize(
    ("times", "read_as"),
    [
        (("02:50:00", "02:45:00", "02:10:00", "02:05:00"), ["00:05", "00:10", "00:45", "00:50"]),
        (("02:30:05", "02:30:04", "02:31:00", "02:32:00"), ["00:30", "00:30", "00:31", "00:32"]),
    ],
)
def test_in_the_hour_that_a_clock_shows_twice_a_chat_may_begin_with_the_newest_or_have_two_clocks(times, read_as):
    roles = ("user", "assistant") * 2 if times < times[::-1] else ("assistant", "user") * 2
    turns = [{"role": role, "content": at, "date": f"2025-10-26T{at}"} for role, at in zip(roles, times, strict=True)]
    file = ExportFile("chat.json", io.BytesIO(json.dumps(turns).encode()))
    (chat,) = transcripts.read(file, ExportPersons("Ann", None, ZoneInfo("Europe/Berlin")))
    assert [one["created_at"][11:16] for one in chat.messages] == read_as


def test_of_two_first_messages_beside_a_named_branch_one_was_edited():
    said = [("q", None, "Tea?"), ("a", "q", "Tea."), ("e", None, "Coffee?"), ("b", "e", "Coffee."), ("c", "b", "Hot?")]
    nodes = {
        key: {"id": key, "parentId": parent, "role": "assistant" if key in "ab" else "user", "content": text}
        for key, parent, text in said
    }

    def stands(leaf):
        return standing(read({"id": CHAT, "chat": {"history": {"messages": nodes, "currentId": leaf}}}))

    assert stands("c") == [("user", "Coffee?"), ("assistant", "Coffee."), ("user", "Hot?")]
    assert stands("a") == [("user", "Tea?"), ("assistant", "Tea.")]
    nodes = {"g": {"id": "g", "role": "assistant", "content": "Hi."}} | nodes
    assert stands("a")[0] == ("assistant", "Hi."), "a greeting stands before both"
    del nodes["c"], nodes["g"]
    assert len(stands("b")) == 4, "each question may follow the exchange before it"
    chat = {"history": {"messages": nodes, "currentId": "b"}, "messages": [nodes["e"], nodes["b"]]}
    assert standing(read({"id": CHAT, "chat": chat})) == [("user", "Coffee?"), ("assistant", "Coffee.")]
    nodes |= {"d": {"id": "d", "role": "user", "content": "Cocoa?"}}
    chat = {"history": {"messages": nodes, "currentId": "d"}, "messages": [nodes["e"], nodes["b"], nodes["d"]]}
    assert len(standing(read({"id": CHAT, "chat": chat}))) == 5, "two shown questions are no versions of each other"


def test_of_two_first_messages_one_was_edited():
    def said(id_, parent, text, *, is_user):
        return {"messageId": id_, "parentMessageId": parent, "isCreatedByUser": is_user, "text": text}

    root = "00000000-0000-0000-0000-000000000000"
    chat = {"conversationId": CHAT, "messages": [said("q", root, "My dog is Rax.", is_user=True)]}
    chat["messages"] += [said(ONE, root, QUESTION, is_user=True), said(TWO, ONE, ANSWER, is_user=False)]
    assert standing(read(chat)) == SAID
    chat["messages"].append({"messageId": "s", "parentMessageId": root, "role": "system", "text": "Be kind."})
    assert standing(read(chat)) == SAID
    chat["messages"][2]["parentMessageId"] = root
    assert standing(read(chat)) == [("user", "My dog is Rax."), *SAID], "links that are lost retract nothing"
    others = [{"id": id_, "parent_id": root, "role": "user", "text": id_} for id_ in ("One?", "Two?")]
    assert standing(read({"id": CHAT, "messages": others})) == [("user", "One?"), ("user", "Two?")]


def ids(entries):
    return [message["id"] for chat in entries for message in chat.messages]


def test_of_dates_whose_day_is_open_the_others_of_a_chat_tell():
    def times(*written):
        said = [{"role": "user", "content": str(number), "date": one} for number, one in enumerate(written)]
        (chat,) = read([{"created_at": ASKED, "messages": said}])
        return [one["created_at"][:16] for one in chat.messages], [one["id"] for one in chat.messages]

    told, ids_told = times("4/5/2024 18:30", "25/5/2024 18:31")
    assert told == ["2024-05-04T18:30", "2024-05-25T18:31"]
    open_, ids_open = times("4/5/2024 18:30", "4/5/2024 18:31")
    assert open_[0] == ASKED[:16], "there is no time"
    assert ids_told == ids_open, "no id is derived of what all tell together"
    assert times("4/5/2024, 6:30 PM", "25/5/2024, 6:31 PM")[0] == told
    clock = [{"role": "user", "content": "Hi.", "date": "25/5/2024", "time": "6:31 pm"}]
    assert read(clock)[0].messages[0]["created_at"][:16] == told[1]


@pytest.mark.parametrize(
    "things",
    [
        {"products": [{"name": "Lamp", "body": "To read by.", "type": "model"}]},
        {"rows": [{"source": source, "value": "12"} for source in ("bot", "human")]},
        {"events": [{"event": "user", "text": "signed up"}, {"event": "bot", "text": "a crawler"}]},
        {"texts": [{"text": QUESTION, "source": "human", "embedding": [0.1]}]},
        {"items": [{"kind": "response", "data": "b"}, {"kind": "request", "data": "a"}]},
    ],
)
def test_things_of_a_kind_that_is_a_word_for_a_side_are_no_chat(things):
    assert not any(isinstance(one, Conversation) for one in read([things]))


def test_numbers_and_words_are_no_ids_beyond_their_chat():
    def chat(name, *texts, **more):
        said = zip(("user", "assistant", "user"), texts, strict=False)
        return {"id": name, "messages": [{"role": role, "content": text, **more} for role, text in said]}

    begun, other = chat("a", "Hi.", "Hello."), chat("b", "Hi.", "Hello.")
    assert not set(ids(read([begun]))) & set(ids(read([other])))
    assert not set(ids(read([chat("a", "x", id=1)]))) & set(ids(read([chat("b", "y", id=1)])))
    assert ids(read([chat("a", "Hi.", "Hello.", "Bye.")]))[:2] == ids(read([begun])), "a longer export has the same ids"
