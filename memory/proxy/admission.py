"""Decides on a chat completion's Being, upstream, model and payer, and accounts for its cost."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from uuid import UUID

from memory.llm.key_encryption import DecryptionFailed, key_cipher
from memory.llm.keys import decrypt
from memory.proxy.reading.comparison import beings_named
from memory.proxy.taking import answer_traces
from memory.text.errors import InvalidRequest
from providers.completion import Usage
from providers.prices import cost_of, priced_name
from schemas.accounts.accounts import Being
from schemas.errors import BudgetSpent, NotFound, Unavailable
from schemas.llm.calls import Outcome, PaidWith
from schemas.proxy.upstreams import Upstream, WireName
from schemas.settings import Settings
from schemas.text.storable import storable
from store.accounts import beings, users
from store.database import Store
from store.llm import budgets, calls, keys
from store.llm.calls import Account
from store.transaction import Transaction

# A name of a model: printable ASCII, without blanks at its ends.
_MODEL = re.compile(r"[!-~](?:[ -~]{0,198}[!-~])?")
# After how many seconds a client may ask again for a model without a price of the operator's.
PRICE_SECONDS = 3600.0
# The name in metrics of a model that the operator neither lists nor prices.
OTHER_MODEL = "other"


@dataclass(frozen=True, slots=True)
class RequestedNames:
    """The names that a request gives.

    Attributes:
        upstream_name: The upstream's name.
        upstream: The upstream.
        model: The model's name there.
        being: The Being's id or slug; None if the request names none.
        surcharge: A field by which it may cost more than the model's price says; None: it has none.
        continues: The id of the answer that it goes on from and may pay for again; None: it shows all itself.
        refers_to: The ids of all stored items of the upstream that it names, that one among them.
    """

    upstream_name: str
    upstream: Upstream
    model: str
    being: str | None
    surcharge: str | None = None
    continues: str | None = None
    refers_to: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ProxyPayer:
    """The paying key; the key is None at an upstream that asks for none, and `key_id` unless it is a stored one."""

    paid_with: PaidWith
    key: str | None = field(repr=False)
    key_id: UUID | None = None


@dataclass(eq=False, slots=True)
class UnaccountedCost:
    """The most that a request may cost that was passed on before the accounts had it.

    Attributes:
        cost: Its highest cost in dollars, as far as its price is known.
        recorded: Whether the accounts have its cost by now.
    """

    cost: Decimal
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """A chat completion that may be passed on.

    Attributes:
        requested: Upstream and model.
        being: The Being that answers.
        payer: The payer.
        call_id: Its row in the accounts; None if it was passed on while the database was down or slow.
        reserved: The tokens that are reserved for it.
        unaccounted: Without a row, its highest cost.
    """

    requested: RequestedNames
    being: Being
    payer: ProxyPayer
    call_id: UUID | None
    reserved: Usage
    unaccounted: UnaccountedCost | None = None

    @property
    def account(self) -> Account:
        """The owner of the call in the accounts."""
        return Account(self.being.being_id, None, None, self.payer.paid_with)


class NoPayer(Exception):
    """No key can pay for the request; the message names the remedy."""


class UnknownAnswer(Exception):
    """The request names an answer that the Being has not got; the message names the remedy."""


def read_model(settings: Settings, wire: WireName, model: str, being: str | None) -> RequestedNames:
    """Read the name of a model: `model`, `model@being`, `upstream/model` or `upstream/model@being`.

    Args:
        settings: The upstreams.
        wire: The wire that the client speaks.
        model: The name, as the client sent it.
        being: The Being that a header names; then another name behind an `@` belongs to the model's name.

    Raises:
        InvalidRequest: There is no upstream, it does not offer the model, or no model has such a name.
    """
    upstreams = upstreams_of(settings, wire)
    name, slash, rest = model.partition("/")
    if not (slash and rest and name in settings.proxy_upstreams):
        name, rest = next(iter(upstreams)), model
    if name not in upstreams:
        raise InvalidRequest(
            f"The upstream `{name}` does not speak this wire, and nothing is translated: name another, or the operator"
            f' adds "{wire}" to its `wires` in PATROL_PROXY_UPSTREAMS.'
        )
    upstream = upstreams[name]
    plain, _, suffix = rest.rpartition("@")
    # A name that the operator offers is whole, even with an `@`; a header's Being may stand behind the name as well.
    is_whole = rest in (upstream.models or ())
    if plain and suffix and not is_whole and being in {None, suffix}:
        rest, being = plain, suffix
    if not _MODEL.fullmatch(rest):
        raise InvalidRequest("The name of a model has at most 200 characters, all of them printable ASCII.")
    if upstream.models is not None and rest not in upstream.models:
        raise InvalidRequest("The operator does not offer this model: GET /openai/v1/models lists those that are.")
    return RequestedNames(name, upstream, rest, being)


def upstreams_of(settings: Settings, *wires: WireName) -> dict[str, Upstream]:
    """Return the upstreams that speak any of these wires, the default first.

    Raises:
        InvalidRequest: There is none; the text says which setting the operator changes.
    """
    if not settings.proxy_upstreams:
        raise InvalidRequest("The proxy is off: the operator sets PATROL_PROXY_UPSTREAMS.")
    found = {name: each for name, each in settings.proxy_upstreams.items() if not set(wires).isdisjoint(each.wires)}
    if not found:
        raise InvalidRequest(
            "No upstream speaks this wire, and nothing is translated: the operator adds "
            f'"{wires[0]}" to the `wires` of one in PATROL_PROXY_UPSTREAMS.'
        )
    return found


def admit(
    store: Store, settings: Settings, user_id: UUID, only_being: UUID | None, requested: RequestedNames, expected: Usage
) -> Admission:
    """Find the Being and the key, and reserve the cost.

    Args:
        store: The ledger.
        settings: Prices and the platform's budget.
        user_id: The token's user.
        only_being: The Being that the token is bound to, if it is.
        requested: The names that the request gives.
        expected: Its tokens: the prompt's, estimated, and the most of the answer.

    Raises:
        NotFound: The user has no such Being, or the token gives no access to it.
        InvalidRequest: The request names no Being, and the user has several; or the platform pays within a budget, and
            it may cost more than the model's price says.
        NoPayer: No key can pay.
        UnknownAnswer: It names an answer that this Being has not got, and others use the key as well.
        BudgetSpent: The platform would pay, and the rest of its budget for the user is smaller.
        Unavailable: The database is unavailable.
    """
    with budgets.noted(store), store.transaction() as tx:
        being = _being(tx, user_id, only_being, requested.being)
        payer = _payer(tx, settings, user_id, requested)
        expected = _with_upstream_talk(tx, being, requested, payer, expected)
        cost = highest_cost(settings, requested, expected)
        limits = budgets.chat_limits(settings, cost, is_free=requested.upstream.is_free)
        _check_price(settings, requested, payer, [being.daily_cost, users.get_user(tx, user_id).daily_cost])
        account = Account(being.being_id, None, None, payer.paid_with)
        call_id = _reserve(tx, settings, account, requested, expected, limits)
    return Admission(requested, being, payer, call_id, expected)


def metric_model(settings: Settings, requested: RequestedNames) -> str:
    """Return a model's name in metrics: as the operator lists or prices it, else `other`."""
    if requested.upstream.models is not None:
        return requested.model
    return priced_name(requested.model, settings.prices) or OTHER_MODEL


