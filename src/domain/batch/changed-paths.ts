import { pathText } from "./problem.ts";

type Key = string | number;

/**
 * The paths at which two values differ, as people write them in a batch file: `limits.attempts`. Entries of a list of tickets are
 * known by their id: `tickets.T-1.title`. A value that is new or gone is one path.
 */
export function changedPaths(before: unknown, now: unknown): readonly string[] {
  return differences(before, now, []).map(pathText);
}

function differences(before: unknown, now: unknown, path: readonly Key[]): readonly (readonly Key[])[] {
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  const [a, b] = [entriesOf(before), entriesOf(now)];
  if (a === undefined || b === undefined) return [path];
  const order = [...a.keys()].join() === [...b.keys()].join() ? [] : [path];
  const inside = [...new Set([...a.keys(), ...b.keys()])].flatMap((key) => differences(a.get(key), b.get(key), [...path, key]));
  return inside.length === 0 ? order : inside;
}

/** Parts by name; undefined where there are none. */
function entriesOf(value: unknown): ReadonlyMap<Key, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  return new Map(value.map((item: unknown, i): [Key, unknown] => [idOf(item) ?? i, item]));
}

function idOf(item: unknown): string | undefined {
  const id = typeof item === "object" && item !== null && "id" in item ? item.id : undefined;
  return typeof id === "string" ? id : undefined;
}
