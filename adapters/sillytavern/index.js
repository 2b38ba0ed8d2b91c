/**
 * Memory Patrol for SillyTavern: recalled memories go into the prompt, and messages are handed in.
 *
 * After each event the chat is compared with the messages handed in of it: new ones are handed in, those that are gone (edited,
 * deleted, swiped away) are retracted, and those that came back (a swipe to an earlier answer) stand again. The messages handed in
 * are noted in the chat's metadata, so that changes made while the API was away arrive later. A message is known by its
 * speaker, time and text, as in `patrol import --from sillytavern`, so that a branch, which is a chat of its own with the
 * same beginning, and an import of the same chat double nothing.
 *
 * A group whose room the API knows is that room: each member is a Being, and each line goes to those that were present.
 */

const MODULE = 'memory_patrol';
const DEFAULTS = {
    enabled: true, offTheRecord: false, url: 'http://127.0.0.1:8765', token: '', beings: {}, budget: 4000, timeout: 5000,
};
const AT_ONCE = 100;
const MOST_ASKED = 8000;
const IN_PROMPT = 0;
const ID = 'sillytavern/';
const HEARD_BY = 'memory_patrol_heard_by';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// The importer in memory/intake/importers/sillytavern.py knows the same three.
const NOT_SAID = new Set(['', '...', '…']);
const NO_TALK = new Set([
    'help', 'welcome', 'welcome_prompt', 'empty', 'generic', 'slash_commands', 'formatting', 'hotkeys', 'macros', 'narrator',
    'comment', 'assistant_note', 'assistant_message',
]);
const PROGRAM_ITSELF = 'SillyTavern System';
const PROGRAM = new Set(['System', 'Note', '']);

const context = () => SillyTavern.getContext();

function settings() {
    const all = context().extensionSettings;
    all[MODULE] = { ...DEFAULTS, ...all[MODULE] };
    return all[MODULE];
}

// --- the API ---

class NotReached extends Error {}

const ofBeing = (being) => `beings/${encodeURIComponent(being)}`;

/** Post to a path, or get it. */
async function ask(path, content, { missing = false } = {}) {
    const { url, token, timeout } = settings();
    let answer;
    try {
        answer = await fetch(`${url.replace(/\/+$/, '')}/v1/${path}`, {
            method: content ? 'POST' : 'GET',
            headers: { Authorization: `Bearer ${token}`, ...(content && { 'Content-Type': 'application/json' }) },
            body: content && JSON.stringify(content),
            signal: AbortSignal.timeout(timeout),
        });
    } catch (fault) {
        throw new NotReached(`no answer (${fault.name})`);
    }
    if (missing && answer.status === 404) {
        return null;
    }
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok && !Array.isArray(told.rejected)) {
        throw new NotReached(told.detail ?? `status ${answer.status}`);
    }
    // The problem of a batch whose items were all refused has no receipt, and names the first refusals.
    return answer.ok ? told : { conflicts: [], duplicates: 0, erased: [], off_the_record: [], ...told };
}

/**
 * A character's name as a slug. A digest tells apart names whose difference a slug can't show: letters of other scripts, a
  * name of signs alone, and characters beyond the 63rd. Marks on Latin letters, and signs beside them, are left out.
 */
export function slugOf(name) {
    const plain = name.normalize('NFC').trim().toLowerCase();
    const shown = plain.replace(/[^a-z0-9_-]+/g, '-').replace(/^[-_]+|(?<![-_])[-_]+$/g, '');
    const isShown = !/(?!\p{Script=Latin})[\p{L}\p{N}](?<![a-z0-9])/u.test(plain);
    if (!plain || (shown && isShown && shown.length <= 63 && shown !== 'shared')) {
        return shown;
    }
    return `${shown.slice(0, 54).replace(/[-_]+$/, '') || 'being'}-${sha256(plain).slice(0, 8)}`;
}

/** The Being of a character, or the room of a group: as set for it, else its name as a slug. */
const named = (key, name = key) => settings().beings[key] || slugOf(name);

/** The Being of the current character; in a group without a room one of its own. */
function beingOf({ name2, groupId, characterId, characters }) {
    return named(groupId ? 'group' : (characters?.[characterId]?.name ?? name2 ?? ''));
}

const groupOf = ({ groupId, groups }) => (groupId ? groups?.find((one) => one.id === groupId) : undefined);
const nameOf = ({ characters }, avatar) => characters?.find((one) => one.avatar === avatar)?.name;

