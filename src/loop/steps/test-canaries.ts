import { createHash, randomBytes } from "node:crypto";
import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";

/** One in so many of the long checks is tested with canaries. */
export const ONE_IN = 5;

/** The identity of a check, on any commit. */
export function checkKey(repo: Pick<Repo, "id">, step: Extract<StepSpec, { step: "check" }>): string {
  return JSON.stringify([repo.id, step.name, step.command]);
}

/** The way a candidate was built: its base, and whether its ticket may change how tests are run. */
interface Built {
  readonly from: string;
  readonly isTrusted: boolean;
}

/** A run's knowledge of its test canaries. */
export class TestCanaries {
  /** Code under test may know the commit, and must not know if it is sampled. */
  readonly #secret = randomBytes(16);
  readonly #shortest = new Map<string, number>();
  readonly #excused = new Map<string, Set<string>>();
  readonly #built = new Map<string, Built>();

  /** The least duration of a check so far, including this one. Milliseconds. */
  shortest(check: string, ms: number): number {
    const least = Math.min(ms, this.#shortest.get(check) ?? ms);
    this.#shortest.set(check, least);
    return least;
  }

  /** True if a long check is tested on this commit: always the same for one commit, as long as this engine runs. */
  isSampled(commit: string): boolean {
    return createHash("sha256").update(this.#secret).update(commit).digest().readUInt32BE() % ONE_IN === 0;
  }

  /** Places at which canaries of this check proved nothing on the base either. */
  excused(check: string): ReadonlySet<string> {
    return this.#excused.get(check) ?? new Set();
  }

  /** Remembers such places. */
  excuse(check: string, places: readonly string[]): void {
    this.#excused.set(check, new Set([...this.excused(check), ...places]));
  }

  /** The way this commit was built; undefined if this engine has not built it. */
  built(commit: string): Built | undefined {
    return this.#built.get(commit);
  }

  /** Remembers how a candidate was built: others may be checked on it before it lands. */
  noteBuilt(commit: string, built: Built): void {
    this.#built.set(commit, built);
  }
}
