import type { AgentSpec } from "./agent-spec.ts";
import type { ReviewerSpec } from "./reviewer-spec.ts";

/** The owners of models: the agents, the reviewer and the second reviewer. Each is the key of a batch that names its program. */
export const PARTIES = ["agent", "reviewer", "secondReviewer"] as const;
export type Party = (typeof PARTIES)[number];

/** A party that reads changes. */
export type Reader = Exclude<Party, "agent">;
export const READERS: readonly Reader[] = ["reviewer", "secondReviewer"];

/** The name of each party for people. */
export const PARTY_NAMES: Readonly<Record<Party, string>> = {
  agent: "agent",
  reviewer: "reviewer",
  secondReviewer: "second reviewer",
};

/** The part of a batch that names programs. */
export interface Parties {
  readonly agent?: AgentSpec | undefined;
  readonly reviewer?: ReviewerSpec | undefined;
  /** The reader of second reviews; absent: the reviewer reads twice. */
  readonly secondReviewer?: ReviewerSpec | undefined;
}

/** True for a key of a batch that names a program. */
export function isParty(key: string): key is Party {
  return PARTIES.some((party) => party === key);
}

/** The program of a party; undefined if the batch names none. */
export function specOfParty(batch: Parties, party: Party): AgentSpec | ReviewerSpec | undefined {
  return batch[party];
}

/** Every program that a batch names, with its party. */
export function programsOf(
  batch: Parties,
): readonly { readonly party: Party; readonly spec: NonNullable<ReturnType<typeof specOfParty>> }[] {
  return PARTIES.flatMap((party) => {
    const spec = specOfParty(batch, party);
    return spec === undefined ? [] : [{ party, spec }];
  });
}

/** The reader of a review step, a question or an answer: the reviewer, unless it says "second". */
export function readerOf({ by }: { readonly by?: "first" | "second" | undefined }): Reader {
  return by === "second" ? "secondReviewer" : "reviewer";
}

/** The mark of a question or an answer of the second reviewer; those of the reviewer have none. */
export function byReader(reader: Reader): { readonly by?: "second" } {
  return reader === "secondReviewer" ? { by: "second" } : {};
}
