"""All commands on one screen, and the one that is called loaded when it is called."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from typer import Typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer._click.core import Command, Context

RUN = "Run it"
PEOPLE = "Who remembers, and who may ask"
REMEMBER = "Remember"
LOOK = "Look closer"
TEND = "Tend a memory"


@dataclass(frozen=True)
class Entry:
    """A command of the first level: what to import for it, and its line in the help."""

    panel: str
    place: str
    line: str

    def load(self) -> "Command":
        """Import it."""
        module, _, name = self.place.partition(":")
        found: Typer | Callable[..., None] = getattr(import_module(module), name)
        if isinstance(found, Typer):
            return get_group(found)
        alone = Typer(add_completion=False)
        alone.command()(found)
        return get_command(alone)


COMMANDS = {
    "up": Entry(RUN, "cli.up:up", "Run everything here: servers, API, worker and beat."),
    "demo": Entry(RUN, "cli.demo.command:demo", "Play a month of a Being's life, and show what became of it."),
    "migrate": Entry(RUN, "cli.services:migrate", "Bring the database to the shape that this code expects."),
    "api": Entry(RUN, "cli.services:api", "Serve the HTTP API alone."),
    "worker": Entry(RUN, "cli.services:worker", "Run one Celery worker."),
    "beat": Entry(RUN, "cli.services:beat", "Run Celery's beat, which sweeps up lost work and starts due patrols."),
    "mcp": Entry(RUN, "cli.mcp:mcp", "Offer a Being's memory to a model, as tools."),
    "flower": Entry(RUN, "cli.services:flower", "Show workers, queues and tasks in the browser."),
    "stream": Entry(RUN, "cli.stream:stream", "Read what producers write to Redis streams; see what was rejected."),
    "work": Entry(RUN, "cli.work:work", "What must get done, and what could not be."),
    "doctor": Entry(RUN, "cli.doctor:doctor", "See whether all is well, with a note sent the whole way."),
    "user": Entry(PEOPLE, "cli.accounts:users", "People, who own Beings."),
    "being": Entry(PEOPLE, "cli.accounts:beings", "Beings, who remember."),
    "token": Entry(PEOPLE, "cli.tokens:tokens", "Tokens, which open the API."),
    "key": Entry(PEOPLE, "cli.keys:keys", "Users' keys for model providers."),
    "cost": Entry(PEOPLE, "cli.cost:cost", "What models were asked for, and what it cost."),
    "operator": Entry(PEOPLE, "cli.operators:operators", "Operators' tokens, which open metrics and everybody's work."),
    "export": Entry(PEOPLE, "cli.portability:export", "Write down all that a Being knows, to take it away."),
    "import": Entry(PEOPLE, "cli.portability:import_file", "Bring a Being in from an export."),
    "soul": Entry(PEOPLE, "cli.persona:soul", "Who a Being is, and what it is at."),
    "persona": Entry(
        PEOPLE, "cli.persona:persona", "A Being's rules, preferences, relationships, tools, map and skills."
    ),
    "user-model": Entry(PEOPLE, "cli.persona:user_model", "What is known about a user as a person."),
    "notes": Entry(REMEMBER, "cli.kept_notes:notes", "What happened, handed in."),
    "messages": Entry(REMEMBER, "cli.intake:messages", "What was said, handed in."),
    "run": Entry(REMEMBER, "cli.run:run", "Demand a patrol, and watch its nine steps."),
    "recall": Entry(REMEMBER, "cli.finding:recall", "Recall by meaning."),
    "search": Entry(REMEMBER, "cli.finding:search", "Search by word, among the dead as well."),
    "topic": Entry(REMEMBER, "cli.finding:topic", "Go through a topic, newest memories first."),
    "vault": Entry(REMEMBER, "cli.vault:vault", "What a Being must know: durable statements, gated and versioned."),
    "facts": Entry(LOOK, "cli.facts:facts", "What is known of the user, and how it came to be known."),
    "entities": Entry(LOOK, "cli.entities:entities", "Whom and what facts are about."),
    "todos": Entry(LOOK, "cli.todos:todos", "What the user means to do."),
    "context": Entry(REMEMBER, "cli.context:context", "What the Being has in mind, ready to be sent to a model."),
    "mind": Entry(REMEMBER, "cli.context:mind", "Working memory: what callers put into regions of their own."),
    "profile": Entry(REMEMBER, "cli.context:profile", "Which regions a mental process sees."),
    "sessions": Entry(LOOK, "cli.sessions:sessions", "Conversations, and what they came to."),
    "clusters": Entry(LOOK, "cli.overview:clusters", "The topics, and what they hold."),
    "nodes": Entry(LOOK, "cli.overview:nodes", "The memories, newest first."),
    "fading": Entry(LOOK, "cli.overview:fading", "What will be dying soon."),
    "diary": Entry(LOOK, "cli.diary:diary", "What a Being wrote of its days."),
    "why": Entry(LOOK, "cli.why:why", "Where a memory came from, and what happened to it."),
    "pin": Entry(TEND, "cli.curating:pin", "Keep a memory from fading."),
    "unpin": Entry(TEND, "cli.curating:unpin", "Let a pinned memory fade again."),
    "forget": Entry(TEND, "cli.curating:forget", "Put a memory out of mind, until it is revived."),
    "revive": Entry(TEND, "cli.curating:revive", "Bring a dying, dead or forgotten memory back."),
    "erase": Entry(TEND, "cli.erasing:erase", "Erase a memory, a note, a Being or a user for good."),
    "correct": Entry(TEND, "cli.curating:correct", "Replace parts of what a memory says."),
}


class LazyGroup(TyperGroup):
    """A group that lists its commands without importing what they need."""

    def resolve_command(self, ctx: "Context", args: list[str]) -> "tuple[str | None, Command | None, list[str]]":
        """Put the command itself in the place of its line in the help."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and COMMANDS[listed.name or ""].load(), rest


app = Typer(
    name="patrol",
    cls=LazyGroup,
    help="Long-term memory for AI companions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, entry in COMMANDS.items():
    app.command(name, help=entry.line, rich_help_panel=entry.panel)(lambda: None)
