// The client: sends requests, repeats those that failed on the way, and follows patrols and pages.

import { ApiError, Unreachable } from "./errors.js";
import { address, AGAIN, RETRIES, sendable, toFetch, waitAfter, type Request, type Retries } from "./requests.js";
import { Routes } from "./routes.js";
import type * as types from "./types.js";

export interface Options {
  /** The address of the API, such as `http://127.0.0.1:8765`. */
  url: string;
  /** An access token. */
  token: string;
  /** How often a request is repeated. Every POST carries an Idempotency-Key, so no repetition doubles. */
  retries?: Partial<Retries>;
  /** Milliseconds to wait for an answer. */
  timeout?: number;
  /** Another `fetch` than the platform's. */
  fetch?: typeof fetch;
}

/** A part of an answer. */
export type AnswerPart =
  | { event: "looked_at"; data: types.LookedAt }
  | { event: "sentence"; data: types.Sentence }
  | { event: "answer"; data: types.AskAnswer };

type Note = types.SceneNote | types.TodoNote | types.ReminderNote | types.KnowledgeNote;
// The server handles a larger batch as bulk, which waits for its turn.
const LIVE_BATCH = 100;

/** A connection to Memory Patrol. */
export class MemoryPatrol extends Routes {
  readonly #url: string;
  readonly #token: string;
  readonly #retries: Retries;
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  /** Throws a `TypeError` if the address or the token is none. */
  constructor(options: Options) {
    super();
    this.#url = address(options.url);
    this.#token = sendable(options.token);
    const { attempts = RETRIES.attempts, firstWait = RETRIES.firstWait } = options.retries ?? {};
    this.#retries = { attempts, firstWait, longestWait: options.retries?.longestWait ?? RETRIES.longestWait };
    this.#timeout = options.timeout ?? 60_000;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Sends a request, again if no answer came or the server asks for it. Throws `ApiError` or `Unreachable`. */
  async send(request: Request): Promise<unknown> {
    const key = crypto.randomUUID();
    let lost = false;
    for (let attempt = 1; ; attempt++) {
      let retryAfter: number | null = null;
      try {
        const answer = await this.#ask(request, key, AbortSignal.timeout(this.#timeout));
        const text = await answer.text();
        if (isOfTheApi(answer)) return contentOf(answer, text);
        const error = errorOf(answer, text);
        // An earlier attempt, whose answer was lost, has deleted it.
        if (lost && request.method === "DELETE" && error.status === 404) return undefined;
        if (!AGAIN.has(error.status) || attempt >= this.#retries.attempts) throw error;
        retryAfter = error.retryAfter;
      } catch (fault) {
        if (fault instanceof ApiError) throw fault;
        lost = true;
        if (attempt >= this.#retries.attempts) {
          const said = `No answer from ${this.#url} to ${request.method}, after ${attempt} attempts`;
          throw new Unreachable(`${said}: ${causeOf(fault)}.`, { cause: fault });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, waitAfter(this.#retries, attempt, retryAfter)));
    }
  }

  /** Sends a request once; yields the lines of the answer as they arrive. */
  async *stream(request: Request): AsyncIterable<string> {
    let rest = "";
    try {
      const answer = await this.#ask(request, crypto.randomUUID());
      if (!isOfTheApi(answer)) throw errorOf(answer, await answer.text());
      if (!answer.body) return;
      const decoder = new TextDecoder();
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    } catch (fault) {
      if (fault instanceof ApiError) throw fault;
      const said = `The answer of ${this.#url} did not come to its end`;
      throw new Unreachable(`${said}: ${causeOf(fault)}.`, { cause: fault });
    }
    if (rest) yield rest;
  }

  /**
   * Asks a question; yields each part of the answer as soon as it is known: `looked_at`, each `sentence`, and at the
   * end `answer`, which equals the answer of `askMemory`.
   */
  async *askInParts(being: string, question: types.AskRequest): AsyncIterable<AnswerPart> {
    let event = "";
    for await (const line of this.streamAnswer(being, question)) {
      const [field, ...rest] = line.split(": ");
      if (field === "event") event = rest.join(": ");
      if (field !== "data") continue;
      const data = JSON.parse(rest.join(": ")) as Record<string, unknown>;
      if (event === "problem") throw new ApiError(Number(data.status), data, new Headers());
      yield { event, data } as unknown as AnswerPart;
    }
    if (event !== "answer") throw new Unreachable(`The answer of ${this.#url} did not come to its end.`);
  }

  /** Demands a patrol, and yields its report whenever it changed, the last one `done` or `failed`. */
  async *patrol(being: string, every = 500): AsyncIterable<types.RunReport> {
    const { run_id } = await this.demandPatrol(being);
    let shown = "";
    for (;;) {
      const report = await this.showPatrol(being, run_id);
      const seen = JSON.stringify(report);
      if (seen === shown) {
        await new Promise((resolve) => setTimeout(resolve, every));
        continue;
      }
      shown = seen;
      yield report;
      if (report.state === "done" || report.state === "failed") return;
    }
  }

  /** Yields every page of a list: `memory.pages((cursor) => memory.listNotes("mira", { cursor }))`. */
  async *pages<Page extends { cursor: string | null }>(
    list: (cursor: string | null) => Promise<Page>,
  ): AsyncIterable<Page> {
    let cursor: string | null = null;
    do {
      const page: Page = await list(cursor);
      yield page;
      cursor = page.cursor;
    } while (cursor !== null);
  }

  /** Hands in any number of notes, in requests of `size`; yields each request's receipt. */
  async *noteBatches(being: string, notes: Iterable<Note>, size = LIVE_BATCH): AsyncIterable<types.Receipt> {
    for (const batch of batches(notes, size)) yield await this.handInNotes(being, batch);
  }

  /** Hands in any number of messages, in requests of `size`; yields each request's receipt. */
  async *messageBatches(
    being: string,
    messages: Iterable<types.MessageInput>,
    size = LIVE_BATCH,
  ): AsyncIterable<types.Receipt> {
    for (const batch of batches(messages, size)) yield await this.handInMessages(being, batch);
  }

  async #ask(request: Request, key: string, signal?: AbortSignal): Promise<Response> {
    const [url, init] = toFetch(this.#url, this.#token, request, key);
    return await this.#fetch(url, signal ? { ...init, signal } : init);
  }
}

/** Why no answer came, in words that end a sentence: `fetch` has the reason in its error's cause. */
function causeOf(fault: unknown): string {
  const reasons = [];
  for (let error = fault; error instanceof Error; error = error.cause) {
    const { code } = error as Error & { code?: unknown };
    reasons.push(error.message || (typeof code === "string" ? code : error.name));
  }
  return (reasons.at(-1) ?? String(fault)).replace(/\.$/, "");
}

/** A redirection, and a page for people, is of something before the API, such as a login: nothing was handed in. */
function isOfTheApi(answer: Response): boolean {
  const isPage = answer.headers.get("content-type")?.toLowerCase().includes("html");
  return answer.ok && (!isPage || answer.status === 204);
}

function contentOf(answer: Response, text: string): unknown {
  if (!text) return undefined;
  return answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
}

function errorOf(answer: Response, text: string): ApiError {
  let problem: unknown;
  try {
    problem = JSON.parse(text);
  } catch {
    problem = null;
  }
  const members = typeof problem === "object" && problem !== null ? (problem as Record<string, unknown>) : {};
  return new ApiError(answer.status, members, answer.headers);
}

function* batches<Item>(items: Iterable<Item>, size: number): Iterable<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length) yield batch;
}
