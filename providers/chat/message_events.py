"""The events of Anthropic's messages, or the whole message. A piece that this wire does not promise is passed over."""

from typing import Any

from providers.chat.answer_so_far import AnswerSoFar, tokens_of, written
from providers.completion import Usage

_NOT_WRITTEN = frozenset({"id", "type", "tool_use_id", "signature", "citations", "citation", "name", "index"})
_TEXT = frozenset({"text", "text_delta"})
_THOUGHT = "thinking_delta"
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class MessageEvents:
    """Reads one answer."""

    def __init__(self) -> None:
        self._reported: dict[str, int] = {}
        self._kinds: dict[Any, Any] = {}
        self._inputs: dict[Any, list[str]] = {}
        self._tools: dict[Any, Any] = {}
        self._last: Any = None

    def take(self, event: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read an event of a stream, or the whole document."""
        kind = event.get("type")
        if kind == "message" or (kind is None and "content" in event):
            self._take_message(event, so_far)
        elif kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._take_message(message, so_far)
        elif kind == "content_block_start" and isinstance(block := event.get("content_block"), dict):
            self._take_block(event.get("index"), block, so_far)
        elif kind == "content_block_delta" and isinstance(delta := event.get("delta"), dict):
            self._take_delta(event.get("index"), delta, so_far)
        elif kind == "message_delta":
            delta = event.get("delta")
            self._report(event.get("usage"), so_far)
            so_far.done = so_far.done or bool(isinstance(delta, dict) and delta.get("stop_reason"))
        elif kind == "content_block_stop":
            index = event.get("index")
            so_far.read_item(None, "".join(self._inputs.pop(index, ())), self._tools.pop(index, None))
        elif kind == "message_stop":
            so_far.done = True

    def ended(self) -> bool:
        """Read a mark of the stream's end, which only translating servers send."""
        return False

    def usage(self, reported: Any) -> Usage | None:
        """Read the tokens that an upstream reports; None if it reports none, or numbers that can't be."""
        if not isinstance(reported, dict):
            return None
        counts = [tokens_of(reported.get(name)) for name in _COUNTS]
        prompt, output, read, wrote = (0 if count is None else count for count in counts)
        if None in counts or not prompt + output + read + wrote:
            return None
        return Usage(input_tokens=prompt, output_tokens=output, cache_read_tokens=read, cache_write_tokens=wrote)

    def _take_message(self, message: dict[str, Any], so_far: AnswerSoFar) -> None:
        so_far.read_model(message.get("model"))
        so_far.read_id(message.get("id"))
        so_far.choices.add(0)
        self._report(message.get("usage"), so_far)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else [content]):
            one = {"type": "text", "text": block} if isinstance(block, str) else block
            if isinstance(one, dict):
                self._take_block(index, one, so_far)
        so_far.done = so_far.done or bool(message.get("stop_reason"))

    def _take_block(self, index: Any, block: dict[str, Any], so_far: AnswerSoFar) -> None:
        kind = block.get("type")
        self._kinds[index] = kind
        so_far.choices.add(0)
        if kind in _TEXT and isinstance(text := block.get("text"), str):
            self._say(index, text, so_far)
        elif isinstance(given := block.get("input"), dict):
            self._tools[index] = block.get("name")
            so_far.read_item(None, given, block.get("name"))
        so_far.count(written(block, _NOT_WRITTEN))

    def _take_delta(self, index: Any, delta: dict[str, Any], so_far: AnswerSoFar) -> None:
        so_far.count(written(delta, _NOT_WRITTEN))
        so_far.choices.add(0)
        is_text = delta.get("type") in _TEXT and self._kinds.get(index) != "thinking"
        if is_text and isinstance(text := delta.get("text"), str):
            self._say(index, text, so_far)
        elif delta.get("type") == _THOUGHT:
            # In a block with thoughts as `thinking`, text is no thought.
            self._kinds[index] = _THOUGHT
        elif isinstance(piece := delta.get("partial_json"), str):
            self._inputs.setdefault(index, []).append(piece)

    def _say(self, index: Any, words: str, so_far: AnswerSoFar) -> None:
        """Take words of a block: text blocks that follow each other are joined."""
        is_apart = self._last is not None and index != self._last and not self._adjoins(index)
        if words:
            so_far.say(f"\n\n{words}" if is_apart else words)
            self._last = index

    def _adjoins(self, index: Any) -> bool:
        between = [kind for place, kind in self._kinds.items() if _is_between(self._last, place, index)]
        return all(kind in _TEXT for kind in between)

    def _report(self, reported: Any, so_far: AnswerSoFar) -> None:
        """Take counts, which a stream reports in parts: each only grows, and an absent one keeps its value."""
        counts = {name: tokens_of(reported.get(name)) for name in _COUNTS} if isinstance(reported, dict) else {}
        if None not in counts.values():
            self._reported |= {name: max(count or 0, self._reported.get(name, 0)) for name, count in counts.items()}
            so_far.usage = self.usage(self._reported) or so_far.usage


def _is_between(first: Any, place: Any, last: Any) -> bool:
    return all(isinstance(each, int) for each in (first, place, last)) and first < place < last
