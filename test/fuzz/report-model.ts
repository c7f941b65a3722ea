import type { ResultsFormat } from "@loopdash/test-evidence/reports";

/** What a report says of the tests of one name. */
export interface Said {
  passed: number;
  failed: number;
  other: number;
}

/**
 * What a report says, as simply as it can be read: the name of each test without its suites. It shares no code with what it is
 * compared with, and is only right about reports that are well-formed; of any other, nothing is believed anyway.
 */
export interface Model {
  readonly tests: ReadonlyMap<string, Said>;
  /** Whether it says of itself that something failed, by a number or in words. */
  readonly failureDeclared: boolean;
}

class Names {
  readonly tests = new Map<string, Said>();

  add(name: string, outcome: keyof Said): void {
    const key = name.replace(/\s+/g, " ").trim();
    const said = this.tests.get(key) ?? { passed: 0, failed: 0, other: 0 };
    said[outcome] += 1;
    this.tests.set(key, said);
  }
}

/** Reads a report. */
export function modelOf(format: ResultsFormat, text: string): Model {
  if (format === "tap") return modelOfTap(text);
  return format === "junit" ? modelOfJunit(text) : modelOfJson(text);
}

const POINT = /^(\s*)(not )?ok\b\s*(?:\d+)?\s*(?:-\s)?(.*)$/;

function modelOfTap(text: string): Model {
  const names = new Names();
  let deepest = 0;
  let block: string | undefined;
  let bailedOut = false;
  for (const line of text.split(/\r*\n/)) {
    if (block !== undefined && (line === "" || line.startsWith(block))) {
      if (line === `${block}...`) block = undefined;
      continue;
    }
    block = /^(\s+)---$/.exec(line)?.[1];
    bailedOut ||= /^\s*Bail out!/i.test(line);
    const [, indent = "", not, said = ""] = POINT.exec(line) ?? [];
    if (!POINT.test(line)) continue;
    // A point that comes after deeper ones sums them up.
    if (indent.length >= deepest) {
      // What ends with a brace has its subtest behind it.
      const [name = "", directive = ""] = said.replace(/\s\{\s*$/, "").split(/(?<!\\)#(.*)/s);
      const isOther = /^\s*(?:skip|todo)/i.test(directive);
      names.add(name.replace(/\\([\\#])/g, "$1"), isOther ? "other" : not === undefined ? "passed" : "failed");
    }
    deepest = indent.length;
  }
  return { tests: names.tests, failureDeclared: bailedOut };
}

const XML =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([^\s<>/]+)((?:\s+[^\s=<>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g;

function modelOfJunit(text: string): Model {
  const names = new Names();
  const open: { tag: string; name: string; outcome: keyof Said }[] = [];
  let failureDeclared = false;
  for (const [, end, tag, attributes = "", empty] of text.matchAll(XML)) {
    if (tag === undefined) continue;
    const above = open.at(-1);
    if (end === "/") {
      const over = open.pop();
      if (over?.tag === "testcase") names.add(over.name, over.outcome);
      continue;
    }
    if (above?.tag === "testcase") above.outcome = worse(above.outcome, tag);
    if (/^testsuites?$/.test(tag) && /\s(?:failures|errors)\s*=\s*["']\s*\+?0*[1-9]/.test(attributes)) failureDeclared = true;
    const name = unescaped(/\sname\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes)?.slice(1).find(Boolean) ?? "");
    if (empty !== "/") open.push({ tag, name, outcome: "passed" });
    else if (tag === "testcase") names.add(name, "passed");
  }
  return { tests: names.tests, failureDeclared };
}

function worse(outcome: keyof Said, child: string): keyof Said {
  if (/^(?:flaky)?(?:failure|error)$/i.test(child)) return "failed";
  return outcome === "passed" && child === "skipped" ? "other" : outcome;
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function modelOfJson(text: string): Model {
  const names = new Names();
  let failureDeclared = false;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return { tests: names.tests, failureDeclared: true };
  }
  const left = [value];
  while (left.length > 0) {
    const at = left.pop();
    if (typeof at !== "object" || at === null) continue;
    const { title, status, numFailedTests } = at as Readonly<Record<string, unknown>>;
    if (typeof title === "string") names.add(title, jsonOutcome(status));
    if (typeof numFailedTests === "number" && numFailedTests > 0) failureDeclared = true;
    left.push(...Object.values(at));
  }
  return { tests: names.tests, failureDeclared };
}

function jsonOutcome(status: unknown): keyof Said {
  if (status === "failed") return "failed";
  return status === "passed" || status === "focused" ? "passed" : "other";
}

/** Why a candidate with this report cannot have passed every test of its base; undefined if it can. */
export function unproven(base: Model, candidate: Model): string | undefined {
  if (candidate.failureDeclared) return "the report itself says that something failed";
  for (const [name, before] of base.tests) {
    if (before.passed === 0) continue;
    const now = candidate.tests.get(name) ?? { passed: 0, failed: 0, other: 0 };
    const shown = JSON.stringify(name.slice(0, 80));
    if (now.passed < before.passed)
      return `of the ${before.passed} tests called ${shown}, it says of ${now.passed} that they passed`;
    if (now.failed > before.failed) return `it says of a test called ${shown} that it failed`;
  }
  return undefined;
}