/** The room of the open group, as the API knows it now; null without one. */
async function roomOf(now) {
    const group = groupOf(now);
    const slug = group && named(`group ${group.name}`, group.name);
    return group ? ask(`rooms/${encodeURIComponent(slug)}`, undefined, { missing: true }) : null;
}

/** Note at each new line of a group the members that are not muted: edited, or in a branch, it goes to the same. */
function noteHearers(now) {
    const { members, disabled_members: muted = [] } = groupOf(now) ?? {};
    const hearers = members?.filter((one) => !muted.includes(one));
    now.chat.forEach((message) => {
        message[HEARD_BY] ??= hearers;
    });
}

/** A line of a group as an utterance in its room, for those that heard it, by Presence or as noted, and take part there. */
function utterance(one, message, now, { beings }) {
    const { role: _, speaker, ...said } = one;
    const beingOfAvatar = (avatar) => {
        const being = named(nameOf(now, avatar) ?? '');
        return beings.includes(being) || UUID.test(being) ? being : undefined;
    };
    const isNoted = Array.isArray(message.present);
    const own = message.is_user ? undefined : beingOfAvatar(message.original_avatar);
    const by = own ? { speaker_being: own } : { role: message.is_user ? 'user' : 'other', speaker };
    const present = (isNoted ? message.present : message[HEARD_BY]).map(beingOfAvatar).filter(Boolean);
    return { ...said, ...by, present: own && !present.includes(own) ? [...present, own] : present, isNoted };
}

/** Whether the chat is saved: a temporary one (`/tempchat`) is of no character and no group, and leaves nothing. */
function isSaved({ groupId, characterId, getCurrentChatId }) {
    return Boolean(groupId || characterId !== undefined) && Boolean(getCurrentChatId());
}

function ready() {
    const { enabled, token } = settings();
    return Boolean(enabled && token && isSaved(context()));
}

// --- the lines of the chat ---

/** Whether the program wrote a line, or it is no part of the talk. A line that a person hides from the model is part of it. */
function isNoTalk({ name, is_user: isUser, is_system: isHidden, extra }) {
    const named = (name ?? '').trim();
    const isPrograms = !isUser && (named === PROGRAM_ITSELF || Boolean(isHidden && PROGRAM.has(named)));
    return NO_TALK.has(extra?.type) || Boolean(extra?.tool_invocations) || isPrograms;
}

/** The messages of the chat, oldest first, each with its id and its line. */
function said(now) {
    const { chat, streamingProcessor, timestampToMoment } = now;
    const writing = streamingProcessor && !streamingProcessor.isFinished ? chat.length - 1 : -1;
    const seen = new Map();
    const found = [];
    chat.forEach((message, place) => {
        if (isNoTalk(message) || place === writing || NOT_SAID.has((message.mes ?? '').trim())) {
            return;
        }
        const parts = [message.name, message.is_user ? '1' : '0', String(message.send_date ?? ''), message.mes];
        const digest = sha256(parts.join('\0'));
        seen.set(digest, (seen.get(digest) ?? 0) + 1);
        const times = seen.get(digest);
        const at = timestampToMoment ? timestampToMoment(message.send_date).toDate() : new Date(message.send_date);
        const one = {
            id: `${ID}${digest}${times > 1 ? `/${times}` : ''}`,
            role: message.is_user ? 'user' : 'assistant',
            speaker: message.name,
            content: message.mes,
            created_at: Number.isNaN(at.getTime()) ? undefined : at.toISOString(),
        };
        found.push([one, message]);
    });
    return found;
}

/** Which chat of SillyTavern is open: a branch has another one's metadata, except for the field that names its chat. */
function chatOf({ groupId, characterId, characters, name2, getCurrentChatId, chatMetadata }) {
    const character = groupId ? 'group' : (characters?.[characterId]?.name ?? name2);
    const { main_chat: branchOf, integrity } = chatMetadata ?? {};
    return { character, file: getCurrentChatId(), branchOf, integrity };
}

/**
 * The notes on this chat in its metadata, or null: then nothing of it was handed in. A file of another name is the same
 * chat if it is neither a branch nor a copy, so if no file has the noted name any longer.
 */
async function noted(now) {
    const kept = now.chatMetadata?.[MODULE];
    const { file, branchOf, integrity } = chatOf(now);
    if (!Array.isArray(kept?.handedIn)) {
        return null;
    }
    if (kept.file === file) {
        return kept;
    }
    const isBranch = kept.branchOf !== branchOf || (kept.integrity && kept.integrity !== integrity);
    return !isBranch && (await files(now))?.includes(kept.file) === false ? kept : null;
}

