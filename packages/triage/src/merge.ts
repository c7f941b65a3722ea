import type { Finding } from "./finding.ts";
import { normalisedMessage } from "./identity.ts";

/**
 * The findings of several sources, each failure once. Sources come best first; a finding of a later one that tells of the same
 * failure only fills in what the first lacks. The same: an equal identity; the same test in another source; the same place, or
 * none, with the same first words.
 */
export function mergeFindings(sources: readonly (readonly Finding[])[]): readonly Finding[] {
  const merge = new Merge();
  for (const findings of sources) merge.add(findings);
  return merge.findings;
}

class Merge {
  readonly findings: Finding[] = [];
  /** Indexes into the findings, by what tells that two are the same. */
  readonly #byIdentity = new Map<string, number>();
  readonly #byTest = new Map<string, number>();
  readonly #byWords = new Map<string, number>();

  add(source: readonly Finding[]): void {
    // A test may fail by several messages in one source, and then each counts.
    const known = this.findings.length;
    for (const finding of source) {
      const at = this.#mergedIndex(finding, known);
      const same = at === undefined ? undefined : this.findings[at];
      if (at === undefined || same === undefined) this.#push(finding);
      else this.findings[at] = filled(same, finding);
    }
  }

  #mergedIndex(finding: Finding, known: number): number | undefined {
    const { identity, test, line } = finding;
    // Equal words in two lines of a file are two failures, unless they are a test's.
    const isAnywhere = test !== undefined || line === undefined;
    const keys = isAnywhere ? [identity] : [JSON.stringify([identity, line]), JSON.stringify([identity])];
    const byIdentity = keys.map((key) => this.#byIdentity.get(key)).find((at) => at !== undefined);
    if (byIdentity !== undefined) return byIdentity;
    const byTest = test === undefined ? undefined : this.#byTest.get(test);
    if (byTest !== undefined && byTest < known) return byTest;
    const byWords = lookupKeys(finding).map((words) => this.#byWords.get(words));
    return byWords.find((at) => at !== undefined && at < known);
  }

  #push(finding: Finding): void {
    const at = this.findings.push(finding) - 1;
    const { identity, line, test } = finding;
    for (const key of [identity, JSON.stringify(line === undefined ? [identity] : [identity, line])])
      if (!this.#byIdentity.has(key)) this.#byIdentity.set(key, at);
    if (test !== undefined && !this.#byTest.has(test)) this.#byTest.set(test, at);
    for (const words of indexKeys(finding)) if (!this.#byWords.has(words)) this.#byWords.set(words, at);
  }
}

/** The keys under which a finding is looked for. One that names a test is no other test's, whatever its words. */
function lookupKeys(finding: Finding): readonly string[] {
  if (finding.test !== undefined) return [];
  const { file, line } = finding;
  return [JSON.stringify([file ?? "", file === undefined ? 0 : (line ?? 0), firstWords(finding)])];
}

/** The keys under which a finding is found: by its place, and without one, for a runner's line that has lost it. */
function indexKeys(finding: Finding): readonly string[] {
  const { file = "", line = 0 } = finding;
  const words = firstWords(finding);
  return [JSON.stringify([file, line, words]), JSON.stringify([file, 0, words]), JSON.stringify(["", 0, words])];
}

/** The first line without what only some sources write: a compiler's code before it, a rule behind it. */
function firstWords({ message }: Finding): string {
  const line = normalisedMessage(message.split("\n")[0] ?? "");
  return line.replace(/^(?:error )?(?:TS\d{4,6}|E\d{4}): /, "").replace(/ \([\w@/-]{1,100}\)$/, "");
}

/** A finding with what another of the same failure knows besides. A place with a line is better than one without. */
function filled(finding: Finding, other: Finding): Finding {
  const { file, line } = finding.line === undefined && other.line !== undefined ? other : finding;
  const { file: lost, line: lostLine, ...rest } = finding;
  const place =
    file === undefined ? { ...(lost && { file: lost }), ...(lostLine && { line: lostLine }) } : { file, ...(line && { line }) };
  const reproduce = finding.reproduce ?? other.reproduce;
  const hints = finding.hints.length > 0 ? finding.hints : other.hints;
  return { ...rest, ...place, hints, ...(reproduce && { reproduce }) };
}
