"""The events of responses, or the whole response. A piece that breaks this wire's format is passed over.

A stream sends each text up to four times: in pieces, at the end of its part, of its item, and of the response. Servers
leave any of these out, so the pieces count, and without them the longest of the later ones.
"""

from typing import Any

from providers.chat.answer_so_far import AnswerSoFar, usage_of, written
from providers.chat.content_parts import words_of
from providers.completion import Usage

_NOT_WRITTEN = frozenset(
    {"id", "type", "role", "status", "call_id", "logprobs", "annotations", "name", "encrypted_content", "namespace"}
)
_ENDED = frozenset({"completed", "incomplete", "failed", "cancelled"})
_MESSAGE = "message"
_SAID_IN_PIECES = frozenset({"response.output_text.delta", "response.refusal.delta"})
_SAID_WHOLE = frozenset({"response.output_text.done", "response.refusal.done", "response.content_part.done"})


class ResponseEvents:
    """Reads one answer."""

    def __init__(self) -> None:
        # Parts that were said, by the numbers of their item and their own; None where a server leaves one out.
        self._said: set[tuple[Any, Any]] = set()
        self._items: dict[Any, str] = {}
        self._last: Any = None
        # The bytes that came in pieces, in items, and in the response.
        self._told = {"pieces": 0, "items": 0, "response": 0}
        self._marked = False

    def take(self, event: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read an event of a stream, or the whole document."""
        kind = event.get("type")
        if isinstance(response := event.get("response"), dict):
            self._take_response(response, so_far)
        elif event.get("object") == "response" or (kind is None and isinstance(event.get("output"), list)):
            self._take_response(event, so_far)
        elif isinstance(kind, str) and not self._marked:
            self._take_piece(kind, event, so_far)

    def ended(self) -> bool:
        """Read a mark of the stream's end, which some servers send beside the event."""
        self._marked = True
        return False

    def usage(self, reported: Any) -> Usage | None:
        """Read the tokens that an upstream reports; None if it reports none, or numbers that can't be."""
        return usage_of(reported, "input_tokens", "output_tokens")

    def _take_piece(self, kind: str, event: dict[str, Any], so_far: AnswerSoFar) -> None:
        place = event.get("output_index"), event.get("content_index")
        if kind.endswith(".delta"):
            delta = event.get("delta")
            self._count("pieces", delta, so_far, more=True)
            if kind in _SAID_IN_PIECES and isinstance(delta, str) and delta:
                self._say(place, delta, so_far)
        elif kind in _SAID_WHOLE:
            self._say_whole(place, event.get("part") or event.get("text") or event.get("refusal"), so_far)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._take_item(event.get("item"), so_far)
            item = event.get("item")
            if kind.endswith("done") and isinstance(item, dict):
                self._count("items", item, so_far, more=True)
                self._take_output([item], so_far, place[0])

    def _take_response(self, response: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read a response: the whole answer, or in a stream its state by then."""
        so_far.read_model(response.get("model"))
        so_far.read_id(response.get("id"))
        so_far.usage = self.usage(response.get("usage")) or so_far.usage
        so_far.choices.add(0)
        output = response.get("output")
        if isinstance(output, list) and not self._marked:
            for place, item in enumerate(output):
                self._take_item(item, so_far)
                if isinstance(item, dict):
                    self._take_output([item], so_far, place)
            self._count("response", output, so_far, more=False)
        so_far.done = so_far.done or response.get("status") in _ENDED

    def _count(self, kind: str, parts: Any, so_far: AnswerSoFar, *, more: bool) -> None:
        """Count the bytes of one way of sending; the way with the most bytes is the answer's size."""
        counted = AnswerSoFar()
        counted.count(written(parts, _NOT_WRITTEN))
        before = max(self._told.values())
        self._told[kind] = counted.came + (self._told[kind] if more else 0)
        so_far.came += max(self._told.values()) - before
        so_far.payload += counted.payload if kind == "pieces" else 0

    def _take_item(self, item: Any, so_far: AnswerSoFar) -> None:
        if isinstance(item, dict):
            so_far.choices.add(0)
            so_far.read_item(item.get("id"), item.get("arguments") or item.get("input"), item.get("name"))

    def _take_output(self, output: list[dict[str, Any]], so_far: AnswerSoFar, place: Any) -> None:
        """Take the texts of the messages among items, unless they came in pieces."""
        for item in output:
            if item.get("type", _MESSAGE) == _MESSAGE:
                content = item.get("content")
                for part, one in enumerate(content if isinstance(content, list) else [content]):
                    self._say_whole((place, part), one, so_far)

    def _say_whole(self, place: tuple[Any, Any], part: Any, so_far: AnswerSoFar) -> None:
        """Take a part, unless it came before; pieces without a number of their part may have been any part."""
        was_said = not self._said.isdisjoint({place, (place[0], None), (None, None)})
        if not was_said and (place != (None, None) or not self._said) and (text := words_of(part)):
            self._say(place, text, so_far)

    def _say(self, place: tuple[Any, Any], words: str, so_far: AnswerSoFar) -> None:
        """Take words of a part; a blank line goes before those of another item."""
        self._said.add(place)
        if self._last is not None and place != self._last and place[0] != self._last[0]:
            words = f"\n\n{words}"
        self._last = place
        so_far.say(words)
