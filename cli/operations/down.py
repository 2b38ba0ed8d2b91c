"""`patrol down`: stops the background processes."""

from cli.console.output import say, shown
from cli.console.quiet import quiet_settings
from workers.embedded.servers import stop_stack


def down() -> None:
    """Stop the processes of `patrol up` over this home, in the background or in another terminal. All data are kept."""
    home = quiet_settings().home
    say("Stopped. All data are kept." if stop_stack(home) else f"Nothing runs over {shown(home)}.")