/** The names of the chats of the open character or group; undefined if SillyTavern does not give them. */
async function files({ groupId, groups, characters, characterId, getRequestHeaders }) {
    if (groupId) {
        return groups?.find((one) => one.id === groupId)?.chats;
    }
    const answer = await fetch('/api/characters/chats', {
        method: 'POST',
        headers: getRequestHeaders(),
        body: JSON.stringify({ avatar_url: characters[characterId].avatar, simple: true }),
    }).catch(() => null);
    const listed = answer?.ok ? await answer.json().catch(() => null) : null;
    return Array.isArray(listed) ? listed.map((one) => String(one.file_name).replace(/\.jsonl$/, '')) : undefined;
}

/** The messages handed in of the open chat, by id. */
let open = { chat: null, conversation: '', handedIn: new Set(), shared: new Set(), present: new Map(), isNoted: true };

/** Find out which messages of the chat were handed in, when it is opened; returns those, and the name of its conversation. */
async function opened(now) {
    const { character, file } = chatOf(now);
    const chat = `sillytavern/${character}/${file}`;
    if (open.chat !== chat) {
        const kept = await noted(now);
        open = {
            chat,
            conversation: kept?.conversation ?? chat,
            handedIn: new Set((kept?.handedIn ?? []).map((id) => ID + id)),
            // The lines that a branch of a group's chat shares with that chat stand in the same room, and stay.
            shared: new Set((kept?.shared ?? []).map((id) => ID + id)),
            present: new Map(Object.entries(kept?.present ?? {}).map(([id, told]) => [ID + id, told])),
            isNoted: true,
        };
        if (!kept && chatOf(now).branchOf) {
            said(now).forEach(([one]) => open.shared.add(one.id));
        }
    }
    return open;
}

async function bringUpToDate() {
    if (!ready()) {
        return;
    }
    // Another chat may be opened while requests are under way.
    const now = context();
    noteHearers(now);
    const lines = said(now);
    const state = await opened(now);
    const room = await roomOf(now);
    const to = room ? `rooms/${room.room_id}` : ofBeing(beingOf(now));
    const messages = lines.map(([one, message]) => (room ? utterance(one, message, now, room) : one));
    const ids = new Set(messages.map((one) => one.id));
    const gone = [...state.handedIn].filter((id) => !ids.has(id));
    for (let begin = 0; begin < gone.length; begin += AT_ONCE) {
        const some = gone.slice(begin, begin + AT_ONCE);
        // The messages that a branch shares with its chat stand in that one, and stay.
        const own = room ? some.filter((id) => !state.shared.has(id)) : some;
        if (own.length) {
            await ask(`${to}/messages/retract`, room ? { ids: own } : { ids: own, conversation: state.conversation });
        }
        some.forEach((id) => state.handedIn.delete(id) && state.present.delete(id));
        state.isNoted = false;
    }
    for (const one of messages) {
        await followPresence(state, one);
    }
    const fresh = messages.filter((one) => !state.handedIn.has(one.id));
    const refused = [];
    const { offTheRecord } = settings();
    for (let begin = 0; begin < fresh.length && !offTheRecord; begin += AT_ONCE) {
        refused.push(...await handIn(state, to, room, fresh.slice(begin, begin + AT_ONCE)));
    }
    if (offTheRecord && fresh.length) {
        // Noted as if it were handed in, so that it is not when the chat goes on on the record.
        fresh.forEach((one) => state.handedIn.add(one.id));
        state.isNoted = false;
    }
    if (!state.isNoted) {
        await note(now, state);
    }
    if (gone.length || fresh.length) {
        const why = refused.length ? ` Refused ${refused.length}: ${refused[0]}` : '';
        const kept = offTheRecord ? `Off the record: ${fresh.length} not kept` : `Handed in ${fresh.length - refused.length}`;
        tell(`${kept}, retracted ${gone.length}.${why}`);
    }
}

/** A line that Presence shows to other members than before is retracted from those that lost it, or handed to the new ones. */
async function followPresence(state, { id, present, isNoted }) {
    const before = state.present.get(id);
    if (!isNoted || !before || String(before) === String(present)) {
        return;
    }
    for (const being of before.filter((one) => !present.includes(one))) {
        await ask(`${ofBeing(being)}/messages/retract`, { ids: [id] });
    }
    if (present.some((one) => !before.includes(one))) {
        state.handedIn.delete(id);
    }
    state.present.set(id, present);
    state.isNoted = false;
}

