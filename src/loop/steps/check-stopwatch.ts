import type { CheckTimes } from "@loopdash/test-evidence";
import type { Clock } from "../../ports/clock.ts";
import type { StepFact, StepScope } from "../programs/scope.ts";

/** Measures the parts of a check's duration beside its own command. Waits for others' measurements count as the measurement's. */
export class CheckStopwatch {
  readonly #clock: Clock;
  #preparing = { ms: 0, times: 0, made: 0, why: undefined as string | undefined };
  readonly #ms = { base: 0, proof: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The scope, whose preparations are counted. */
  watch(scope: StepScope): StepScope {
    const announce = (fact: StepFact): boolean => {
      if (fact.type === "prepared") this.#count(fact);
      return scope.announce(fact);
    };
    return { ...scope, announce };
  }

  /** Measures work for a part, without the preparations in it. */
  async measure<T>(part: "base" | "proof", work: () => Promise<T>): Promise<T> {
    const [begun, preparing] = [this.#clock.now(), this.#preparing.ms];
    const result = await work();
    this.#ms[part] += this.#clock.now() - begun - (this.#preparing.ms - preparing);
    return result;
  }

  get times(): CheckTimes {
    const { ms, times, made, why } = this.#preparing;
    return {
      baseMs: this.#ms.base,
      proofMs: this.#ms.proof,
      preparing: { ms, times, made, why },
    };
  }

  #count({ ms, reused, why }: Extract<StepFact, { type: "prepared" }>): void {
    const before = this.#preparing;
    this.#preparing = {
      ms: before.ms + ms,
      times: before.times + 1,
      made: before.made + (reused ? 0 : 1),
      why: before.why ?? why,
    };
  }
}