def platform_payer(upstream: Upstream) -> ProxyPayer | None:
    """Return the platform as the payer, if the operator allows it or the upstream is free."""
    if upstream.key is not None:
        return ProxyPayer("platform", upstream.key.get_secret_value())
    return ProxyPayer("platform", None) if upstream.is_free else None


def payer_of(store: Store, settings: Settings, user_id: UUID, requested: RequestedNames) -> ProxyPayer:
    """Return the payer of a user's request to an upstream.

    Raises:
        NoPayer: No key can pay.
    """
    return store.run(_payer, settings, user_id, requested)


def beings_of(store: Store, user_id: UUID, only_being: UUID | None) -> list[str]:
    """Return the slugs of the Beings that a token gives access to."""
    with store.transaction() as tx:
        return [each.slug for each in beings.beings_of(tx, user_id) if only_being in {None, each.being_id}]


def cost(settings: Settings, requested: RequestedNames, usage: Usage) -> Decimal | None:
    """Return the cost of these tokens at an upstream; None if the model's price is unknown."""
    return Decimal(0) if requested.upstream.is_free else cost_of(requested.model, usage, settings.prices)


def highest_cost(settings: Settings, requested: RequestedNames, expected: Usage) -> Decimal | None:
    """Return the highest cost of at most these tokens; None if the model's price is unknown.

    All of the prompt may be written to the provider's cache, which may cost more than to read it.
    """
    written = Usage(output_tokens=expected.output_tokens, cache_write_tokens=expected.input_tokens)
    costs = [cost(settings, requested, usage) for usage in (expected, written)]
    return max((each for each in costs if each is not None), default=None)


