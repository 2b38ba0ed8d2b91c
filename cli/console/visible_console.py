"""The console of all output for people: rich's, but no text that it is given controls the terminal."""

from collections.abc import Iterable
from typing import IO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from cli.console.streams import Guarded, Rendered
from schemas.text.visible_text import visible


class VisibleConsole(Console):
    """A rich console that escapes control characters in the text that it is given."""

    @property  # type: ignore[misc]  # nothing sets it
    def file(self) -> IO[str]:
        """The unguarded stream behind a guarded one, whose escaping would also hit the console's own colours."""
        found = super().file
        return cast("IO[str]", Rendered(found)) if isinstance(found, Guarded) else found

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, with all text visible."""
        for part in super().render(renderable, options):
            yield part if part.control else Segment(visible(part.text), part.style)
