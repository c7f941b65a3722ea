/** Characters of a zone's path at most. */
const MOST_CHARS = 400;

/** Folders of a zone's path at most. */
const MOST_SEGMENTS = 40;

/** What a template leaves for its user to fill in. */
const PLACEHOLDER = /<[^<>]*>|\b(?:TODO|TBD|FIXME|XXX)\b|\.\.\.|…|\bpath\/to\b|\byour[-_ ]?(?:path|folder|dir|file)/i;

/** The problem with a path of a danger zone, with what to write instead; undefined if there is none. */
export function unfitForZone(path: string): { readonly message: string; readonly hint: string } | undefined {
  if (path.trim() === "") return { message: "the path is empty", hint: "name a folder or a file, such as `src/payments/`" };
  if (isPlaceholder(path)) return { message: "the path is a placeholder", hint: "name a real folder, or remove the line" };
  if (path.length > MOST_CHARS) return { message: `the path has more than ${MOST_CHARS} characters`, hint: "name its folder" };
  if (path !== path.trim()) return { message: "the path begins or ends with a space", hint: "remove the space" };
  if (hasControl(path)) return { message: "the path holds a control character", hint: "remove it" };
  if (path.includes("\\")) return { message: "the path holds a backslash", hint: "separate folders by /" };
  if (path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:/.test(path))
    return { message: "the path is not relative to the top of the repository", hint: "write `src/payments/`, say" };
  return unfitSegment(path.replace(/\/$/, "").split("/"));
}

function unfitSegment(segments: readonly string[]): { readonly message: string; readonly hint: string } | undefined {
  if (segments.length > MOST_SEGMENTS)
    return { message: `the path has more than ${MOST_SEGMENTS} folders`, hint: "name an outer folder" };
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === "..")
      return { message: `the path has the segment "${segment}"`, hint: "write the path without . and .. and double slashes" };
    if (segment.includes("**") && segment !== "**")
      return { message: `** stands for whole folders, and not for a part of "${segment}"`, hint: "write `**/` or a single *" };
  }
  return undefined;
}

/** True for a text that a template left for its user to fill in. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

/** True for a text with control characters. */
export function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);
}