def cost_without_accounts(
    settings: Settings, known: Admission, requested: RequestedNames, expected: Usage
) -> Decimal | None:
    """Return the highest cost of a request that is to pass before the accounts have it; None if its price is unknown.

    Args:
        settings: Prices and the platform's budget.
        known: An admission like it.
        requested: The names that the request gives.
        expected: The most tokens it may use.

    Raises:
        BudgetSpent: The price is unknown, and the platform pays within a budget.
        InvalidRequest: It may cost more than the price, and the platform pays within a budget.
        Unavailable: It names an answer, and the answer's owner can't be looked up.
    """
    if requested.refers_to and known.payer.paid_with != "user":
        raise Unavailable("The memory's database is unreachable: send the transcript itself, or try again later.")
    own_limits = [known.being.daily_cost]
    _check_price(settings, requested, known.payer, own_limits)
    highest = highest_cost(settings, requested, expected)
    if highest is None and is_budgeted(settings, requested, known.payer, own_limits):
        raise BudgetSpent(
            calls.refusal("proxy", "price"),
            owner_id=known.being.being_id,
            budget="proxy",
            lacking="price",
            retry_after=PRICE_SECONDS,
        )
    return highest


def is_budgeted(
    settings: Settings, requested: RequestedNames, payer: ProxyPayer, own_limits: Iterable[Decimal | None] = ()
) -> bool:
    """Whether a request counts against a budget in money, which refuses requests of unknown cost.

    Args:
        settings: The budgets of the platform.
        requested: The names that the request gives.
        payer: The payer.
        own_limits: Limits in dollars of the Being and the user themselves.
    """
    chosen = (limit.cost for limit in budgets.chat_limits(settings, None, is_free=False).values())
    limits = (*chosen, *own_limits)
    return (
        payer.paid_with == "platform" and not requested.upstream.is_free and any(limit is not None for limit in limits)
    )


def settle(store: Store, settings: Settings, admission: Admission, outcome: Outcome, usage: Usage | None) -> None:
    """Record the outcome and the cost of a call, once.

    Args:
        store: The ledger.
        settings: Prices.
        admission: The call.
        outcome: How it ended.
        usage: Its tokens; None: unknown, and the reservation stays as its cost.

    Raises:
        Unavailable: The database is unavailable.
    """
    owner_id = admission.being.being_id
    with store.transaction() as tx:
        call_id = admission.call_id
        if call_id is None:
            # It was passed on while the database was down or slow.
            call_id = _reserve(tx, settings, admission.account, admission.requested, admission.reserved, None)
        if usage is None:
            calls.settle_at_most(tx, owner_id, call_id, outcome)
        else:
            price = cost(settings, admission.requested, usage)
            calls.settle(tx, owner_id, call_id, outcome, cost=price, **asdict(usage))
    if admission.unaccounted is not None:
        admission.unaccounted.recorded = True


