"""The table of all commands. A command's module is imported only when the command is called."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from schemas.version import VERSION
from workers.runtime import collector

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Entry:
    """A top-level command: `module:name` to import, and its line in the help."""

    place: str
    line: str

    def load(self) -> Any:
        """Import the command."""
        module, _, name = self.place.partition(":")
        with collector.paused():
            found: Typer | Callable[..., None] = getattr(import_module(module), name)
        if isinstance(found, Typer):
            # Help and errors are plain text, which the guarded streams escape as any other.
            found.rich_markup_mode = None
            return get_group(found)
        alone = Typer(add_completion=False, rich_markup_mode=None)
        alone.command()(found)
        return get_command(alone)


# The panels of the help, each with its commands.
PANELS = {
    "Run and operate": {
        "up": Entry("cli.operations.up:up", "Run everything here: servers, API, worker and beat."),
        "down": Entry("cli.operations.down:down", "Stop the processes that run here in the background."),
        "demo": Entry("cli.demo.command:demo", "Play a month of sample notes and chat, and show the resulting memory."),
        "migrate": Entry("cli.operations.services:migrate", "Migrate the database to this version's schema."),
        "api": Entry("cli.operations.services:api", "Serve the HTTP API alone."),
        "worker": Entry("cli.operations.services:worker", "Run one Celery worker."),
        "beat": Entry(
            "cli.operations.services:beat", "Run Celery beat, which sends periodic tasks and messages for due work."
        ),
        "mcp": Entry("cli.operations.mcp:mcp", "Serve a Being's memory as MCP tools on stdin and stdout."),
        "flower": Entry("cli.operations.services:flower", "Show workers, queues and tasks in the browser."),
        "stream": Entry("cli.intake.stream:stream", "Read producers' Redis streams; list and replay rejected entries."),
        "work": Entry("cli.operations.work:work", "The ledger: list work; replay or drop dead work."),
        "doctor": Entry("cli.operations.doctor:doctor", "Check servers, workers, queues and models."),
    },
    "Users, Beings and access": {
        "user": Entry("cli.accounts.accounts:users", "Users, who own Beings."),
        "being": Entry("cli.accounts.accounts:beings", "Beings, the AI companions."),
        "rooms": Entry("cli.accounts.rooms:rooms", "Rooms, in which several Beings of a user take part."),
        "token": Entry("cli.accounts.tokens:tokens", "Access tokens for the API."),
        "key": Entry("cli.accounts.keys:keys", "Users' keys for model providers."),
        "webhook": Entry("cli.accounts.webhooks:webhook", "The address that receives notices of due items."),
        "cost": Entry("cli.accounts.cost:cost", "Model calls, tokens and cost by day."),
        "page": Entry("cli.operations.page:page", "Print the memory page's address, and a link that logs you in."),
        "operator": Entry("cli.accounts.operators:operators", "Operators' tokens, for metrics and all users' work."),
        "export": Entry("cli.accounts.portability:export", "Export a Being with all its data to a file."),
        "import": Entry(
            "cli.accounts.portability:import_file", "Import an exported Being, or exports of other programs."
        ),
        "soul": Entry("cli.context.persona:soul", "A Being's personality and state."),
        "persona": Entry(
            "cli.context.persona:persona", "A Being's rules, preferences, relationships, tools, map and skills."
        ),
        "user-model": Entry("cli.context.persona:user_model", "The description of a user as a person."),
    },
    "Remember": {
        "notes": Entry("cli.intake.intake:notes", "Notes: scenes, todos, reminders, knowledge; retry failed ones."),
        "messages": Entry("cli.intake.intake:messages", "Add messages of a conversation."),
        "run": Entry("cli.patrol.run:run", "Request a patrol, and watch its nine steps."),
        "recall": Entry("cli.nodes.finding:recall", "Recall memories by meaning."),
        "ask": Entry("cli.search.ask:ask", "Ask the memory a question, and see the source of each sentence."),
        "search": Entry("cli.search.search:search", "Search messages, memories, facts and more, by words and meaning."),
        "topic": Entry("cli.nodes.finding:topic", "List a topic's memories, newest first."),
        "vault": Entry("cli.vault.records:vault", "The vault: durable, gated, versioned statements."),
        "context": Entry("cli.context.context:context", "Assemble a context, ready to be sent to a model."),
        "mind": Entry("cli.context.context:mind", "Working memory: entries in regions that callers name."),
        "profile": Entry("cli.context.context:profile", "Process profiles: regions of a context and their order."),
    },
    "Inspect": {
        "facts": Entry("cli.facts.facts:facts", "Facts about the user, and their evidence."),
        "entities": Entry("cli.facts.found_in_talk:entities", "The people and things that facts are about."),
        "judgements": Entry(
            "cli.facts.found_in_talk:judgements",
            "Items found in conversations, and items dropped from models' answers.",
        ),
        "todos": Entry("cli.facts.asked_in_talk:todos", "The user's todos, found in conversations."),
        "requests": Entry(
            "cli.facts.asked_in_talk:requests", "Users' requests in conversations to forget or correct; undo them."
        ),
        "muted": Entry("cli.facts.asked_in_talk:muted", "Muted items, which no context brings up."),
        "due": Entry("cli.facts.found_in_talk:due", "Due todos, promises and reminders."),
        "sessions": Entry("cli.talk:sessions", "Sessions of conversation, and their summaries."),
        "overview": Entry("cli.accounts.overview:overview", "One Being's memory on a single screen."),
        "clusters": Entry("cli.nodes.curation:clusters", "The topics, and their numbers of memories."),
        "nodes": Entry("cli.nodes.curation:nodes", "The memories, newest first."),
        "fading": Entry("cli.nodes.curation:fading", "The memories that will be dying soon."),
        "diary": Entry("cli.patrol.diary:diary", "A Being's diary."),
        "why": Entry("cli.nodes.curation:why", "A memory's origin and history."),
    },
    "Change memories": {
        "rename": Entry("cli.nodes.curation:rename", "Rename a topic."),
        "move": Entry("cli.nodes.curation:move", "Move a topic to the other root."),
        "pin": Entry("cli.nodes.curation:pin", "Keep a memory from fading."),
        "unpin": Entry("cli.nodes.curation:unpin", "Let a pinned memory fade again."),
        "forget": Entry("cli.nodes.curation:forget", "Make a memory dead; it can be revived."),
        "revive": Entry("cli.nodes.curation:revive", "Make a dying, dead or forgotten memory active again."),
        "mute": Entry("cli.facts.asked_in_talk:mute", "Keep something from being brought up."),
        "unmute": Entry("cli.facts.asked_in_talk:unmute", "Let something be brought up again."),
        "erase": Entry("cli.accounts.erasure:erase", "Erase a memory, a note, a Being or a user for good."),
        "correct": Entry("cli.nodes.curation:correct", "Correct parts of a memory."),
    },
}
COMMANDS = {name: entry for panel in PANELS.values() for name, entry in panel.items()}


class LazyGroup(TyperGroup):
    """A group that lists its commands without importing their modules."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Replace the placeholder that the help lists by the imported command."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and COMMANDS[listed.name or ""].load(), rest

    def format_commands(self, _: Any, formatter: Any) -> None:
        """List the commands by their panels."""
        for panel, entries in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, entry.line) for name, entry in entries.items()])


app = Typer(
    name="patrol",
    cls=LazyGroup,
    help="Long-term memory for AI companions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"Memory Patrol {VERSION}")
        raise typer.Exit


@app.callback()
def patrol(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Long-term memory for AI companions."""


for name, entry in COMMANDS.items():
    app.command(name, help=entry.line)(lambda: None)
