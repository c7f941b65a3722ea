import { baseKey } from "../run/people-fact.ts";
import type { RunState } from "../run/state.ts";

/** Re-verifications in a row that commits of people may cause. Without a bound, a run on a busy base would never end. */
const MOST_REPEATS = 4;

/** The repositories whose base people have moved since the last re-verification looked at it. */
function movedBases({ lookedAt, fingerprints = {} }: Pick<RunState, "lookedAt" | "fingerprints">): readonly string[] {
  return Object.entries(lookedAt?.tips ?? {}).flatMap(([repo, tip]) => {
    const known = fingerprints[baseKey(repo)];
    return known === undefined || known === tip ? [] : [repo];
  });
}

/**
 * True if what the last re-verification found may no longer hold, because people have committed since. The engine's own landings
 * need a new one anyway.
 */
export function mustLookAgain(state: Pick<RunState, "lookedAt" | "fingerprints">): boolean {
  return (state.lookedAt?.repeats ?? 0) < MOST_REPEATS && movedBases(state).length > 0;
}

/** What people have moved since the last re-verification, for use behind the reason of an end; empty if nothing. */
export function describeMoved(state: Pick<RunState, "lookedAt" | "fingerprints">): string {
  const moved = movedBases(state);
  return moved.length === 0 ? "" : `; people have committed to ${moved.join(", ")} since it was re-verified`;
}
