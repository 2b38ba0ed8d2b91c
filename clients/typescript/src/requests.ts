// Requests and retries, without any input or output.

/** A request, which may be sent several times. */
export interface Request {
  method: string;
  path: string;
  /** The query's parameters; null and undefined are left out. */
  query?: Record<string, unknown>;
  headers?: Record<string, string | null | undefined>;
  body?: unknown;
  /** The media type of the body; without one it is sent as JSON. */
  media?: string;
}

/** How often a request is sent again, with the same Idempotency-Key. */
export interface Retries {
  /** The most attempts, the first included. */
  attempts: number;
  /** Milliseconds before the second attempt; each later wait is twice as long, with random variation. */
  firstWait: number;
  /** The longest wait in milliseconds. A `Retry-After` of the server takes precedence over both. */
  longestWait: number;
}

export const RETRIES: Retries = { attempts: 6, firstWait: 200, longestWait: 10_000 };
export const AGAIN: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** The address of the API, without a slash at its end; throws a `TypeError` for one that no token can be sent to. */
export function address(url: string): string {
  const read = URL.canParse(url) ? new URL(url) : null;
  if (!read || !/^https?:$/.test(read.protocol) || read.username || read.password || read.search || read.hash) {
    throw new TypeError("The URL must be that of a server (http://…, https://…), without user name, password and query.");
  }
  return (read.origin + read.pathname).replace(/\/+$/, "");
}

/** The token without white space around it; throws a `TypeError` for one that can't be sent. */
export function sendable(token: string): string {
  if (!/^\s*[!-~]+\s*$/.test(token ?? "")) {
    throw new TypeError("The token is empty, or has characters that no token has.");
  }
  return token.trim();
}

/** Quotes one part of a path; throws a `TypeError` for one with which the path would be another. */
export function part(value: string): string {
  if (["", ".", ".."].includes(value)) throw new TypeError(`"${value}" is the name or id of nothing.`);
  return encodeURIComponent(value);
}

/** The milliseconds to wait after an attempt, counted from 1. */
export function waitAfter(retries: Retries, attempt: number, retryAfter: number | null): number {
  if (retryAfter !== null) return 1000 * retryAfter;
  return Math.min(retries.longestWait, retries.firstWait * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** The arguments of `fetch` for a request. */
export function toFetch(url: string, token: string, request: Request, key: string): [string, RequestInit] {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) query.append(name, each instanceof Date ? each.toISOString() : String(each));
    }
  }
  const headers = new Headers({ Authorization: `Bearer ${token}` });
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value !== undefined && value !== null) headers.set(name, value);
  }
  if (request.method === "POST") headers.set("Idempotency-Key", key);
  // Of a POST that is redirected, `fetch` would make a GET, whose answer is no receipt.
  const init: RequestInit = { method: request.method, headers, redirect: "manual" };
  if (request.body !== undefined) {
    headers.set("Content-Type", request.media ?? "application/json");
    init.body = request.media ? String(request.body) : JSON.stringify(request.body);
  }
  const asked = query.size ? `?${query}` : "";
  return [`${url}${request.path}${asked}`, init];
}
