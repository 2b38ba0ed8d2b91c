"""Options and arguments that several commands share."""

from typing import Annotated

from typer import Option

BeingOption = Annotated[
    str | None,
    Option("--being", "-b", metavar="SLUG|ID", help="The Being. Default: the only one there is.", show_default=False),
]
OwnerOption = Annotated[
    str | None,
    Option(
        "--user",
        "-u",
        metavar="NAME|ID",
        help="The Being's user, if several have a Being of that slug.",
        show_default=False,
    ),
]
UserOption = Annotated[str, Option("--user", "-u", metavar="NAME|ID", help="The user.")]
JsonOption = Annotated[bool, Option("--json", help="Print JSON, and nothing else, on stdout.")]