/** Let messages that were known stand again: in a room for those that hear them. */
async function restore(to, messages, where) {
    const beings = new Set(messages.flatMap((one) => one.present ?? []));
    const paths = messages.some((one) => one.present) ? [...beings].map(ofBeing) : [to];
    for (const path of paths) {
        const told = messages.filter((one) => !one.present || one.present.some((being) => ofBeing(being) === path));
        await ask(`${path}/messages/restore`, { ids: told.map((one) => one.id), ...where }, { missing: true });
    }
}

/** Hand messages in; returns why some of them were refused. */
async function handIn(state, to, room, messages) {
    const where = room ? {} : { conversation: state.conversation };
    const receipt = await ask(`${to}/messages`, messages.map(({ isNoted: _, ...one }) => ({ ...one, ...where })));
    const unkept = [...receipt.erased, ...receipt.off_the_record];
    const unknown = new Set([...unkept, ...receipt.rejected.map((one) => one.position)]);
    const known = messages.filter((_, place) => !unknown.has(place));
    if ((receipt.duplicates || receipt.conflicts.length) && known.length) {
        await restore(to, known, where);
    }
    messages.forEach((one) => state.handedIn.add(one.id) && one.present && state.present.set(one.id, one.present));
    state.isNoted = false;
    const refused = receipt.rejected.map((one) => one.reason);
    return [...refused, ...Array(receipt.more ?? 0).fill(refused[0])];
}

/** Note in the chat's metadata which messages were handed in of it. */
async function note(now, state) {
    // Metadata are saved with the chat that is open.
    if (!now.chatMetadata || context().chatMetadata !== now.chatMetadata) {
        return;
    }
    const { file, branchOf, integrity } = chatOf(now);
    const [handedIn, shared] = [state.handedIn, state.shared].map((ids) => [...ids].map((id) => id.slice(ID.length)));
    const present = Object.fromEntries([...state.present].map(([id, told]) => [id.slice(ID.length), told]));
    now.chatMetadata[MODULE] = { conversation: state.conversation, file, branchOf, integrity, handedIn, shared, present };
    await now.saveMetadata();
    state.isNoted = true;
}

let queue = Promise.resolve();

/** Bring memory up to date once the running update has ended; a message that fails is tried again at the next event. */
function followed() {
    // Requests under way may take longer than a member stays muted.
    noteHearers(context());
    queue = queue.then(bringUpToDate).catch((fault) => {
        console.warn(`Memory Patrol: ${fault.message}`);
        tell(`Not up to date: ${fault.message}`);
    });
    return queue;
}

// --- recalled memories ---

globalThis.memoryPatrolRecall = async function memoryPatrolRecall(_chat, _contextSize, _abort, type) {
    const now = context();
    if (type === 'quiet' || type === 'impersonate') {
        return;
    }
    // The words of the chat itself: SillyTavern puts the texts of attached files before those that it gives here.
    const asked = now.chat.findLast((message) => message.is_user && !message.is_system)?.mes;
    let text = '';
    if (ready() && asked) {
        try {
            const room = await roomOf(now);
            // In a group the current character is the one that is to speak.
            const being = room ? named(now.characters[now.characterId]?.name ?? now.name2) : beingOf(now);
            const found = await ask(`${ofBeing(being)}/context`, {
                message: asked.slice(0, MOST_ASKED),
                conversation: room ? room.room_id : (await opened(now)).conversation,
                process: 'chatFrontend',
                budget_tokens: settings().budget,
                off_the_record: settings().offTheRecord,
            });
            text = found.text ?? '';
            show(text, found.regions);
        } catch (fault) {
            recalled.textContent = 'Nothing.';
            tell(`Answered without memory: ${fault.message}`);
        }
    }
    now.setExtensionPrompt(MODULE, text, IN_PROMPT, 0);
};

// --- the panel ---

const element = (name, attributes = {}, ...children) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.append(...children);
    return made;
};
const status = element('div', { className: 'memory-patrol-status', role: 'status' });
const recalled = element('pre', { className: 'memory-patrol-recalled', tabIndex: 0 });
recalled.setAttribute('aria-label', 'What was recalled for the last answer');

function tell(words) {
    if (words) {
        status.textContent = words;
    }
}

function show(text, regions) {
    recalled.textContent = text || 'Nothing.';
    const shown = (regions ?? []).filter((one) => !one.dropped).map((one) => `${one.region} ${one.tokens}`);
    tell(`Recalled, in tokens: ${shown.join(', ') || 'nothing'}.`);
}

