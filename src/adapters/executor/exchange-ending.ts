import { plainText } from "../../domain/values/text.ts";
import type { ExchangeEnding } from "./exchange.ts";

const MAX_REASON = 500;

/** The limits of an exchange, and what takes secrets out of a text. */
export interface EndingWords {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly mask: (text: string) => string;
}

/** How a program ended, as the end of a sentence about it: with the last line of stderr, safe for a terminal. */
export function describeEnding(ending: ExchangeEnding, words: EndingWords): string {
  if (ending.how === "failed-to-start") return `did not start: ${plainText(words.mask(ending.why), MAX_REASON)}`;
  const reason = lastLine(words.mask(ending.stderr));
  return `${endingWords(ending, words)}${reason === "" ? ", and printed no reason on stderr" : `: ${reason}`}`;
}

function endingWords(ending: Exclude<ExchangeEnding, { how: "failed-to-start" }>, { timeoutMs, maxBytes }: EndingWords): string {
  switch (ending.how) {
    case "exited":
      return `ended with exit code ${ending.exitCode}`;
    case "signalled":
      return `was ended by ${ending.signal}`;
    case "out-of-time":
      return `took longer than ${timeoutMs / 1000} s and was ended`;
    case "too-long":
      return `printed more than ${maxBytes / 1024 / 1024} MiB and was ended`;
  }
}

/** The last line of a text that is not blank, as plain text. */
function lastLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => plainText(line, MAX_REASON).trim());
  return lines.findLast((line) => line !== "") ?? "";
}
