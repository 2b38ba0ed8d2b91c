/**
 * Memory Patrol for SillyTavern: what was told before goes into the prompt, and what is said is handed in.
 *
 * After each event the chat is compared with what was handed in of it: what is new is handed in, what is gone (edited,
 * deleted, swiped away) is taken back, and what came back (a swipe to an earlier answer) stands again. A message is known
 * by its speaker, time and text, as in `patrol import --from sillytavern`, so that a branch, which is a chat of its own with
 * the same beginning, and an import of the same chat double nothing.
 */

const MODULE = 'memory_patrol';
const DEFAULTS = { enabled: true, url: 'http://127.0.0.1:8765', token: '', beings: {}, budget: 4000, timeout: 5000 };
const AT_ONCE = 100;
const MOST_ASKED = 8000;
const IN_PROMPT = 0;
const NOT_SAID = new Set(['', '...']);

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
    return answer.ok ? told : { conflicts: [], duplicates: 0, ...told };
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

function conversationOf({ groupId, name2, getCurrentChatId }) {
    return `sillytavern/${groupId ? 'group' : name2}/${getCurrentChatId()}`;
}

/** The messages of the chat that were said, oldest first, each with its id. */
function said({ chat, streamingProcessor, timestampToMoment }) {
    const writing = streamingProcessor && !streamingProcessor.isFinished ? chat.length - 1 : -1;
    const seen = new Map();
    const found = [];
    chat.forEach((message, place) => {
        if (message.is_system || place === writing || NOT_SAID.has((message.mes ?? '').trim())) {
            return;
        }
        const parts = [message.name, message.is_user ? '1' : '0', String(message.send_date ?? ''), message.mes];
        const digest = sha256(parts.join('\0'));
        seen.set(digest, (seen.get(digest) ?? 0) + 1);
        const times = seen.get(digest);
        const at = timestampToMoment ? timestampToMoment(message.send_date).toDate() : new Date(message.send_date);
        found.push({
            id: `sillytavern/${digest}${times > 1 ? `/${times}` : ''}`,
            role: message.is_user ? 'user' : 'assistant',
            speaker: message.name,
            content: message.mes,
            created_at: Number.isNaN(at.getTime()) ? undefined : at.toISOString(),
        });
    });
    return found;
}

/** What was handed in of the open chat; `own` are the messages that this chat may take back. */
let open = { chat: null, handedIn: new Set(), own: new Set() };

async function bringUpToDate() {
    if (!ready()) {
        return;
    }
    const now = context();
    const conversation = conversationOf(now);
    // Another chat may be opened while requests are under way.
    const being = beingOf(now);
    if (open.chat !== conversation) {
        open = { chat: conversation, handedIn: new Set(), own: new Set() };
        const messages = said(now);
        const kept = now.chatMetadata?.[MODULE];
        // A branch has a copy of its chat's metadata, which say nothing about the branch.
        const place = (id) => (kept?.chat === conversation ? messages.findLastIndex((one) => one.id === id) : -1);
        const [first, last] = [place(kept?.first), place(kept?.last)];
        messages.slice(0, last + 1).forEach((one) => open.handedIn.add(one.id));
        messages.slice(Math.max(first, 0), last + 1).forEach((one) => open.own.add(one.id));
    }
    const state = open;
    const messages = said(now);
    const ids = new Set(messages.map((one) => one.id));
    const gone = [...state.handedIn].filter((id) => !ids.has(id));
    const takenBack = gone.filter((id) => state.own.has(id));
    for (let begin = 0; begin < takenBack.length; begin += AT_ONCE) {
        await post(being, 'messages/retract', { ids: takenBack.slice(begin, begin + AT_ONCE) });
    }
    gone.forEach((id) => state.handedIn.delete(id));
    const fresh = messages.filter((one) => !state.handedIn.has(one.id));
    const refused = [];
    for (let begin = 0; begin < fresh.length; begin += AT_ONCE) {
        refused.push(...await handIn(state, being, fresh.slice(begin, begin + AT_ONCE).map((one) => ({ ...one, conversation }))));
    }
    const last = messages.at(-1)?.id;
    if (last && now.chatMetadata && now.chatMetadata[MODULE]?.last !== last && context().chatMetadata === now.chatMetadata) {
        const first = messages.find((one) => state.own.has(one.id))?.id;
        now.chatMetadata[MODULE] = { chat: conversation, first, last };
        await now.saveMetadata();
    }
    const told = `Handed in ${fresh.length - refused.length}, took back ${takenBack.length}.`;
    const why = refused.length ? ` Refused ${refused.length}: ${refused[0]}` : '';
    tell(fresh.length || takenBack.length ? told + why : null);
}

/** Hand messages in; returns why some of them were refused. */
async function handIn(state, being, messages) {
    const receipt = await post(being, 'messages', messages);
    // Known in another chat, of which this one is a branch: that chat decides whether it stands.
    const elsewhere = new Set(receipt.conflicts.map((one) => one.position));
    messages.forEach((one, place) => {
        state.handedIn.add(one.id);
        if (!elsewhere.has(place)) {
            state.own.add(one.id);
        }
    });
    const own = messages.filter((one) => state.own.has(one.id)).map((one) => one.id);
    if (receipt.duplicates && own.length) {
        await post(being, 'messages/restore', { ids: own }, { missing: true });
    }
    const refused = receipt.rejected.map((one) => one.reason);
    return [...refused, ...Array(receipt.more ?? 0).fill(refused[0])];
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

globalThis.memoryPatrolRecall = async function memoryPatrolRecall(chat, contextSize, abort, type) {
    const now = context();
    if (type === 'quiet' || type === 'impersonate') {
        return;
    }
    const asked = chat.findLast((message) => message.is_user)?.mes;
    let text = '';
    if (ready() && asked) {
        try {
            const found = await post(beingOf(now), 'context', {
                message: asked.slice(0, MOST_ASKED),
                conversation: conversationOf(now),
                process: 'chatFrontend',
                budget_tokens: settings().budget,
            });
            text = found.text ?? '';
            show(text, found.regions);
        } catch (fault) {
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
