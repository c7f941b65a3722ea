import type { Hunk, Suppression } from "./hunk.ts";

/**
 * Coverage thresholds as JavaScript, JSON, TOML, INI, YAML, XML, Gradle and command lines write them: jest, vitest, nyc, c8,
 * karma, coverage.py, pytest-cov, SimpleCov, codecov and JaCoCo.
 */
const SETTING =
  /(?:^|[\s"'{,[<(-])(branches|functions|lines|statements|fail[_-]under|cov-fail-under|minimum_coverage(?:_by_file)?|minimum|target)["']?\s?(?:[:=>]|\s)\s?["']?(-?\d{1,6}(?:\.\d{1,6})?)/gi;

/** Settings whose names mean something else in other files. */
const ONLY_IN: Readonly<Record<string, RegExp>> = { target: /codecov\.ya?ml$/, minimum: /(?:pom\.xml|\.gradle(?:\.kts)?)$/ };

/**
 * Thresholds that a change lowers or removes: per setting, the highest removed value against the highest added one. So moving or
 * tightening a configuration lowers nothing.
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
    for (const [key, value] of parseThresholds(line)) {
      if (!(ONLY_IN[key]?.test(path) ?? true)) continue;
      const list = byKey.get(key) ?? [];
      list.push({ value, path });
      byKey.set(key, list);
    }
  }
  for (const list of byKey.values()) list.sort((a, b) => b.value - a.value);
  return byKey;
}

/** Text after a number that is only a part of an expression: `90 - 90`, `90 && 0`. */
const GOES_ON = /^ ?(?:[*&|?^+]|-(?!-)|\/(?![/*]))/;

function parseThresholds(line: string): readonly (readonly [key: string, value: number])[] {
  // A threshold in a comment has no effect.
  if (/^\s*(?:\/\/|#|\*|;)/.test(line)) return [];
  const plain = line
    .replaceAll("\0", "")
    .replace(/\s+/g, " ")
    .replace(/\/\*.*?(?:\*\/|$)|<!--.*?(?:-->|$)|(?:^|[ ,])(?:\/\/|#).*$/gs, " ");
  return [...plain.matchAll(SETTING)].map((found) => {
    const [whole, key = "", value = ""] = found;
    const isWhole = !GOES_ON.test(plain.slice(found.index + whole.length));
    // Expressions are not computed here, so they count as no threshold.
    return [key.toLowerCase(), isWhole ? Number(value) : 0];
  });
}
