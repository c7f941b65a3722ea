/** Lines around a change that must still be there. */
const CONTEXT = 3;

/**
 * A text after the change from `before` to `after`, if it is not `before` itself: the changed lines are replaced where they stand
 * with the same lines around them. Lines that were only added go to the end if their surroundings are gone and `appends` is set.
 * Undefined if there is no such place or more than one.
 */
export function applyTextChange(
  current: string,
  { before, after, appends }: { readonly before: string; readonly after: string; readonly appends: boolean },
): string | undefined {
  if (current === before || current === after) return after;
  const [now, old, next] = [linesWithBreaks(current), linesWithBreaks(before), linesWithBreaks(after)];
  const head = sharedLines(old, next);
  const tail = sharedLines(old.slice(head).toReversed(), next.slice(head).toReversed());
  const from = Math.max(0, head - CONTEXT);
  const to = Math.min(old.length, old.length - tail + CONTEXT);
  const added = next.slice(head, next.length - tail);
  const at = lineRunPositions(now, old.slice(from, to));
  const [place] = at;
  if (at.length === 1 && place !== undefined) {
    const start = place + head - from;
    return [...now.slice(0, start), ...added, ...now.slice(start + old.length - tail - head)].join("");
  }
  if (!appends || old.length > head + tail) return undefined;
  const end = current === "" || current.endsWith("\n") ? current : `${current}\n`;
  return end + added.join("");
}

/** The lines of a text, each with its line break. */
function linesWithBreaks(text: string): readonly string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function sharedLines(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1;
  return shared;
}

/** The positions of a run of lines; an empty one has no place. */
function lineRunPositions(lines: readonly string[], part: readonly string[]): readonly number[] {
  if (part.length === 0) return [];
  const places: number[] = [];
  for (let at = 0; at + part.length <= lines.length; at += 1) {
    if (part.every((line, i) => lines[at + i] === line)) places.push(at);
  }
  return places;
}
