import { xmlText } from "@loopdash/values";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { TestOutcome } from "../compare/results.ts";
import { MAX_SUITE_DEPTH } from "./bounds.ts";
import { BadResults, GatheredResults, type ParsedResults } from "./parsed-results.ts";
import { refuseDocumentType } from "./xml-text.ts";

/** An element from the parser: its attributes under names with "@", its children as lists by name. */
type Element = Readonly<Record<string, unknown>>;

/** Elements that are read; the content of other elements is dropped while it is parsed, output above all. */
const READ = ["testsuites", "testsuite", "testcase", "failure", "error", "skipped", "flakyFailure", "flakyError"];

/**
 * JUnit XML as Ant's formatter defined it and Surefire, pytest, node, vitest, gotestsum and others write it: suites in suites,
 * test cases with `failure`, `error` or `skipped` in them. A test that passed on a second run (Surefire's `flakyFailure`) failed:
 * running it until it passes proves nothing (adversary case A19).
 */
export function parseJunit(text: string, roots: readonly string[]): ParsedResults {
  refuseDocumentType(text);
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new BadResults(`it is not well-formed XML (line ${valid.err.line}: ${valid.err.msg})`);
  const root = parser().parse(text) as Element;
  const tops = ["testsuites", "testsuite"].flatMap((name) => children(root, name));
  if (tops.length === 0) throw new BadResults("it is not a JUnit report: its first element is neither testsuites nor testsuite");
  const gathered = new GatheredResults(roots);
  const starts: number[] = [];
  const declared: number[] = [];
  // The outermost suites' own name (pytest, vitest tests) names the runner, and is no part of a test's name.
  for (const top of tops) walk(top, [], { gathered, starts, declared });
  const { tests, failed } = gathered;
  const most = declared.reduce((a, b) => Math.max(a, b), 0);
  if (most > 0 && failed === 0) throw new BadResults(`it counts ${most} failures and names none`);
  return { tests, startedAt: starts.length > 0 ? Math.min(...starts) : undefined };
}

function parser(): XMLParser {
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    htmlEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    // Levels within the elements that are read, and some for the content of others.
    maxNestedTags: MAX_SUITE_DEPTH + 10,
    isArray: (name, _path, _isLeaf, isAttribute) => !isAttribute && READ.includes(name),
    tagValueProcessor: () => "",
  });
}

interface Walk {
  readonly gathered: GatheredResults;
  readonly starts: number[];
  /** The counts of failures and errors of each suite. */
  readonly declared: number[];
}

function walk(suite: Element, names: readonly string[], options: Walk): void {
  options.declared.push(count(suite, "failures") + count(suite, "errors"));
  const at = Date.parse(zoned(attribute(suite, "timestamp")));
  if (!Number.isNaN(at)) options.starts.push(at);
  for (const test of children(suite, "testcase")) {
    const [file, klass, name] = ["file", "classname", "name"].map((key) => attribute(test, key));
    if (name === undefined) throw new BadResults("it holds a test case without a name");
    // Suites repeat their own names in the class name, each runner in its own way.
    const path = klass === undefined || names.includes(klass) || klass === names.join(".") ? names : [...names, klass];
    options.gathered.add([...(file === undefined || path.includes(file) ? [] : [file]), ...path, name], testOutcome(test));
  }
  for (const inner of children(suite, "testsuite")) walk(inner, [...names, attribute(inner, "name") ?? ""], options);
}

function testOutcome(test: Element): TestOutcome {
  const skipped = children(test, "skipped")[0];
  // node writes a failing todo as both.
  if (skipped !== undefined && attribute(skipped, "type") === "todo") return "todo";
  if (["failure", "error", "flakyFailure", "flakyError"].some((name) => name in test)) return "failed";
  return skipped === undefined ? "passed" : "skipped";
}

function children(element: Element, name: string): readonly Element[] {
  const found = Object.hasOwn(element, name) ? element[name] : undefined;
  // An element without attributes and children is its text.
  return Array.isArray(found) ? found.map((each) => (typeof each === "object" && each !== null ? (each as Element) : {})) : [];
}

function attribute(element: Element, name: string): string | undefined {
  const value = Object.hasOwn(element, `@${name}`) ? element[`@${name}`] : undefined;
  return typeof value === "string" ? xmlText(value) : undefined;
}

function count(element: Element, name: string): number {
  const value = Number(attribute(element, name) ?? 0);
  return Number.isFinite(value) ? value : 0;
}

/** A time with its zone; without a zone it is ambiguous. */
function zoned(timestamp: string | undefined): string {
  return timestamp !== undefined && /^[^T]*T.*(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp) ? timestamp : "";
}
