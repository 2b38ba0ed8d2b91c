/**
 * Memory Patrol for SillyTavern: what was told before goes into the prompt, and what is said is handed in.
 *
 * After each event the chat is compared with what was handed in of it: what is new is handed in, what is gone (edited,
 * deleted, swiped away) is taken back, and what came back (a swipe to an earlier answer) stands again. What was handed in
 * is noted in the chat's metadata, so that changes made while the API was away arrive later. A message is known by its
 * speaker, time and text, as in `patrol import --from sillytavern`, so that a branch, which is a chat of its own with the
 * same beginning, and an import of the same chat double nothing.
 */

const MODULE = 'memory_patrol';
const DEFAULTS = { enabled: true, url: 'http://127.0.0.1:8765', token: '', beings: {}, budget: 4000, timeout: 5000 };
const AT_ONCE = 100;
const MOST_ASKED = 8000;
const IN_PROMPT = 0;
const ID = 'sillytavern/';
// The importer in memory/intake/importers/sillytavern.py knows the same three.
const NOT_SAID = new Set(['', '...', '…']);
const NO_TALK = new Set([
    'help', 'welcome', 'welcome_prompt', 'empty', 'generic', 'slash_commands', 'formatting', 'hotkeys', 'macros', 'narrator',
    'comment', 'assistant_note', 'assistant_message',
]);
const PROGRAM = new Set(['SillyTavern System', 'System', 'Note', '']);

const context = () => SillyTavern.getContext();

function settings() {
    const all = context().extensionSettings;
    all[MODULE] = { ...DEFAULTS, ...all[MODULE] };
    return all[MODULE];
}

// --- the API ---

class NotReached extends Error {}

async function post(being, path, content, { missing = false } = {}) {
    const { url, token, timeout } = settings();
    let answer;
    try {
        answer = await fetch(`${url.replace(/\/+$/, '')}/v1/beings/${encodeURIComponent(being)}/${path}`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
            body: JSON.stringify(content),
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
    return answer.ok ? told : { conflicts: [], duplicates: 0, erased: [], ...told };
}

/**
 * A character's name as a slug. What a slug can't show of it is told apart by a digest: letters of other scripts, a name
 * of signs alone, and what is beyond 63 characters. Marks on Latin letters, and signs beside them, are left away.
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

/** The Being of the current character: as set for it, else the character's name as a slug. */
function beingOf({ name2, groupId, characterId, characters }) {
    const name = groupId ? 'group' : (characters?.[characterId]?.name ?? name2 ?? '');
    return settings().beings[name] || slugOf(name);
}

/** Whether the chat is saved: a temporary one (`/tempchat`) is of no character and no group, and leaves nothing. */
function isSaved({ groupId, characterId, getCurrentChatId }) {
    return Boolean(groupId || characterId !== undefined) && Boolean(getCurrentChatId());
}

function ready() {
    const { enabled, token } = settings();
    return Boolean(enabled && token && isSaved(context()));
}

// --- what stands in the chat ---

/** Whether the program wrote a line, or it is told beside the talk. What a person hides from the model was said. */
function isNoTalk({ name, is_user: isUser, is_system: isHidden, extra }) {
    return NO_TALK.has(extra?.type) || Boolean(extra?.tool_invocations)
        || Boolean(isHidden && !isUser && PROGRAM.has((name ?? '').trim()));
}

/** The messages of the chat that were said, oldest first, each with its id. */
function said({ chat, streamingProcessor, timestampToMoment }) {
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
        found.push({
            id: `${ID}${digest}${times > 1 ? `/${times}` : ''}`,
            role: message.is_user ? 'user' : 'assistant',
            speaker: message.name,
            content: message.mes,
            created_at: Number.isNaN(at.getTime()) ? undefined : at.toISOString(),
        });
    });
    return found;
}

/** Which chat of SillyTavern is open: a branch has another one's metadata, but for what tells it from that chat. */
function chatOf({ groupId, characterId, characters, name2, getCurrentChatId, chatMetadata }) {
    const character = groupId ? 'group' : (characters?.[characterId]?.name ?? name2);
    const { main_chat: branchOf, integrity } = chatMetadata ?? {};
    return { character, file: getCurrentChatId(), branchOf, integrity };
}

/**
 * What is noted of this chat in its metadata, or null: then nothing of it was handed in. A file of another name is the same
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

/** The names of the chats of the open character or group; undefined if SillyTavern does not tell. */
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

/** What was handed in of the open chat, by id. */
let open = { chat: null, conversation: '', handedIn: new Set(), isNoted: true };

/** Find out what was handed in of the chat, when it is opened; returns that, and the name of its conversation. */
async function opened(now) {
    const { character, file } = chatOf(now);
    const chat = `sillytavern/${character}/${file}`;
    if (open.chat !== chat) {
        const kept = await noted(now);
        open = {
            chat,
            conversation: kept?.conversation ?? chat,
            handedIn: new Set((kept?.handedIn ?? []).map((id) => ID + id)),
            isNoted: true,
        };
    }
    return open;
}

