import type { RepoId, TicketId } from "../values/ids.ts";

/**
 * Facts about the deep proof of a base: runs that show that the results of a tree are honest. One proof covers every change that
 * landed since the last one.
 */
export type ProofFact =
  /** The proof of the commit `sha` begins. */
  | {
      readonly type: "proof-started";
      readonly repo: RepoId;
      readonly sha: string;
      /** The tickets whose changes it covers, in landing order. */
      readonly tickets: readonly TicketId[];
      /** The time that it will take, from earlier runs of the same command, in milliseconds; absent if that is not known. */
      readonly expectedMs?: number;
    }
  | {
      readonly type: "proof-ended";
      readonly repo: RepoId;
      readonly sha: string;
      readonly ok: boolean;
      /** One line for people, safe for a terminal. */
      readonly summary: string;
      /** The ticket whose change is to blame, and the check that proves it; absent if it passed, or if no single change is. */
      readonly blamed?: TicketId;
      readonly check?: string;
      /** What deviates, for the ticket's next attempt; bounded. */
      readonly detail?: string;
      /** The number of landed commits that it covers. */
      readonly commits: number;
      /** What it says of new tests, safe for a terminal; absent if nothing is to be said. */
      readonly newTests?: string;
    }
  /** It was not finished: nothing is known about the commit. */
  | {
      readonly type: "proof-stopped";
      readonly repo: RepoId;
      /** The reason, in words; absent if the run stops. */
      readonly reason?: string;
    };

/** The proof of a candidate as it lands. */
export interface LandedProof {
  /** Its proof failed by the fault of others below it: the proof of the base has to cover it. */
  readonly unproven?: true;
  /** The judge's files of the change that were shown and approved, or allowed: they are trusted from here on. */
  readonly approved: readonly string[];
}

/** A fact of a proof with its time, in milliseconds since the epoch. */
export type ProofEvent = ProofFact & { readonly at: number };

/** What is known about the proof of a base. Times in milliseconds since the epoch. */
export interface BaseProof {
  /** The last commit whose tree was proven. */
  readonly proven?: string;
  /** The proof that runs. */
  readonly running?: {
    readonly since: number;
    readonly sha: string;
    readonly tickets: readonly TicketId[];
    readonly expectedMs?: number;
  };
  /** The last proof that failed; absent once a later one has passed. */
  readonly failed?: { readonly at: number; readonly sha: string; readonly summary: string; readonly blamed?: TicketId };
}

/** Proofs by repository; repositories without one are left out. */
export type Proofs = Readonly<Record<string, BaseProof>>;

/** Folds the facts of proofs. */
export function reduceProof<S extends { readonly proofs: Proofs }>(state: S, event: ProofEvent): S {
  const { running: _, ...known } = state.proofs[event.repo] ?? {};
  return { ...state, proofs: { ...state.proofs, [event.repo]: nextProof(known, event) } };
}

function nextProof(known: BaseProof, event: ProofEvent): BaseProof {
  const { at } = event;
  if (event.type === "proof-stopped") return known;
  const { sha } = event;
  if (event.type === "proof-started") {
    const { tickets, expectedMs } = event;
    return { ...known, running: { since: at, sha, tickets, expectedMs } };
  }
  const { failed: _, ...rest } = known;
  const { summary, blamed } = event;
  return event.ok ? { ...rest, proven: sha } : { ...rest, failed: { at, sha, summary, blamed } };
}

/** The proofs once a commit has landed whose tree was proven before. */
export function withProven(proofs: Proofs, repo: RepoId, sha: string): Proofs {
  const { failed: _, ...known } = proofs[repo] ?? {};
  return { ...proofs, [repo]: { ...known, proven: sha } };
}

/** The proofs as a new engine finds them: what was under way, or failed and was not acted on yet, is proven again. */
export function withoutOpenProofs(proofs: Proofs): Proofs {
  return Object.fromEntries(Object.entries(proofs).map(([repo, { running: _, failed: __, ...proof }]) => [repo, proof]));
}
