import { plainText } from "../domain/values/text.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** Milliseconds as `MM:SS`, from one hour on as `H:MM:SS`. Negative time (clocks differ) reads as zero. */
export function formatElapsed(ms: number): string {
  const s = Math.max(0, Math.floor(ms / SECOND));
  const h = Math.floor(s / 3600);
  const rest = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return h === 0 ? rest : `${h}:${rest}`;
}

/** Milliseconds as `M:SS`, from one hour on as `H:MM:SS`: a time within a sentence. */
export function formatStopwatch(ms: number): string {
  return formatElapsed(ms).replace(/^0/, "");
}

/** Milliseconds as `HH:MM:SS`: never narrower than eight columns, so that a line does not shift after an hour. */
export function formatLong(ms: number): string {
  const s = Math.max(0, Math.floor(ms / SECOND));
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** Milliseconds in at most four columns, by the greatest unit: `7s`, `48m`, `12h`, `3d`. */
export function formatAge(ms: number): string {
  const t = Math.max(0, ms);
  if (t < MINUTE) return `${Math.floor(t / SECOND)}s`;
  if (t < HOUR) return `${Math.floor(t / MINUTE)}m`;
  if (t < 2 * DAY) return `${Math.floor(t / HOUR)}h`;
  return `${Math.floor(t / DAY)}d`;
}

/** Remaining milliseconds by the greatest unit, under two minutes as `M:SS`, because `1m` would be too coarse. */
export function formatLeft(ms: number): string {
  if (ms >= 2 * MINUTE) return formatAge(ms);
  const s = Math.max(0, Math.floor(ms / SECOND));
  return `${Math.floor(s / 60)}:${two(s % 60)}`;
}

/** Wall-clock milliseconds as local `HH:MM:SS`. */
export function formatClock(at: number): string {
  const d = new Date(at);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** Wall-clock milliseconds as local `HH:MM`. */
export function formatMinute(at: number): string {
  return formatClock(at).slice(0, 5);
}

/** Wall-clock milliseconds as the local day: `05-04`. */
export function formatDay(at: number): string {
  const d = new Date(at);
  return `${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

/** Dollars: `$0.00` to `$999.99`, from a thousand on without cents. */
export function formatUsd(usd: number): string {
  return `$${usd < 1000 ? usd.toFixed(2) : Math.round(usd)}`;
}

/** Dollars with cents, of any size: `$1234.50`. */
export function formatCents(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** A cap in dollars; cents only if it has some. */
export function formatCap(usd: number): string {
  return Number.isInteger(usd) ? `$${usd}` : formatCents(usd);
}

/**
 * Characters whose width differs between terminals (joiners, variation selectors, skin tones) or that turn the direction of the
 * text after them. Without them every terminal draws the same columns, and a line cannot read backwards.
 */
const UNSTEADY = /\p{Default_Ignorable_Code_Point}|\p{Emoji_Modifier}/gu;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Outside text as one line that is safe to draw: no control sequences, runs of white space as one space. */
export function displayText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.includes("  ") ? text.replace(/ {2,}/g, " ").trim() : text.trim();
  return plainText(text).replace(UNSTEADY, "").replace(/\s+/gu, " ").trim();
}

/** Columns from one tab stop to the next. */
const TAB = 4;

/** Outside text as one line that is safe to draw, with its spaces kept as they are: for logs and code. Tabs become spaces. */
export function displayLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.trimEnd();
  const pieces = text.split("\t").map((piece) => plainText(piece).replace(UNSTEADY, ""));
  const padded = pieces.map((piece, i) => (i === pieces.length - 1 ? piece : piece + " ".repeat(TAB - (piece.length % TAB))));
  return padded.join("").trimEnd();
}
