import { displayValue } from "@loopdash/values";
import { pathText } from "./problem.ts";

type Key = string | number;

interface Difference {
  readonly path: readonly Key[];
  readonly before: unknown;
  readonly now: unknown;
}

/** Settings whose values a message may show. Others may hold what is secret, as commands and environments do, or be long. */
const SHOWN = /^tracker\.(?!command\b|env\b)/;

/**
 * The paths at which two values differ, as people write them in a batch file: `limits.attempts`. Entries of a list of tickets are
 * known by their id: `tickets.T-1.title`. A value that is new or gone is one path. Those of a tracker have their values:
 * `tracker.doneState: "Done" → "Shipped"`.
 */
export function changedPaths(before: unknown, now: unknown): readonly string[] {
  return differences(before, now, []).map(({ path, ...values }) => {
    const text = pathText(path);
    return SHOWN.test(text) ? `${text}: ${shown(values.before)} → ${shown(values.now)}` : text;
  });
}

function shown(value: unknown): string {
  return value === undefined ? "not set" : displayValue(value);
}

function differences(before: unknown, now: unknown, path: readonly Key[]): readonly Difference[] {
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  const [a, b] = [entriesByKey(before), entriesByKey(now)];
  if (a === undefined || b === undefined) return [{ path, before, now }];
  const order = [...a.keys()].join() === [...b.keys()].join() ? [] : [{ path, before, now }];
  const inside = [...new Set([...a.keys(), ...b.keys()])].flatMap((key) => differences(a.get(key), b.get(key), [...path, key]));
  return inside.length === 0 ? order : inside;
}

/** Parts by name; undefined where there are none. */
function entriesByKey(value: unknown): ReadonlyMap<Key, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  return new Map(value.map((item: unknown, i): [Key, unknown] => [itemId(item) ?? i, item]));
}

function itemId(item: unknown): string | undefined {
  const id = typeof item === "object" && item !== null && "id" in item ? item.id : undefined;
  return typeof id === "string" ? id : undefined;
}
