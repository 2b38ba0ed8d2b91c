"""The console of all output for people: rich's, but no text that it is given controls the terminal."""

from collections.abc import Iterable
from typing import IO, cast

from rich.console import Console
from rich.segment import Segment

from cli.console.streams import Guarded, Rendered
from schemas.text.visible_text import visible


class VisibleConsole(Console):
    """A rich console that escapes control characters in the text that it is given."""

    @property
    def file(self) -> IO[str]:
        """The unguarded stream behind a guarded one, whose escaping would also hit the console's own colours."""
        found = super().file
        return cast("IO[str]", Rendered(found)) if isinstance(found, Guarded) else found

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        shown = (part if part.control else Segment(visible(part.text), part.style) for part in buffer)
        return super()._render_buffer(shown)