function panel() {
    const field = (name, type, read, write) => {
        const input = element('input', { type, id: `memory_patrol_${name}` });
        const change = () => {
            write(type === 'checkbox' ? input.checked : input.value);
            context().saveSettingsDebounced();
            followed();
        };
        input.addEventListener('change', change);
        input.refresh = () => {
            if (type === 'checkbox') {
                input.checked = read();
            } else {
                input.value = read();
            }
        };
        input.refresh();
        return input;
    };
    const set = (key) => (value) => {
        settings()[key] = value;
    };
    const shownName = () => {
        const group = groupOf(context());
        return group ? named(`group ${group.name}`, group.name) : beingOf(context());
    };
    const being = field('being', 'text', () => (context().getCurrentChatId() ? shownName() : ''), (value) => {
        const { name2, characterId, characters } = context();
        const group = groupOf(context());
        settings().beings[group ? `group ${group.name}` : (characters?.[characterId]?.name ?? name2)] = value.trim();
    });
    const fields = [
        ['Remember and recall', field('enabled', 'checkbox', () => settings().enabled, set('enabled'))],
        ['Off the record (recall, keep nothing)', field('off', 'checkbox', () => settings().offTheRecord, set('offTheRecord'))],
        ['URL of the API', field('url', 'url', () => settings().url, set('url'))],
        ['Token (scopes ingest and read)', field('token', 'password', () => settings().token, set('token'))],
        ["This character's Being, or this group's room", being],
    ];
    const drawer = element(
        'details',
        { className: 'memory-patrol', open: true },
        element('summary', { textContent: 'Memory Patrol' }),
        ...fields.map(([label, input]) => element('label', {}, `${label} `, input)),
        status,
        element('b', { textContent: 'Recalled for the last answer' }),
        recalled,
    );
    (document.getElementById('extensions_settings2') ?? document.body).append(drawer);
    return () => being.refresh();
}

// --- SHA-256, because browsers offer theirs only to pages with HTTPS ---

const K = new Uint32Array(64);
const H = new Uint32Array(8);
for (let n = 2, i = 0; i < 64; n += 1) {
    if (Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, d) => d + 2).every((d) => n % d)) {
        const fraction = (root) => (root - Math.floor(root)) * 2 ** 32;
        if (i < 8) {
            H[i] = fraction(Math.sqrt(n));
        }
        K[i] = fraction(Math.cbrt(n));
        i += 1;
    }
}

export function sha256(text) {
    const bytes = new TextEncoder().encode(text);
    const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(padded.length - 4, bytes.length << 3);
    const turn = (x, by) => (x >>> by) | (x << (32 - by));
    const hash = Uint32Array.from(H);
    const w = new Uint32Array(64);
    for (let block = 0; block < padded.length; block += 64) {
        for (let i = 0; i < 64; i += 1) {
            const [x, y] = [w[i - 15], w[i - 2]];
            w[i] = i < 16
                ? view.getUint32(block + i * 4)
                : w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
        }
        let [a, b, c, d, e, f, g, h] = hash;
        for (let i = 0; i < 64; i += 1) {
            const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
            const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
        }
        [a, b, c, d, e, f, g, h].forEach((value, place) => {
            hash[place] += value;
        });
    }
    return [...hash].map((value) => value.toString(16).padStart(8, '0')).join('');
}

// --- the beginning ---

const EVENTS = [
    'MESSAGE_SENT', 'MESSAGE_RECEIVED', 'MESSAGE_SWIPED', 'MESSAGE_EDITED', 'MESSAGE_UPDATED', 'MESSAGE_DELETED',
    'MESSAGE_SWIPE_DELETED', 'GENERATION_ENDED', 'CHAT_CHANGED',
];

function begin() {
    const { eventSource, eventTypes } = context();
    const refresh = panel();
    EVENTS.filter((name) => eventTypes[name]).forEach((name) => eventSource.on(eventTypes[name], followed));
    eventSource.on(eventTypes.CHAT_CHANGED, refresh);
    // Memories recalled for one chat, or one member of a group, are in no other's prompt: before a quiet request nothing is recalled.
    for (const changed of [eventTypes.CHAT_CHANGED, eventTypes.GROUP_MEMBER_DRAFTED]) {
        eventSource.on(changed, () => context().setExtensionPrompt(MODULE, '', IN_PROMPT, 0));
    }
    followed();
}

begin();
