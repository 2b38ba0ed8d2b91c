// Reads exports of other programs: the files in a ZIP archive, and portions that one request can carry.

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const [STORED, DEFLATED] = [0, 8];
const COMMENT_BYTES = 0xffff;
const END_BYTES = 22;
// The arrays of other programs that are divided are those of whole chats, which have one of these.
const CHAT = ["chat", "messages", "mapping"];
// Whose a conversation or a memory is.
const OWNERS = ["user_id", "userId", "account_uuid"];
const isId = (one) => (typeof one === "string" && one !== "") || typeof one === "number";
// Of a portion's text. Quoted in JSON it may be twice as long, and a request holds 4 MB.
const PORTION = 1_000_000;
export const LONGEST = 1_900_000;

/** A file can't be read; the text says why. */
export class Unreadable extends Error {}

/** The texts in a file that a person chose: of a ZIP archive those whose names `wanted` accepts, else the file's own. */
export async function* texts(file, wanted) {
  if (!(await isArchive(file))) {
    yield { name: file.name, modified: new Date(file.lastModified), text: decoded(await file.arrayBuffer()) };
    return;
  }
  let found = false;
  for (const entry of await entries(file)) {
    const name = entry.name.split(/[\\/]/).pop();
    // macOS writes files beside the others whose names begin so.
    if (!wanted(name) || name.startsWith("._")) continue;
    found = true;
    yield { name, modified: new Date(file.lastModified), text: await unpacked(file, entry) };
  }
  if (!found) throw new Unreadable("The archive holds no conversations that can be read here.");
}

async function isArchive(file) {
  const begin = await view(file, 0, 4);
  return begin.byteLength === 4 && begin.getUint32(0) === 0x504b0304;
}

async function view(file, from, to) {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

/** The list of files at the end of an archive. */
async function entries(file) {
  const tail = await view(file, Math.max(0, file.size - END_BYTES - COMMENT_BYTES), file.size);
  let at = tail.byteLength - END_BYTES;
  while (at >= 0 && tail.getUint32(at, true) !== END) at -= 1;
  if (at < 0) throw new Unreadable("The archive is damaged: it has no list of its files.");
  const first = tail.getUint32(at + 16, true);
  if (first === 0xffffffff) throw new Unreadable("The archive is longer than 4 GB. Use `patrol import --from` for it.");
  const list = await view(file, first, first + tail.getUint32(at + 12, true));
  const found = [];
  let place = 0;
  while (place + 46 <= list.byteLength && list.getUint32(place, true) === ENTRY) {
    const [name, more, comment] = [28, 30, 32].map((offset) => list.getUint16(place + offset, true));
    found.push({
      name: new TextDecoder().decode(new Uint8Array(list.buffer, place + 46, name)),
      packed: list.getUint16(place + 10, true),
      encrypted: list.getUint16(place + 8, true) & 1,
      bytes: list.getUint32(place + 20, true),
      begins: list.getUint32(place + 42, true),
    });
    place += 46 + name + more + comment;
  }
  return found;
}

async function unpacked(file, entry) {
  if (entry.encrypted || ![STORED, DEFLATED].includes(entry.packed))
    throw new Unreadable("The archive is encrypted, or packed in a form that is not read here: unpack it, and choose its files.");
  const head = await view(file, entry.begins, entry.begins + 30);
  const begins = entry.begins + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const content = file.slice(begins, begins + entry.bytes);
  const stream = entry.packed === DEFLATED ? content.stream().pipeThrough(new DecompressionStream("deflate-raw")) : content.stream();
  return decoded(await new Response(stream).arrayBuffer());
}

/** Read a file's bytes as UTF-16 where their mark says so, else as UTF-8. */
function decoded(bytes) {
  const mark = bytes.byteLength < 2 ? 0 : new DataView(bytes).getUint16(0);
  return new TextDecoder({ 0xfffe: "utf-16le", 0xfeff: "utf-16be" }[mark] ?? "utf-8").decode(bytes);
}

// Fields by which a text shows which program wrote it; the first match counts.
const SIGNS = [
  ["other", /"(fragments|savedsettings|internal|safeHtmlItem)"\s*:/],
  ["chatgpt", /"mapping"\s*:/],
  ["claude", /"(chat_messages|conversations_memory|prompt_template)"\s*:/],
  ["sillytavern", /"(chat_metadata|character_name)"\s*:/],
  ["mem0", /"memory"\s*:/],
  ["honcho", /"(peer_id|peers|conclusions)"\s*:/],
  ["characterai", /"(turns|histories|data_visible)"\s*:/],
  ["other", /"(role|sender|author|isCreatedByUser|characterId|outputs)"\s*:/],
];

/** The program that wrote a text, guessed from the text and its file's name. */
export function programOf(text, name) {
  if (/\.csv$/i.test(name)) return "other";
  const begin = text.slice(0, 200_000);
  return SIGNS.find(([, sign]) => sign.test(begin))?.[0] ?? (/\.txt$/i.test(name) ? "other" : null);
}

/**
 * Divide a text between its conversations: `{text, first, items, owner}`, where `first` is the number of items before it, `items`
 * the number in it, and `owner` the id of the first one's user, where a portion has to name it.
 *
 * Only arrays of whole conversations, or of single statements, can be divided.
 */
export function portions(text, program) {
  let whole = [{ text, first: 0, items: 1 }];
  if (!["chatgpt", "claude", "mem0", "other"].includes(program)) return whole;
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch {
    return whole;
  }
  if (typeof parsed !== "object" || parsed === null) return whole;
  const { results: items, ...rest } = Array.isArray(parsed) ? { results: parsed } : parsed;
  // Other arrays say nothing of the items, and may be as long.
  const around = Object.fromEntries(Object.entries(rest).filter(([, one]) => !Array.isArray(one)));
  // Of an export of several users the first one's entries come in, in whichever portion or file they are.
  const listed = Array.isArray(items) ? items : [];
  const owner = [listed[0], around, ...listed]
    .map((one) => OWNERS.map((key) => one?.[key]).find(isId) ?? one?.account?.uuid)
    .find(isId);
  // In a file of another program `me` names a speaker too; a number that was rounded is in divided texts alone.
  if (program !== "other" && (typeof owner === "string" || Number.isSafeInteger(owner))) whole = [{ ...whole[0], owner }];
  const isDivisible = Array.isArray(items) && (program !== "other" || items.every((one) => CHAT.some((key) => one?.[key])));
  if (text.length <= PORTION || !isDivisible) return whole;
  // The text around the items holds for the items of each portion.
  const [begin, end] = Array.isArray(parsed) ? "[]" : [JSON.stringify({ ...around, results: [] }).slice(0, -2), "]}"];
  const divided = [];
  let some = [];
  let length = 0;
  const close = (first) => {
    if (some.length) divided.push({ text: begin + some.join(",") + end, first: first - some.length, items: some.length, owner });
    some = [];
    length = 0;
  };
  items.forEach((item, at) => {
    const written = JSON.stringify(item);
    if (length + written.length > PORTION) close(at);
    some.push(written);
    length += written.length;
  });
  close(items.length);
  return divided;
}
