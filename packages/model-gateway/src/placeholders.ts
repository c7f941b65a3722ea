/** `{secret:name}`, or `{base64:text}` around text and secrets, as basic authentication needs it. */
const PLACEHOLDER = /\{secret:([A-Za-z][\w-]*)\}|\{base64:((?:[^{}]|\{secret:[A-Za-z][\w-]*\})*)\}/g;

const NAMED = /\{secret:([^{}]*)\}/g;

/** The names of the secrets that a text asks for, each once; also names that cannot exist. */
export function secretNames(text: string): readonly string[] {
  return [...new Set([...text.matchAll(NAMED)].map(([, name = ""]) => name))];
}

/** The text with the values of its secrets. `values` has each of `secretNames`. */
export function fillSecrets(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string | undefined, inner: string | undefined) => {
    if (inner !== undefined) return base64(fillSecrets(inner, values));
    return values.get(name ?? "") ?? whole;
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
