import type { ModelUpstream } from "@loopdash/model-gateway";
import type { AgentStop } from "../../domain/run/agent-event.ts";
import { errorMessage, plural } from "../../domain/values/text.ts";
import { stopOfStatus } from "./by-status.ts";
import { LoginRequired } from "./logins/login.ts";

/** The longest wait that an API may ask for before the attempt ends, in milliseconds; the program handles shorter ones itself. */
const LONGEST_WAIT_MS = 60_000;
/** Refusals of the same kind, one after the other, that are no accident. */
const ENOUGH = 2;

/** A refusal that no retry changes, by the status of the API's answer. `by`: what it was asked with. */
function uselessStop(status: number, by: string): AgentStop | undefined {
  if (status === 401) return { kind: "authentication", says: `the model's API refused the ${by}` };
  return status === 403 ? { kind: "permission", says: `the model's API does not allow it to this ${by}` } : undefined;
}

/** Bounds of an attempt; absent if the program has the bound itself. */
export interface WatchBounds {
  /** Answers of the model that it may take. */
  readonly turns?: number;
  /** Requests that may fail one after the other. */
  readonly failures?: number;
  /** What the API is asked with, in a word; default: a key. */
  readonly by?: string;
}

/**
 * Watches the answers of a model's API, which are the same for every program. Programs react differently: some retry a wrong key
 * for minutes, others sleep through an hour's limit. Reports when continuing is useless.
 */
export class ModelWatch {
  readonly #turns: number;
  readonly #failures: number;
  readonly #by: string;
  readonly #useless: () => void;
  #answers = 0;
  #same = { status: 0, times: 0 };
  #failed = 0;
  #last: AgentStop | undefined;
  #stop: AgentStop | undefined;
  #hasAnswered = false;
  #isBrokenOff = false;

  /** `useless` is called once, when there is a stop. */
  constructor(
    { turns = Number.POSITIVE_INFINITY, failures = Number.POSITIVE_INFINITY, by = "key" }: WatchBounds,
    useless: () => void,
  ) {
    this.#turns = turns;
    this.#failures = failures;
    this.#by = by;
    this.#useless = useless;
  }

  get stop(): AgentStop | undefined {
    return this.#stop;
  }

  /** The API's last answer, if it was an error: programs do not always report it. */
  get last(): AgentStop | undefined {
    return this.#last;
  }

  /** True once a model has answered. Other answers, such as a list of models, do not count. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** True if the API's last answer broke off, or reported an error after it had begun. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff;
  }

  readonly onUnreachable: NonNullable<ModelUpstream["onUnreachable"]> = (why) => {
    this.#same = { status: 0, times: 0 };
    this.#last = { kind: "unreachable", says: `the model's API cannot be reached (${why})` };
    this.#fail(this.#last);
  };

  readonly onAnswer: NonNullable<ModelUpstream["onAnswer"]> = ({ status, retryAfterMs }) => {
    this.#same = status === this.#same.status ? { status, times: this.#same.times + 1 } : { status, times: 1 };
    this.#isBrokenOff = false;
    const kind = stopOfStatus(status);
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    this.#last = kind === undefined ? undefined : { kind, says: `the model's API answers ${status}`, ...wait };
    const useless = uselessStop(status, this.#by);
    if (useless !== undefined && this.#same.times >= ENOUGH) this.#end(useless);
    if (status === 429 && retryAfterMs !== undefined && retryAfterMs > LONGEST_WAIT_MS) {
      const says = `the model's API is rate limited for ${Math.ceil(retryAfterMs / 60_000)} minutes`;
      this.#end({ kind: "rate-limited", says, retryAfterMs });
    }
    if (this.#last !== undefined) this.#fail(this.#last);
  };

  readonly onUsage: NonNullable<ModelUpstream["onUsage"]> = ({ output, usd }) => {
    this.#answers += 1;
    this.#isBrokenOff = usd === null || output === 0;
    // An answer without output broke off before it gave its cost.
    if (output === 0) this.#fail({ kind: "unfinished", says: "the model's answers break off" });
    else {
      this.#failed = 0;
      this.#hasAnswered = true;
    }
    if (this.#answers > this.#turns) this.#end({ kind: "turns", says: `it reached its limit of ${plural(this.#turns, "turn")}` });
  };

  /** The engine has no key. A lost login needs a person; any other cause may pass, and is no failure of the work. */
  readonly onKeyMissing = (error: unknown): void => {
    if (error instanceof LoginRequired) return this.#end({ kind: "authentication", says: error.message });
    this.#end({ kind: "overloaded", says: `the key of the model's API could not be fetched: ${errorMessage(error)}` });
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
