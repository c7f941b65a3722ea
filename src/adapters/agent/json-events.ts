/** A JSON object, with nothing known of it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The longest line of a program that is read, in characters: a tool's result of a megabyte is no event for people. */
export const EVENT_CHARS = 1_000_000;

/** Characters of one text that is shown. */
const SHOWN_CHARS = 500;

/** The object that a line holds; undefined where it holds none: not JSON, cut, a list, a number. */
export function readEvent(line: string): JsonObject | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    return objectOf(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A count or an amount: finite and not below zero. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The first lines of a text as one, bounded: what an agent says is long, and only its beginning is shown. */
export function shown(text: string): string {
  const flat = text
    .slice(0, SHOWN_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return flat.length <= SHOWN_CHARS ? flat : `${flat.slice(0, SHOWN_CHARS)}…`;
}
