/**
 * True if `text` matches `pattern`. `*` stands for any characters, every other character for itself. It is no path glob, because
 * test ids contain slashes, brackets and spaces. Each piece between stars is searched once, from the end of the one before.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
