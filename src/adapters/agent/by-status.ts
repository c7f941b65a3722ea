import type { AgentStopKind } from "../../domain/run/attempt-fact.ts";

const KINDS: Readonly<Record<number, AgentStopKind>> = {
  400: "refused",
  401: "authentication",
  402: "budget",
  403: "permission",
  404: "model",
  413: "context",
  429: "rate-limited",
};

/** The meaning for an attempt of this status in the last answer of a model's API; undefined if it is no error. */
export function stopOfStatus(status: number): AgentStopKind | undefined {
  if (status < 400) return undefined;
  return KINDS[status] ?? (status >= 500 ? "overloaded" : "unfinished");
}
