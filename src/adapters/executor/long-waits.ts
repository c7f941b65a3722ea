import { plainText } from "../../domain/values/text.ts";
import { afterRunning } from "./run-time.ts";

/** A wait for somebody else's program is named after this time. Milliseconds. */
const NAMED_AFTER_MS = 5_000;

let tell = (text: string): void => void process.stderr.write(`${text}\n`);

/** Hands on what names a long wait, instead of writing it to stderr. */
export function onLongWait(then: (text: string) => void): void {
  tell = then;
}

/** Names a wait, `what` waits for what, if it lasts; it ends by itself after `mostMs`. Returns what to call once it is over. */
export function nameWait(what: string, mostMs: number): () => void {
  const bounds = `${NAMED_AFTER_MS / 1000} s of at most ${Math.ceil(mostMs / 1000)} s`;
  return mostMs <= NAMED_AFTER_MS
    ? () => undefined
    : afterRunning(NAMED_AFTER_MS, () => tell(`${plainText(what, 300)}, ${bounds}: then it is ended`));
}
