/** Strict checks of parsed JSON. Each throws CannotJudge and names the place. */

/** The value as an object with only the allowed keys, and all of the required ones. */
export function checkedObject(
  value: unknown,
  where: string,
  required: readonly string[],
  optional: readonly string[] = [],
): ReadonlyMap<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new CannotJudge(`${where} is not an object`);
  const entries = new Map<string, unknown>(Object.entries(value));
  for (const key of entries.keys()) {
    if (!required.includes(key) && !optional.includes(key)) {
      throw new CannotJudge(`${where} has an unknown key ${JSON.stringify(key)}`);
    }
  }
  for (const key of required) if (!entries.has(key)) throw new CannotJudge(`${where} has no ${JSON.stringify(key)}`);
  return entries;
}

/** One field of an object that may have others. */
export function fieldOf(value: unknown, name: string, where: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
    throw new CannotJudge(`${where} has no ${name}`);
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

export function checkedList(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new CannotJudge(`${where} is not a list`);
  return value;
}

export function checkedText(value: unknown, where: string): string {
  if (typeof value !== "string") throw new CannotJudge(`${where} is not a text`);
  return value;
}

export function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CannotJudge(`${where} is not JSON: it is damaged or only partly written`, { cause });
  }
}

/** A ticket id: 1 to 64 letters, digits, '-', '_' and single dots, fit for a git branch name (git check-ref-format). */
export function ticketIdOf(value: unknown, where: string): string {
  const id = checkedText(value, where);
  const fits = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*$/.test(id) && id.length <= 64;
  if (!fits || id.endsWith(".") || id.toLowerCase().endsWith(".lock")) {
    throw new CannotJudge(`${where} is not a ticket id: ${JSON.stringify(id.slice(0, 80))}`);
  }
  return id;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The step that is left to a person: one line of at most 500 characters; blank means that none is recorded. */
export function stepOf(value: unknown, where: string): string {
  const step = checkedText(value, where).trim();
  if (step.length > 500 || CONTROL.test(step)) {
    throw new CannotJudge(`${where} is not one line of at most 500 characters`);
  }
  return step;
}

/** The state of the world is not known well enough to say anything: exit 2, never 0, never 1. */
export class CannotJudge extends Error {
  override readonly name = "CannotJudge";
}