async function bringUpToDate() {
    if (!ready()) {
        return;
    }
    // Another chat may be opened while requests are under way.
    const now = context();
    const being = beingOf(now);
    const messages = said(now);
    const state = await opened(now);
    const ids = new Set(messages.map((one) => one.id));
    const gone = [...state.handedIn].filter((id) => !ids.has(id));
    for (let begin = 0; begin < gone.length; begin += AT_ONCE) {
        const some = gone.slice(begin, begin + AT_ONCE);
        // What a branch shares with its chat stands in that one, and stays.
        await post(being, 'messages/retract', { ids: some, conversation: state.conversation });
        some.forEach((id) => state.handedIn.delete(id));
        state.isNoted = false;
    }
    const fresh = messages.filter((one) => !state.handedIn.has(one.id));
    const refused = [];
    for (let begin = 0; begin < fresh.length; begin += AT_ONCE) {
        refused.push(...await handIn(state, being, fresh.slice(begin, begin + AT_ONCE)));
    }
    if (!state.isNoted) {
        await note(now, state);
    }
    if (gone.length || fresh.length) {
        const why = refused.length ? ` Refused ${refused.length}: ${refused[0]}` : '';
        tell(`Handed in ${fresh.length - refused.length}, took back ${gone.length}.${why}`);
    }
}

/** Hand messages in; returns why some of them were refused. */
async function handIn(state, being, messages) {
    const { conversation } = state;
    const receipt = await post(being, 'messages', messages.map((one) => ({ ...one, conversation })));
    const unknown = new Set([...receipt.erased, ...receipt.rejected.map((one) => one.position)]);
    const known = messages.filter((_, place) => !unknown.has(place)).map((one) => one.id);
    if ((receipt.duplicates || receipt.conflicts.length) && known.length) {
        await post(being, 'messages/restore', { ids: known, conversation }, { missing: true });
    }
    messages.forEach((one) => state.handedIn.add(one.id));
    state.isNoted = false;
    const refused = receipt.rejected.map((one) => one.reason);
    return [...refused, ...Array(receipt.more ?? 0).fill(refused[0])];
}

/** Note in the chat's metadata what was handed in of it. */
async function note(now, state) {
    // Metadata are saved with the chat that is open.
    if (!now.chatMetadata || context().chatMetadata !== now.chatMetadata) {
        return;
    }
    const { file, branchOf, integrity } = chatOf(now);
    const handedIn = [...state.handedIn].map((id) => id.slice(ID.length));
    now.chatMetadata[MODULE] = { conversation: state.conversation, file, branchOf, integrity, handedIn };
    await now.saveMetadata();
    state.isNoted = true;
}

let queue = Promise.resolve();

/** Bring memory up to date once what is under way has ended; what fails is tried again at the next event. */
function followed() {
    queue = queue.then(bringUpToDate).catch((fault) => {
        console.warn(`Memory Patrol: ${fault.message}`);
        tell(`Not up to date: ${fault.message}`);
    });
    return queue;
}

// --- what is remembered ---

globalThis.memoryPatrolRecall = async function memoryPatrolRecall(_chat, _contextSize, _abort, type) {
    const now = context();
    if (type === 'quiet' || type === 'impersonate') {
        return;
    }
    // The words as they stand in the chat: SillyTavern puts the texts of attached files before those that it gives here.
    const asked = now.chat.findLast((message) => message.is_user && !message.is_system)?.mes;
    let text = '';
    if (ready() && asked) {
        try {
            const found = await post(beingOf(now), 'context', {
                message: asked.slice(0, MOST_ASKED),
                conversation: (await opened(now)).conversation,
                process: 'chatFrontend',
                budget_tokens: settings().budget,
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
    const being = field('being', 'text', () => (context().getCurrentChatId() ? beingOf(context()) : ''), (value) => {
        const { name2, groupId, characterId, characters } = context();
        settings().beings[groupId ? 'group' : (characters?.[characterId]?.name ?? name2)] = value.trim();
    });
    const fields = [
        ['Remember and recall', field('enabled', 'checkbox', () => settings().enabled, set('enabled'))],
        ['URL of the API', field('url', 'url', () => settings().url, set('url'))],
        ['Token (scopes ingest and read)', field('token', 'password', () => settings().token, set('token'))],
        ["This character's Being", being],
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
    // What was recalled for one chat is in no prompt of another one, as that of a quiet request, before which nothing is recalled.
    eventSource.on(eventTypes.CHAT_CHANGED, () => context().setExtensionPrompt(MODULE, '', IN_PROMPT, 0));
    followed();
}

begin();