def mark_refused(store: Store, admission: Admission) -> None:
    """Record that the upstream refuses the user's stored key, if that paid: the memory's own work uses it no more.

    Raises:
        Unavailable: The database is unavailable.
    """
    if admission.payer.key_id is None:
        return
    refusal = f"The upstream `{admission.requested.upstream_name}` does not know the key (401)."
    store.run(keys.refuse, admission.being.user_id, admission.payer.key_id, refusal)


def _being(tx: Transaction, user_id: UUID, only: UUID | None, named: str | None) -> Being:
    if named is not None:
        found = beings.find_being(tx, user_id, storable(named))
        if found is None and len(candidates := beings_named(storable(named), beings.beings_of(tx, user_id))) == 1:
            # Frontends know characters by their names.
            found = candidates[0]
        if found is None or only not in {None, found.being_id}:
            raise NotFound(
                "You have no Being of that id, slug or name. It is what stands behind the last `@` of the model's name;"
                " for a model whose own name has an `@`, name the Being in the header X-Memory-Being."
            )
        return found
    if only is not None:
        return beings.get_being(tx, only)
    all_of_user = beings.beings_of(tx, user_id)
    if len(all_of_user) != 1:
        raise InvalidRequest(
            "Say which Being answers: append `@` and its slug to the model's name, send the header X-Memory-Being, or"
            " use a token that is bound to one Being."
        )
    return all_of_user[0]


def _with_upstream_talk(
    tx: Transaction, being: Being, requested: RequestedNames, payer: ProxyPayer, expected: Usage
) -> Usage:
    """The tokens of a request with those of the talk that the upstream keeps.

    Raises:
        UnknownAnswer: The key is not the user's own, so that others' talk is kept under it, and the Being has got no
            answer of that name.
    """
    if not requested.refers_to:
        return expected
    known = answer_traces.find_by_ids(tx, being.being_id, [*requested.refers_to])
    if payer.paid_with != "user" and requested.refers_to - known.keys():
        raise UnknownAnswer(
            "This memory has no answer of that id, and the upstream's account is not yours alone: send the transcript"
            " itself, or store your own key with POST /v1/keys."
        )
    before = known.get(requested.continues) if requested.continues else None
    return replace(expected, input_tokens=expected.input_tokens + (before.tokens if before else 0))


def _reserve(
    tx: Transaction,
    settings: Settings,
    account: Account,
    requested: RequestedNames,
    expected: Usage,
    limits: calls.Limits | None,
) -> UUID:
    return calls.reserve(
        tx,
        account,
        purpose="chat",
        provider=requested.upstream_name,
        model=requested.model,
        metric_model=metric_model(settings, requested),
        batch=False,
        input_tokens=expected.input_tokens,
        output_tokens=expected.output_tokens,
        cost=highest_cost(settings, requested, expected),
        limits=limits,
    )


def _check_price(
    settings: Settings, requested: RequestedNames, payer: ProxyPayer, own_limits: Iterable[Decimal | None]
) -> None:
    if requested.surcharge is not None and is_budgeted(settings, requested, payer, own_limits):
        raise InvalidRequest(
            f"The field `{requested.surcharge}` may cost more than the model's price says, and the platform pays for"
            " this request within a budget: leave the field out, or store your own key with POST /v1/keys."
        )


def _payer(tx: Transaction, settings: Settings, user_id: UUID, requested: RequestedNames) -> ProxyPayer:
    """The user's stored key, if the upstream accepts keys of its provider; else the platform's, if there is one."""
    provider = requested.upstream.provider
    key = keys.paying_at(tx, user_id, provider) if provider else None
    if key is not None:
        try:
            return ProxyPayer("user", decrypt(key_cipher(settings), key), key.key_id)
        except DecryptionFailed as fault:
            raise NoPayer(str(fault)) from None
    platform = platform_payer(requested.upstream)
    if platform is None:
        raise NoPayer(
            f"No key pays for this request: store your key for {provider}, with POST /v1/keys or `patrol key add`."
        )
    return platform
