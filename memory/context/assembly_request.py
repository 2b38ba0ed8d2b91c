"""The request for a context, and all that must be read before its message is embedded."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from uuid import UUID

from memory.context.rag_context import EarlyVector
from memory.context.regions import DEFAULT
from schemas.accounts.accounts import Being
from schemas.context.context import AssemblyOptions, Profile
from schemas.wire.fields import Role
from store.context import context as material
from store.context.context import OpenSession
from store.facts import fact_vectors
from store.search import documents
from store.transaction import Transaction

CONVERSATION = "conversation"
KEPT = ("skills", "user-model")
# The legend of the fences, and the message to be answered: a request chooses among the other regions.
ALWAYS = frozenset({"instructions", DEFAULT})


@dataclass(frozen=True)
class AssemblyRequest:
    """The request for one context.

    Attributes:
        options: Process, budget and form.
        message: The message that the answer is for; None if there is none.
        message_id: Its id, if it is stored.
        role: The role of its speaker.
        speaker: The speaker's name, if known.
        conversation: The conversation that it is for; None: the session's or the message's, else the one without an id.
        session_id: The session; None selects the message's session, else the conversation's open one.
        reassembled: True if the prompt is assembled anew for each turn, and does not stay in the model's session.
        shown: Messages that the caller's own prompt shows; memory that rests on these alone is not repeated.
        inserted: True if the context goes into a prompt of the caller's as system content: `text` is the context
            without the conversation and the message.
        embedded: Waits for a vector that is computed meanwhile; used if it is the message's.
        off_the_record: True if the message is off the record by itself, beside `options`.
        recorded: Called with the text when its provenance is recorded: the part with the same bytes from turn to turn,
            and the part behind it. Its nodes are activated after that.
    """

    options: AssemblyOptions
    message: str | None = None
    message_id: UUID | None = None
    conversation: str | None = None
    session_id: UUID | None = None
    role: Role = "user"
    speaker: str | None = None
    reassembled: bool = False
    shown: frozenset[UUID] = frozenset()
    inserted: bool = False
    embedded: Callable[[], EarlyVector | None] | None = None
    off_the_record: bool = False
    recorded: Callable[[str, str], None] | None = None


@dataclass(frozen=True)
class PreparedAssembly:
    """A request together with the rows that must be read before its message is embedded.

    Attributes:
        profile: The process profile, which names the regions.
        session: The session, if there is one.
        facts_model: The model of the vectors of the user's facts; None until facts have vectors.
        talk_model: The model of the vectors of the Being's messages; None until there are any.
        off_the_record: Whether the request, its conversation or the Being is off the record.
    """

    request: AssemblyRequest
    profile: Profile
    session: OpenSession | None
    facts_model: str | None
    talk_model: str | None
    off_the_record: bool

    @property
    def writes(self) -> bool:
        """Whether found nodes are activated, and the context's provenance is recorded."""
        return self.request.options.activate and not self.off_the_record

    @property
    def conversation(self) -> str | None:
        """The conversation with the lines and regions that the context shows; None is the one without an id."""
        return self.session.conversation if self.session else self.request.conversation

    def includes(self, region: str) -> bool:
        """Returns true if the context has this region, should it have content."""
        options = self.request.options
        if self.request.inserted and region == CONVERSATION:
            return False
        if region in ALWAYS:
            return self.profile.includes(region)
        if region in options.without:
            return False
        if region in options.with_regions:
            return True
        return self.profile.includes(region) if options.only is None else region in options.only

    @property
    def kept(self) -> Collection[str]:
        """The regions that are shown though this session has seen them before (DESIGN section 9, `keep`)."""
        if self.profile.keep is not None:
            return self.profile.keep
        return KEPT if self.request.reassembled else ()

    @property
    def order(self) -> tuple[str, ...]:
        """The order of regions; default profiles put kept ones before the snapshot, where a cache serves them."""
        if self.request.options.order is not None:
            return tuple(self.request.options.order)
        regions = self.profile.regions
        if not self.profile.is_default:
            return tuple(regions)
        kept = [name for name in regions if name in self.kept]
        rest = [name for name in regions if name not in kept]
        place = next((place for place, name in enumerate(rest) if name in {"snapshot", CONVERSATION}), len(rest))
        return (*rest[:place], *kept, *rest[place:])


def prepare(tx: Transaction, being: Being, profile: Profile, request: AssemblyRequest) -> PreparedAssembly:
    """Read the session and the models of facts and talk, before the message is embedded without a connection.

    Raises:
        NotFound: The conversation has no such session.
    """
    session = material.session(
        tx, being.being_id, request.conversation, session_id=request.session_id, message_id=request.message_id
    )
    indexed = documents.owner(tx, being.being_id)
    talk_model = indexed.embedding_model if indexed else None
    conversation = session.conversation if session else request.conversation
    off_the_record = request.options.off_the_record or request.off_the_record or being.is_off_the_record(conversation)
    return PreparedAssembly(
        request, profile, session, fact_vectors.serving_model(tx, being.user_id), talk_model, off_the_record
    )
