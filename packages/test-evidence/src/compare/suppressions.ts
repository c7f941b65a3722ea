import type { Hunk, Suppression } from "./hunk.ts";
import { isCoverageConfiguration, isTestFile, languageFamily } from "./languages.ts";
import { MARKERS } from "./markers.ts";
import { isMention, maySpeak } from "./mention.ts";
import { loweredThresholds } from "./thresholds.ts";

interface Hit extends Suppression {
  /** The marker with its rules, which identifies it beside the line that it replaces. */
  readonly token: string;
  /**
   * The marker with the code that it silences, which identifies it after that code has moved. Undefined if the change does not
   * show the code: a marker that moves alone silences something else.
   */
  readonly moved: string | undefined;
}

/**
 * Suppressions that a change adds. Only new ones count: a suppression that stays beside a changed line, or that moved together
 * with the code it silences, existed before.
 */
export function suppressionsIn(hunks: readonly Hunk[]): readonly Suppression[] {
  const taken = new Map<string, number>();
  const left: Hit[] = [];
  for (const hunk of hunks) {
    const gone = findMarkerHits(hunk, hunk.removed);
    const here = new Map<string, number>();
    for (const hit of gone) add(here, hit.token, 1);
    const fresh = findMarkerHits(hunk, hunk.added).filter(({ token }) => !takeOne(here, token));
    left.push(...fresh);
    // A removed marker that an added line of the same hunk has used up cannot excuse one elsewhere.
    for (const { token, moved } of gone) if (takeOne(here, token) && moved !== undefined) add(taken, moved, 1);
  }
  const added = left.filter(({ moved }) => moved === undefined || !takeOne(taken, moved));
  return [
    ...added.map(({ path, line, what, text }) => ({ path, line, what, text })),
    ...loweredThresholds(hunks.filter(({ path }) => isCoverageConfiguration(path))),
  ];
}

function findMarkerHits(hunk: Hunk, lines: readonly string[]): readonly Hit[] {
  const family = languageFamily(hunk.path);
  if (family === undefined) return [];
  const inTests = isTestFile(hunk.path);
  const markers = MARKERS.filter((m) => m.families.includes(family) && (inTests || m.inTestsOnly !== true));
  const under = codeUnder(lines);
  const hits: Hit[] = [];
  lines.forEach((raw, i) => {
    // TypeScript also reads UTF-16 files, which are text with NULs in between here. Long runs of blanks hide nothing.
    const text = plain(raw);
    const speaks = maySpeak(raw, family);
    for (const { what, pattern } of markers) {
      const found = firstMeant(text, pattern, (at) => speaks && isMention(what, family, text, at));
      if (found === undefined) continue;
      const rest = text
        .slice(found.index)
        .replace(/\*\/.*/s, "")
        .trim();
      const token = `${what} ${what === "a test" ? found[0].trim() : rest}`;
      const code = isComment(text) ? under[i] : "";
      const moved = code === undefined ? undefined : `${text} ${code}`;
      hits.push({ path: hunk.path, line: hunk.line + i, what, text, token, moved });
    }
  });
  return hits;
}

/** Nobody mentions a marker more often in a line. Each mention is checked with the whole line before it. */
const MOST_MENTIONS = 12;

/** The first match that is more than a mention. */
function firstMeant(text: string, pattern: RegExp, isOnlyMentioned: (at: number) => boolean): RegExpExecArray | undefined {
  const first = pattern.exec(text);
  if (first === null) return undefined;
  if (!isOnlyMentioned(first.index)) return first;
  let mentions = 0;
  for (const found of text.matchAll(new RegExp(pattern, `${pattern.flags}g`)))
    if (++mentions > MOST_MENTIONS || !isOnlyMentioned(found.index)) return found;
  return undefined;
}

/** The next code below each line, plain; undefined if there is none among the lines. */
function codeUnder(lines: readonly string[]): readonly (string | undefined)[] {
  let code: string | undefined;
  const fromBelow = lines.toReversed().map((line) => {
    const under = code;
    const text = plain(line);
    if (text !== "" && !isComment(text)) code = text;
    return under;
  });
  return fromBelow.reverse();
}

function plain(line: string): string {
  return line.replaceAll("\0", "").replace(/\s+/g, " ").trim();
}

/** True if a line is only a comment, an annotation or an attribute, and so concerns the line after it. */
function isComment(text: string): boolean {
  return /^(?:\/\/|\/\*|\*|#|<!--|\{\/\*|@|\[)/.test(text);
}

function add(counts: Map<string, number>, key: string, n: number): void {
  counts.set(key, (counts.get(key) ?? 0) + n);
}

function takeOne(counts: Map<string, number>, key: string): boolean {
  const n = counts.get(key) ?? 0;
  if (n === 0) return false;
  counts.set(key, n - 1);
  return true;
}
