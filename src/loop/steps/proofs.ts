import type { Allowance } from "@loopdash/test-evidence";

/** The way a candidate was built: its base, and what its ticket may change of what judges. */
interface BuiltOn {
  readonly from: string;
  readonly allow?: Allowance | undefined;
}

/** A run's knowledge of how candidates are proven. */
export class Proofs {
  readonly #unfit = new Map<string, ReadonlySet<string>>();
  readonly #built = new Map<string, BuiltOn>();

  /** Files whose twins prove nothing in a check: they do not come out as they must on the trusted base either. */
  unfit(check: string): ReadonlySet<string> {
    return this.#unfit.get(check) ?? new Set();
  }

  /** Remembers such files. */
  noteUnfit(check: string, paths: readonly string[]): void {
    this.#unfit.set(check, new Set([...this.unfit(check), ...paths]));
  }

  /** The way this commit was built; undefined if this engine has not built it. */
  built(commit: string): BuiltOn | undefined {
    return this.#built.get(commit);
  }

  /** Remembers how a candidate was built: others may be checked on it before it lands. */
  noteBuilt(commit: string, built: BuiltOn): void {
    this.#built.set(commit, built);
  }
}
