import { plainText } from "@loopdash/values";
import type { BilledTokens, ModelUpstream } from "../../gateway.ts";
import type { ModelRequest } from "../models/model-request.ts";
import { Refusal } from "../refusals.ts";
import { Prices } from "./prices.ts";
import type { UsageReading } from "./usage.ts";

/**
 * The end of a request: `free` if the vendor does not bill it, `read` if its answer gave its cost, `unread` if it did not, or not
 * to the end.
 */
export type CallOutcome = { readonly as: "free" } | { readonly as: "read" | "unread"; readonly reading: UsageReading };

/** Money reserved for one request that is under way. */
export interface Hold {
  /** The cost in its answer so far. May cut the line. */
  observe(reading: UsageReading): void;
  /** Books it; the first call counts. */
  settle(outcome: CallOutcome): void;
}

type MeterOptions = Pick<ModelUpstream, "prices" | "capUsd" | "onUsage" | "platform">;

/**
 * Keeps the money of one gateway below its cap. Before a request is admitted, it reserves the most that the request can cost;
 * once the request is over, it books the actual cost. An unknown cost is the reserve.
 */
export class Meter {
  readonly #options: MeterOptions;
  readonly #prices: Prices;
  readonly #cut: (reason: string) => void;
  #spent = 0;
  #reserved = 0;

  /** `cut` is called if the cap is reached. Throws a TypeError if the cap is no amount. */
  constructor(options: MeterOptions, cut: (reason: string) => void) {
    if (!(Number.isFinite(options.capUsd) && options.capUsd >= 0)) throw new TypeError("capUsd must be a number of dollars");
    this.#options = options;
    this.#prices = new Prices(options.prices);
    this.#cut = cut;
  }

  get spentUsd(): number {
    return this.#spent;
  }

  get reservedUsd(): number {
    return this.#reserved;
  }

  /**
   * Reserves money for a request. Throws a Refusal: 402 if it could pass the cap, which also ends all connections; 429 if only the
   * reserves of other requests are in the way.
   */
  admit(ask: ModelRequest): Hold {
    const cap = this.#options.capUsd;
    const most = this.#prices.reserve(ask);
    // A request of unknown cost may cost all that is left, and runs alone.
    const reserve = most ?? Math.max(0, cap - this.#spent);
    if (this.#spent + reserve > cap || (most === undefined && reserve === 0)) {
      const reason = `the limit of $${cap} is reached: $${round(this.#spent)} are spent, and this request may cost ${formatMost(most)}`;
      this.#cut(reason);
      throw new Refusal(402, reason);
    }
    if (this.#spent + this.#reserved + reserve > cap) {
      throw new Refusal(429, `what requests under way may still cost leaves too little of the limit of $${cap}`, true);
    }
    this.#reserved += reserve;
    return this.#hold(ask, reserve);
  }

  #hold(ask: ModelRequest, first: number): Hold {
    let reserve = first;
    let settled = false;
    return {
      observe: (reading) => {
        const cost = settled ? undefined : this.#dearerCost(ask, reading);
        if (cost === undefined || cost <= reserve) return;
        this.#reserved += cost - reserve;
        reserve = cost;
        this.#check();
      },
      settle: (outcome) => {
        if (settled) return;
        settled = true;
        this.#reserved -= reserve;
        if (outcome.as === "free") return;
        this.#book(ask, reserve, outcome);
      },
    };
  }

  #book(ask: ModelRequest, reserve: number, { as, reading }: Exclude<CallOutcome, { as: "free" }>): void {
    const isWhole = as === "read" && !reading.surcharge && !ask.surcharge;
    const known = isWhole ? this.#dearerCost(ask, reading) : undefined;
    const countedUsd = known ?? reserve;
    this.#spent += countedUsd;
    const { input, output, cacheRead, cacheWrite, cacheWriteHour }: BilledTokens = reading.tokens ?? NO_TOKENS;
    this.#options.onUsage?.({
      model: plainText(reading.model ?? ask.model, 100),
      input,
      output,
      cacheRead,
      cacheWrite: cacheWrite + cacheWriteHour,
      usd: known ?? null,
      countedUsd,
    });
    this.#check();
  }

  /**
   * At the dearer of the prices of the requested model and the one that answered; undefined if either has no price. A platform
   * serves exactly the model of the path, and its answer may have another name for it.
   */
  #dearerCost(ask: ModelRequest, { model, tokens }: UsageReading): number | undefined {
    if (tokens === undefined) return undefined;
    const asked = this.#prices.cost(ask.model, tokens);
    const answered = this.#prices.cost(model ?? ask.model, tokens) ?? (this.#options.platform === undefined ? undefined : asked);
    return asked === undefined || answered === undefined ? undefined : Math.max(asked, answered);
  }

  #check(): void {
    const cap = this.#options.capUsd;
    if (this.#spent + this.#reserved > cap) this.#cut(`the limit of $${cap} is reached`);
  }
}

const NO_TOKENS: BilledTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };

function formatMost(most: number | undefined): string {
  return most === undefined ? "anything, for no price is known for it" : `$${round(most)}`;
}

function round(usd: number): string {
  return String(Number(usd.toFixed(4)));
}
