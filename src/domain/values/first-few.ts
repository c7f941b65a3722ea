/** The first `max` texts of a list. If there are more, a last text counts them: `["a", "b", "and 7 more"]`. */
export function firstFew(texts: readonly string[], max: number): readonly string[] {
  const more = texts.length - max;
  return more > 0 ? [...texts.slice(0, max), `and ${more} more`] : texts;
}

/** The same as one line: `a, b and 7 more`. */
export function firstFewLine(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return more > 0 ? `${texts.slice(0, max).join(", ")} and ${more} more` : texts.join(", ");
}
