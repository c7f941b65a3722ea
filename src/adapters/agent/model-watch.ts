import type { AgentStop } from "../../domain/run/agent-event.ts";
import type { ModelUpstream } from "../../ports/gateway.ts";
import { stopOfStatus } from "./by-status.ts";

/** How long a program may be asked to wait before its attempt is given up, in milliseconds; shorter waits are its own affair. */
const LONGEST_WAIT_MS = 60_000;
/** Refusals of the same kind, one after the other, that are no accident. */
const ENOUGH = 2;

/** What no retry changes, by the status of the API's answer. */
const USELESS: Readonly<Record<number, Pick<AgentStop, "kind" | "says">>> = {
  401: { kind: "authentication", says: "the model's API refused the key" },
  403: { kind: "permission", says: "the model's API does not allow it to this key" },
};

/** What bounds an attempt here; absent what the program bounds itself. */
export interface WatchBounds {
  /** Answers of the model that it may take. */
  readonly turns?: number;
  /** Requests that may fail one after the other. */
  readonly failures?: number;
}

/**
 * Looks at what a model's API answers, which is the same for every program, while programs differ in what they make of it: some
 * retry a wrong key for minutes, others sleep through an hour's limit. Says when going on is useless.
 */
export class ModelWatch {
  readonly #turns: number;
  readonly #failures: number;
  readonly #useless: () => void;
  #answers = 0;
  #same = { status: 0, times: 0 };
  #failed = 0;
  #last: AgentStop | undefined;
  #stop: AgentStop | undefined;

  /** `useless` is called once, when there is a stop. */
  constructor({ turns = Number.POSITIVE_INFINITY, failures = Number.POSITIVE_INFINITY }: WatchBounds, useless: () => void) {
    this.#turns = turns;
    this.#failures = failures;
    this.#useless = useless;
  }

  get stop(): AgentStop | undefined {
    return this.#stop;
  }

  /** What the last answer of the API was, where it was an error: programs do not always tell. */
  get last(): AgentStop | undefined {
    return this.#last;
  }

  readonly onAnswer: NonNullable<ModelUpstream["onAnswer"]> = ({ status, retryAfterMs }) => {
    this.#same = status === this.#same.status ? { status, times: this.#same.times + 1 } : { status, times: 1 };
    const kind = stopOfStatus(status);
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    this.#last = kind === undefined ? undefined : { kind, says: `the model's API answers ${status}`, ...wait };
    const useless = USELESS[status];
    if (useless !== undefined && this.#same.times >= ENOUGH) this.#end(useless);
    if (status === 429 && retryAfterMs !== undefined && retryAfterMs > LONGEST_WAIT_MS) {
      const says = `the model's API is rate limited for ${Math.ceil(retryAfterMs / 60_000)} minutes`;
      this.#end({ kind: "rate-limited", says, retryAfterMs });
    }
    if (this.#last !== undefined) this.#fail(this.#last);
  };

  readonly onUsage: NonNullable<ModelUpstream["onUsage"]> = ({ output }) => {
    this.#answers += 1;
    // An answer without a word is one that broke off before it said what it cost.
    if (output === 0) this.#fail({ kind: "unfinished", says: "the model's answers break off" });
    else this.#failed = 0;
    if (this.#answers > this.#turns) this.#end({ kind: "turns", says: `its ${this.#turns} turns are over` });
  };

  #fail(stop: AgentStop): void {
    this.#failed += 1;
    if (this.#failed >= this.#failures) this.#end(stop);
  }

  #end(stop: AgentStop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#useless();
  }
}
