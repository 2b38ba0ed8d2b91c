"""The events of chat completions. A piece that breaks this wire's format is passed over."""

from typing import Any

from providers.chat.answer_so_far import AnswerSoFar, usage_of, written
from providers.chat.content_parts import words_of
from providers.completion import Usage

# Fields of a choice that the model did not write.
_NOT_WRITTEN = frozenset(
    {"id", "index", "role", "type", "format", "logprobs", "finish_reason", "native_finish_reason", "stop_reason"}
)


class CompletionEvents:
    """Reads one answer."""

    def __init__(self) -> None:
        self._deltas = False
        self._first: Any = None
        self._marked = False
        self._calls: dict[Any, list[str]] = {}
        self._names: dict[Any, str] = {}

    def take(self, event: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read a piece of a stream, or the whole document."""
        so_far.usage = self.usage(event.get("usage")) or so_far.usage
        choices = event.get("choices")
        so_far.count(written(choices, _NOT_WRITTEN))
        choices = [choices] if isinstance(choices, dict) else choices
        if self._marked or not isinstance(choices, list):
            # No client shows text behind the end mark.
            return
        so_far.read_model(event.get("model"))
        for choice in choices:
            if isinstance(choice, dict):
                self._take_choice(choice, so_far)

    def ended(self) -> bool:
        """Read the mark of the stream's end, which completes the answer."""
        self._marked = True
        return True

    def usage(self, reported: Any) -> Usage | None:
        """Read the tokens that an upstream reports; None if it reports none, or numbers that can't be."""
        return usage_of(reported, "prompt_tokens", "completion_tokens")

    def _take_choice(self, choice: dict[str, Any], so_far: AnswerSoFar) -> None:
        reported = choice.get("index")
        index = reported if isinstance(reported, int) else 0
        self._first = self._first if so_far.choices else index
        so_far.choices.add(index)
        self._take_calls(choice, so_far)
        if index == self._first:
            if words := _words(choice.get("delta")):
                self._deltas = True
                so_far.say(words)
            elif words := _words(choice.get("message")):
                # A document's, or in streams the next piece, or all that was said until then.
                so_far.say_whole(words, in_pieces=self._deltas)
            elif isinstance(text := choice.get("text"), str):
                so_far.say(text)
            so_far.done = so_far.done or bool(choice.get("finish_reason"))

    def _take_calls(self, choice: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read the arguments of tool calls: of a document at once, of a stream when the choice ends."""
        for part in (choice.get("message"), choice.get("delta")):
            calls = part.get("tool_calls") if isinstance(part, dict) else None
            for place, call in enumerate(calls if isinstance(calls, list) else ()):
                called = call.get("function") if isinstance(call, dict) else None
                if not isinstance(called, dict):
                    continue
                number = call.get("index", place)
                if isinstance(name := called.get("name"), str):
                    self._names.setdefault(number, name)
                    so_far.begin_call(name)
                if isinstance(given := called.get("arguments"), str):
                    self._calls.setdefault(number, []).append(given)
        if choice.get("finish_reason"):
            for number, pieces in self._calls.items():
                so_far.read_item(None, "".join(pieces), self._names.get(number))
            self._calls.clear()


def _words(part: Any) -> str:
    """Return the text of a delta or message: its content, else a refusal or the transcript of its audio."""
    if not isinstance(part, dict):
        return ""
    audio = part.get("audio")
    others = (part.get("refusal"), audio.get("transcript") if isinstance(audio, dict) else None)
    return words_of(part.get("content")) or next((one for one in others if isinstance(one, str)), "")
