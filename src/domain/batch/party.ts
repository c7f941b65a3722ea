import type { AgentSpec } from "./agent-spec.ts";
import type { ReviewerSpec } from "./reviewer-spec.ts";

/** The owners of models: the agents, the reviewer and the second reviewer. Each is the key of a batch that names its program. */
export const PARTIES = ["agent", "reviewer", "secondReviewer"] as const;
export type Party = (typeof PARTIES)[number];

/** A party that reviews changes. */
export type ReviewerParty = Exclude<Party, "agent">;
export const REVIEWER_PARTIES: readonly ReviewerParty[] = ["reviewer", "secondReviewer"];

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
  /** Gives the second of two reviews; absent: the reviewer gives both. */
  readonly secondReviewer?: ReviewerSpec | undefined;
}

/** True for a key of a batch that names a program. */
export function isParty(key: string): key is Party {
  return PARTIES.some((party) => party === key);
}

/** A program that a batch names, and the party that it is for. */
export interface PartyProgram {
  readonly party: Party;
  readonly spec: AgentSpec | ReviewerSpec;
}

/** Every program that a batch names. */
export function programsOf(batch: Parties): readonly PartyProgram[] {
  return PARTIES.flatMap((party) => {
    const spec = batch[party];
    return spec === undefined ? [] : [{ party, spec }];
  });
}

/** The reviewer that a question goes to, as events keep it. */
export interface AskedReviewer {
  /** Present for the second reviewer. */
  readonly by?: "second";
}

/** The reviewer of a review step, a question or an answer: the first one, unless it says "second". */
export function reviewerOf({ by }: { readonly by?: "first" | "second" | undefined }): ReviewerParty {
  return by === "second" ? "secondReviewer" : "reviewer";
}

/** The inverse of `reviewerOf` for events and steps. */
export function askedReviewer(party: ReviewerParty): AskedReviewer {
  return party === "secondReviewer" ? { by: "second" } : {};
}
