/** The shape of an object id: SHA-1 or SHA-256, whole and lower case. */
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** True if `text` is a whole object id. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

/** Returns `id` if it is a whole object id. Throws a RangeError otherwise, so that no option or expression gets through. */
export function objectId(id: string): string {
  if (!isObjectId(id)) throw new RangeError(`not an object id: ${JSON.stringify(id).slice(0, 100)}`);
  return id;
}

/**
 * Characters that git refuses within a branch name (git-check-ref-format(1)): a wrong name would be read as a revision
 * expression.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const REFUSED = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/;

/** The reason why `name` cannot name a branch, or undefined if it can. */
export function unfitBranchName(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (Buffer.byteLength(name) > 250) return "it is too long";
  if (REFUSED.test(name)) return "git does not allow such a name";
  if (name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock"))) {
    return "no part of it may start with a dot or end with .lock";
  }
  return undefined;
}

/** The full ref of a branch. Throws a RangeError on a name that git would not allow. */
export function branchRef(name: string): string {
  const reason = unfitBranchName(name);
  if (reason !== undefined) throw new RangeError(`"${displayName(name)}" cannot name a branch: ${reason}`);
  return `refs/heads/${name}`;
}

/** A file or branch name for a message: quoted like JSON if it contains anything but plain visible characters. */
export function displayName(name: string): string {
  return /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(name) ? name : JSON.stringify(name).replace(/[\u007f-\u{10ffff}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
