import type { AgentStop } from "../../ports/agent.ts";
import type { ModelUpstream } from "../../ports/gateway.ts";

/** How long a program may be asked to wait before its attempt is given up, in milliseconds; shorter waits are its own affair. */
const LONGEST_WAIT_MS = 60_000;
/** Refusals of the same kind, one after the other, that are no accident. */
const ENOUGH = 2;

/** What no retry changes, by the status of the API's answer. */
const USELESS: Readonly<Record<number, Pick<AgentStop, "kind" | "says">>> = {
  401: { kind: "authentication", says: "the model's API refused the key" },
  403: { kind: "permission", says: "the model's API does not allow it to this key" },
};

/**
 * Looks at what a model's API answers, which is the same for every program, while programs differ in what they make of it: some
 * retry a wrong key for minutes, others sleep through an hour's limit. Says when going on is useless.
 */
export class ModelWatch {
  readonly #turns: number;
  readonly #useless: () => void;
  #answers = 0;
  #same = { status: 0, times: 0 };
  #stop: AgentStop | undefined;

  /** `useless` is called once, when there is a stop. */
  constructor(turns: number | undefined, useless: () => void) {
    this.#turns = turns ?? Number.POSITIVE_INFINITY;
    this.#useless = useless;
  }

  get stop(): AgentStop | undefined {
    return this.#stop;
  }

  readonly onAnswer: NonNullable<ModelUpstream["onAnswer"]> = ({ status, retryAfterMs }) => {
    this.#same = status === this.#same.status ? { status, times: this.#same.times + 1 } : { status, times: 1 };
    const useless = USELESS[status];
    if (useless !== undefined && this.#same.times >= ENOUGH) this.#end(useless);
    if (status === 429 && retryAfterMs !== undefined && retryAfterMs > LONGEST_WAIT_MS) {
      const says = `the model's API is to be left alone for ${Math.ceil(retryAfterMs / 60_000)} minutes`;
      this.#end({ kind: "rate-limited", says, retryAfterMs });
    }
  };

  readonly onUsage: NonNullable<ModelUpstream["onUsage"]> = () => {
    this.#answers += 1;
    if (this.#answers > this.#turns) this.#end({ kind: "turns", says: `its ${this.#turns} turns are over` });
  };

  #end(stop: AgentStop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#useless();
  }
}
