// Requests to the API of this server. The browser sends the login's cookie; a changing request carries its proof.

import { visible } from "./dom.js";

/** The address of the API: this file's, up to the folder of the page. A reverse proxy may have a path before it. */
export const BASE = import.meta.url.slice(0, import.meta.url.lastIndexOf("/page/"));

let proof = "";

/** An answer that is no success: `detail` gives the fault and the remedy. */
export class Problem extends Error {
  constructor(status, told) {
    super(visible(told.detail || "The server did not answer as expected."));
    this.status = status;
    this.told = told;
  }
}

/** Remember the login's proof. */
export function carry(secret) {
  proof = secret;
}

/** Ask the server. `body` is sent as JSON; the answer is parsed. */
export async function ask(method, path, { body, signal, headers } = {}) {
  const all = {
    ...(proof && { "X-Memory-Page": proof }),
    ...(body && { "Content-Type": "application/json" }),
    ...headers,
  };
  let answer;
  try {
    answer = await fetch(`${BASE}${path}`, {
      method,
      headers: all,
      body: body && JSON.stringify(body),
      signal,
      credentials: "same-origin",
    });
  } catch (fault) {
    if (fault.name === "AbortError") throw fault;
    throw new Problem(0, { detail: "The server can’t be reached. Check that it runs, then try again." });
  }
  if (answer.status === 204) return null;
  const text = await answer.text();
  if (answer.ok) return answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
  let told = {};
  try {
    told = JSON.parse(text);
  } catch {
    // A proxy in between may answer without JSON.
  }
  if (answer.status === 401 && proof) window.dispatchEvent(new CustomEvent("login-ended"));
  throw new Problem(answer.status, told);
}

/** Requests about one Being. */
export class Being {
  constructor(row, signal) {
    this.row = row;
    this.signal = signal;
  }

  get(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const text = new URLSearchParams(given).toString();
    return ask("GET", this.path(path) + (text && `?${text}`), { signal: this.signal });
  }

  post(path, body, signal) {
    return ask("POST", this.path(path), { body, signal });
  }

  patch(path, body) {
    return ask("PATCH", this.path(path), { body });
  }

  delete(path) {
    return ask("DELETE", this.path(path));
  }

  path(rest) {
    return `/v1/beings/${this.row.being_id}${rest}`;
  }
}
