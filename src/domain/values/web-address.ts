/** Longest web address that is kept, in characters. */
const LONGEST = 2_000;
/** The parser of addresses drops some of these without a word, so that another address would result. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;
const PRINTABLE = /^[!-~]+$/;

/**
 * An address from outside as one of a page that people may be sent to, in printable ASCII. Undefined unless it is http or https, has
 * at most 2,000 characters, and has neither control characters nor a user name or password.
 */
export function webAddress(text: string): string | undefined {
  if (text.length > LONGEST || CONTROLS.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  return url.href.length <= LONGEST && PRINTABLE.test(url.href) ? url.href : undefined;
}
