import type { BilledTokens, Price, Rates } from "../../gateway.ts";
import type { ModelRequest } from "../models/model-request.ts";

/** Tokens of an answer for which neither the request nor the price list sets a limit. */
const MOST_OUTPUT = 128_000;
/** Input tokens, at least as many as any model takes; for requests whose input is not in their body. */
const MOST_INPUT = 1_000_000;
/** Few texts have more tokens than one in three bytes of JSON; the actual number counts once the answer gives it. */
const BYTES_PER_TOKEN = 3;
const MILLION = 1_000_000;

/** A price list. */
export class Prices {
  readonly #prices: readonly { readonly fits: RegExp; readonly price: Price }[];

  constructor(prices: readonly Price[]) {
    this.#prices = prices.map((price) => ({ fits: modelPattern(price.model), price }));
  }

  /** Undefined if the list has no price for this model. */
  of(model: string): Price | undefined {
    return this.#prices.find(({ fits }) => fits.test(model))?.price;
  }

  /** Dollars to reserve for a request: the most that it can cost. Undefined if that is unknown. */
  reserve(ask: ModelRequest): number | undefined {
    const price = this.of(ask.model);
    if (price === undefined || ask.surcharge) return undefined;
    const input = Math.max(ask.body.length / BYTES_PER_TOKEN, ask.outside ? MOST_INPUT : 0);
    const output = (ask.maxOutput ?? price.maxOutput ?? MOST_OUTPUT) * Math.max(1, ask.answers);
    const rates = price.long === undefined || input <= price.long.above ? [price] : [price, price.long];
    return Math.max(...rates.map((each) => (input * dearestInput(each) + output * each.output) / MILLION));
  }

  /** Dollars for these tokens of a model; undefined if it has no price. */
  cost(model: string, tokens: BilledTokens): number | undefined {
    const price = this.of(model);
    if (price === undefined) return undefined;
    const { input, output, cacheRead, cacheWrite, cacheWriteHour } = tokens;
    const isLong = price.long !== undefined && input + cacheRead + cacheWrite + cacheWriteHour > price.long.above;
    const rates: Rates = isLong ? price.long : price;
    const dollars =
      input * rates.input +
      output * rates.output +
      cacheRead * rates.cacheRead +
      cacheWrite * rates.cacheWrite +
      cacheWriteHour * hourRate(rates);
    return dollars / MILLION;
  }
}

function hourRate(rates: Rates): number {
  return rates.cacheWriteHour ?? 2 * rates.input;
}

/** All input may be written to the dearest of the caches; that is rare, and the answer shows it. */
function dearestInput(rates: Rates): number {
  return Math.max(rates.input, rates.cacheWrite);
}

function modelPattern(model: string): RegExp {
  return new RegExp(`^${model.split("*").map(escaped).join(".*")}$`, "is");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
