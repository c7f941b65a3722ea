/**
 * Whether `text` is what `pattern` says; `*` stands for any characters, every other character for itself. Not a path glob:
 * test ids hold slashes, brackets and spaces. Time grows at most with the product of both lengths.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (next < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = next;
    } else if (pattern[at] === text[next]) {
      at += 1;
      next += 1;
    } else if (star !== -1) {
      at = star + 1;
      next = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
