// biome-ignore lint/performance/noBarrelFile: the layers read these texts from one place of the domain
export {
  boundedHead,
  boundedList,
  boundedTail,
  errorCode,
  errorMessage,
  firstFew,
  firstFewLine,
  hasErrorCode,
  plainLines,
  plainText,
  plural,
  wholeWords,
} from "@loopdash/values";

/** What JSON leaves as it stands, and would steer a terminal or reorder its text. */
const STRAY = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A value as JSON for a program or a terminal, with the newline that ends it. `indent`: columns of a level; all in one line without. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return `${text.replace(STRAY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
