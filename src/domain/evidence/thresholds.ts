import type { Hunk, Suppression } from "./hunk.ts";

/**
 * Settings that say how much must be covered, as JavaScript, JSON, TOML, INI, YAML, XML, Gradle and command lines write them:
 * jest, vitest, nyc, c8, karma, coverage.py, pytest-cov, SimpleCov, codecov and JaCoCo.
 */
const SETTING =
  /(?:^|[\s"'{,[<(-])(branches|functions|lines|statements|fail[_-]under|cov-fail-under|minimum_coverage(?:_by_file)?|minimum|target)["']?\s?(?:[:=>]|\s)\s?["']?(-?\d{1,6}(?:\.\d{1,6})?)/gi;

/** Settings whose names mean something else in other files. */
const ONLY_IN: Readonly<Record<string, RegExp>> = { target: /codecov\.ya?ml$/, minimum: /(?:pom\.xml|\.gradle(?:\.kts)?)$/ };

/**
 * Demands that a change lowers or takes away: per setting, the highest that is gone against the highest that has come. So a
 * configuration that moves to another file lowers nothing, and one that grows stricter neither.
 */
export function loweredThresholds(hunks: readonly Hunk[]): readonly Suppression[] {
  const gone = settingsIn(hunks, "removed");
  const come = settingsIn(hunks, "added");
  return [...gone].flatMap(([key, before]) => {
    const after = come.get(key) ?? [];
    return before.flatMap(({ value, path }, i) => {
      const now = after[i];
      if (now !== undefined && now.value >= value) return [];
      const text = `${key} ${value} → ${now === undefined ? "nothing" : now.value}`;
      return [{ path, line: 0, what: "lowered coverage" as const, text }];
    });
  });
}

interface Setting {
  readonly value: number;
  readonly path: string;
}

/** By lower-case key, highest first. */
function settingsIn(hunks: readonly Hunk[], side: "added" | "removed"): ReadonlyMap<string, readonly Setting[]> {
  const byKey = new Map<string, Setting[]>();
  const lines = hunks.flatMap((hunk) => hunk[side].map((line) => ({ path: hunk.path, line })));
  for (const { path, line } of lines) {
    for (const [key, value] of settingsOf(line)) {
      if (!(ONLY_IN[key]?.test(path) ?? true)) continue;
      const list = byKey.get(key) ?? [];
      list.push({ value, path });
      byKey.set(key, list);
    }
  }
  for (const list of byKey.values()) list.sort((a, b) => b.value - a.value);
  return byKey;
}

/** What goes on after a number where it is but a part of an expression: `90 - 90`, `90 && 0`. */
const GOES_ON = /^ ?(?:[*&|?^+]|-(?!-)|\/(?![/*]))/;

function settingsOf(line: string): readonly (readonly [key: string, value: number])[] {
  // What stands in a comment demands nothing.
  if (/^\s*(?:\/\/|#|\*|;)/.test(line)) return [];
  const plain = line
    .replaceAll("\0", "")
    .replace(/\s+/g, " ")
    .replace(/\/\*.*?(?:\*\/|$)|<!--.*?(?:-->|$)|(?:^|[ ,])(?:\/\/|#).*$/g, " ");
  return [...plain.matchAll(SETTING)].map((found) => {
    const [whole, key = "", value = ""] = found;
    const isWhole = !GOES_ON.test(plain.slice(found.index + whole.length));
    // Nobody computes it here, so an expression demands nothing.
    return [key.toLowerCase(), isWhole ? Number(value) : 0];
  });
}
