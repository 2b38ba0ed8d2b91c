// The errors of the client.

/** Base of all errors of this client. */
export class PatrolError extends Error {
  override name = "PatrolError";
}

/** No answer came, after all retries. */
export class Unreachable extends PatrolError {
  override name = "Unreachable";
}

/** The API refused a request, with a problem (RFC 9457). */
export class ApiError extends PatrolError {
  override name = "ApiError";
  /** The HTTP status. */
  readonly status: number;
  /** The kind of problem, a stable URN for programs. */
  readonly type: string;
  readonly title: string;
  /** The fault, its place, and the remedy. */
  readonly detail: string;
  /** Further members of the problem. */
  readonly members: Record<string, unknown>;
  /** The `X-Request-Id` under which the server logged the request. */
  readonly requestId: string | null;
  /** The seconds after which the same request may succeed, if the API gave them. */
  readonly retryAfter: number | null;

  constructor(status: number, problem: Record<string, unknown>, headers: Headers) {
    const { type, title, detail, status: _status, instance: _instance, ...members } = problem;
    const told = typeof detail === "string" ? detail : `The answer has the status ${status}, and is none of Memory Patrol.`;
    const kind = typeof type === "string" ? type : "about:blank";
    super(`${status} ${kind.slice(kind.lastIndexOf(":") + 1)}: ${told}`);
    this.status = status;
    this.type = kind;
    this.title = typeof title === "string" ? title : "";
    this.detail = told;
    this.members = members;
    this.requestId = headers.get("x-request-id");
    const wait = headers.get("retry-after");
    this.retryAfter = wait !== null && /^\d+$/.test(wait) ? Number(wait) : null;
  }
}
