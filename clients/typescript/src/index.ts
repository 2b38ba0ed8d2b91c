// A client of Memory Patrol, long-term memory for AI companions: typed, with retries, and without dependencies.

export { MemoryPatrol, type AnswerPart, type Options } from "./client.js";
export { ApiError, PatrolError, Unreachable } from "./errors.js";
export type { Retries } from "./requests.js";
export type * from "./types.js";
