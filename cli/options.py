"""Options and arguments that many commands share."""

from typing import Annotated

from typer import Argument, Option

from schemas.limits import LONGEST_PAGE

BeingOption = Annotated[
    str | None,
    Option(
        "--being", "-b", metavar="SLUG|ID", help="Which Being. Where there is only one, that one.", show_default=False
    ),
]
OwnerOption = Annotated[
    str | None,
    Option("--user", "-u", metavar="NAME|ID", help="Whose Being, where several have one.", show_default=False),
]
UserOption = Annotated[str, Option("--user", "-u", metavar="NAME|ID", help="Which user.")]
JsonOption = Annotated[bool, Option("--json", help="Answer in JSON on stdout, and say nothing else there.")]
LimitOption = Annotated[int, Option("--limit", "-n", min=1, max=LONGEST_PAGE, help="How many at most.")]
CursorOption = Annotated[str | None, Option(help="Where the page before ended, as it said.", show_default=False)]
NodeArgument = Annotated[
    str,
    Argument(metavar="NODE", help="The memory: its id, the end of its id, or your own id of the note it was made of."),
]
