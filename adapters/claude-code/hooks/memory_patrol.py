"""A hook of Claude Code: hands in what was said in a session, and recalls what was told before.

Claude Code gives an event as JSON on stdin. `UserPromptSubmit` is answered with what is remembered; `Stop`,
`PreCompact` and `SessionEnd` hand in the transcript's messages, each once, because their ids are the transcript's. It
needs the environment variables MEMORY_PATROL_TOKEN (scopes `ingest` and `read`), MEMORY_PATROL_BEING and, unless the
API is on this machine, MEMORY_PATROL_URL. It never holds up a session: without memory it says so on stderr.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

URL = os.environ.get("MEMORY_PATROL_URL") or "http://127.0.0.1:8765"
TOKEN = os.environ.get("MEMORY_PATROL_TOKEN", "")
BEING = os.environ.get("MEMORY_PATROL_BEING", "")

RECALL_SECONDS = 5
HAND_IN_SECONDS = 20
BUDGET_TOKENS = 2000
AT_ONCE = 100
# Of longer texts the beginning is sent; the API keeps 64 KB of a message, and says so.
MOST_CHARACTERS = 100_000
MOST_PROMPT = 8000
UNPROCESSABLE = 422
# A user's message that begins so was written by Claude Code: commands and their output, reminders, interruptions.
NOT_SAID = (
    "<command-",
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "[Request",
    "Caveat: ",
)


def main() -> int:
    """Handle the event on stdin; returns the exit code, which never blocks the session."""
    event = json.loads(sys.stdin.buffer.read().decode(errors="replace"))
    if not TOKEN or not BEING:
        print("Memory Patrol: set MEMORY_PATROL_TOKEN and MEMORY_PATROL_BEING.", file=sys.stderr)
        return 1
    try:
        if event["hook_event_name"] == "UserPromptSubmit":
            _recall(event.get("prompt") or "", event.get("session_id"))
        else:
            refused = _hand_in(Path(event["transcript_path"]), whole=event["hook_event_name"] != "Stop")
            if refused:
                print(f"Memory Patrol: {len(refused)} of the messages were refused: {refused[0]}", file=sys.stderr)
                return 1
    except HTTPError as fault:
        print(f"Memory Patrol: the API answered {fault.code}.", file=sys.stderr)
        return 1
    except OSError as fault:
        print(f"Memory Patrol: not reached ({type(fault).__name__}).", file=sys.stderr)
        return 1
    return 0


def _recall(prompt: str, session: str | None) -> None:
    if not prompt.strip():
        return
    wanted = {"message": prompt[:MOST_PROMPT], "process": "chatFrontend", "budget_tokens": BUDGET_TOKENS}
    if session:
        wanted["conversation"] = _conversation(session)
    told = _post("context", wanted, RECALL_SECONDS)
    if context := told.get("text"):
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}))
    elif told.get("detail"):
        print(f"Memory Patrol: nothing was recalled: {told['detail']}", file=sys.stderr)


def _hand_in(transcript: Path, *, whole: bool) -> list[str]:
    """Hand in a transcript's messages; after an answer the newest ones, which include all that is new.

    A session that Claude Code does not save (`--no-session-persistence`) has no transcript, and leaves nothing.

    Returns:
        Why messages were refused; the others are taken in.
    """
    refused: list[str] = []
    if not transcript.exists():
        return refused
    messages = list(_said(transcript))
    for begin in range(0 if whole else max(len(messages) - AT_ONCE, 0), len(messages), AT_ONCE):
        some = messages[begin : begin + AT_ONCE]
        told = _post("messages", some, HAND_IN_SECONDS)
        # A problem has no receipt, and names the first of its refusals.
        refusals = told.get("rejected", [{"reason": told.get("detail")}])
        refused += [f"{one['reason']}" for one in refusals]
        refused += ["for the same reasons"] * told.get("more", 0)
    return refused


def _said(transcript: Path) -> Iterator[dict[str, Any]]:
    """The messages of a transcript that the user and the agent wrote to each other."""
    with transcript.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # The last line may be half written.
            if not isinstance(entry, dict) or entry.get("type") not in {"user", "assistant"}:
                continue
            if entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"):
                continue
            text = _text(entry.get("message"))
            if entry.get("uuid") and text and not (entry["type"] == "user" and text.startswith(NOT_SAID)):
                yield {
                    "id": f"claude-code/{entry['uuid']}",
                    "role": entry["type"],
                    "conversation": _conversation(entry.get("sessionId") or transcript.stem),
                    "content": text[:MOST_CHARACTERS],
                    "created_at": entry.get("timestamp"),
                }


def _conversation(session: str) -> str:
    return f"claude-code/{session}"


def _text(message: Any) -> str:
    """A message's text blocks; tools' calls and results, thinking and images are left out."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        blocks = [one for one in content if isinstance(one, dict) and one.get("type") == "text"]
        content = "\n".join(one["text"] for one in blocks if isinstance(one.get("text"), str))
    return content.strip() if isinstance(content, str) else ""


def _post(path: str, content: Any, seconds: float) -> Any:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    url = f"{URL.rstrip('/')}/v1/beings/{quote(BEING, safe='')}/{path}"
    request = Request(url, json.dumps(content).encode(), headers)  # noqa: S310  # the user's own setting
    try:
        with urlopen(request, timeout=seconds) as answer:  # noqa: S310  # likewise
            return json.load(answer)
    except HTTPError as fault:
        if fault.code != UNPROCESSABLE:
            raise
        # It says which items were refused, and why.
        return json.load(fault)


if __name__ == "__main__":
    sys.exit(main())
