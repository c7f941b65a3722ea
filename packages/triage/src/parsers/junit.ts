import { parseTags, type Tag } from "@loopdash/values";
import {
  type Draft,
  type ParsedReport,
  placeInStack,
  relativeFile,
  runJsTest,
  runNodeTest,
  runPytest,
  type SourcePlace,
} from "../draft.ts";
import { jsFailureMessage, MAX_BLOCKS } from "./blocks.ts";
import { readSection } from "./pytest.ts";

/** Levels of suites whose names count. */
const MOST_LEVELS = 20;

interface TestCase {
  readonly suites: readonly string[];
  readonly attributes: ReadonlyMap<string, string>;
  /** The first failure or error, and its text. */
  failure?: Tag;
  text: string;
  isSkipped: boolean;
}

/**
 * The failures of JUnit XML, as Surefire, pytest, node, vitest, gotestsum and others write it. Undefined if it has no test case.
 * It is read for its messages only. Verdicts come from the strict parser of `src/adapters/test-results/`, which refuses a report
 * that is cut off; here its beginning is better than nothing.
 */
export function parseJunit(xml: string, roots: readonly string[]): ParsedReport | undefined {
  const reader = new JunitReader();
  for (const tag of parseTags(xml)) reader.read(tag);
  if (reader.total === 0) return undefined;
  const drafts = reader.failed.slice(0, MAX_BLOCKS).map((test) => junitDraft(test, roots));
  return { drafts, counts: { failed: reader.failed.length, total: reader.total } };
}

/** The part of a draft that depends on the runner's dialect. */
type RunnerPart = Omit<Draft, "severity" | "category"> & Partial<Pick<Draft, "severity">>;

class JunitReader {
  readonly failed: TestCase[] = [];
  total = 0;
  readonly #suites: string[] = [];
  #test: TestCase | undefined;
  #isIn = false;

  read(tag: Tag): void {
    switch (tag.name) {
      case "testsuite":
        this.#readSuite(tag);
        break;
      case "testcase":
        this.#readTest(tag);
        break;
      case "failure":
      case "error":
        this.#readFailure(tag);
        break;
      case "skipped":
        if (this.#test !== undefined) this.#test.isSkipped = true;
        break;
      default:
        if (this.#isIn && this.#test !== undefined) this.#test.text += tag.text;
    }
  }

  #readSuite({ kind, attributes }: Tag): void {
    if (kind === "end") this.#suites.pop();
    else if (kind === "start") this.#suites.push(attributes.get("name") ?? "");
  }

  #readTest({ kind, attributes }: Tag): void {
    if (kind !== "end") {
      this.total += 1;
      this.#test = { suites: this.#suites.slice(0, MOST_LEVELS), attributes, text: "", isSkipped: false };
    }
    if (kind === "start" || this.#test === undefined) return;
    // Node writes a failing todo as skipped and failed.
    if (this.#test.failure !== undefined && !this.#test.isSkipped) this.failed.push(this.#test);
    this.#test = undefined;
  }

  #readFailure(tag: Tag): void {
    const test = this.#test;
    if (test === undefined) return;
    if (tag.kind === "end") {
      if (this.#isIn) test.text += tag.text;
      this.#isIn = false;
    } else if (test.failure === undefined) {
      test.failure = tag;
      this.#isIn = tag.kind === "start";
    }
  }
}

function junitDraft(test: TestCase, roots: readonly string[]): Draft {
  const common = { severity: "high", category: "test" } as const;
  if (test.suites[0] === "pytest") return { ...common, ...pytestPart(test) };
  const { attributes, failure, text } = test;
  const [path, klass, name = ""] = ["file", "classname", "name"].map((key) => attributes.get(key));
  const file = path === undefined ? undefined : relativeFile(path, roots);
  const suites = test.suites.slice(1);
  const names = klass === undefined || suites.includes(klass) || klass === suites.join(".") ? suites : [...suites, klass];
  const lines = text.split("\n");
  const isVitest = klass !== undefined && klass === test.suites[0] && /\.[cm]?[jt]sx?$/.test(klass);
  const place = placeInStack(lines) ?? (file === undefined ? undefined : { file });
  if (isVitest) return { ...common, ...vitestPart(klass, name, lines) };
  // Node names the outermost suite in the class, too; a test outside suites has the class "test".
  const titles = isNode(failure) ? [...test.suites, name] : [...names, name];
  const reproduce = isNode(failure) ? runNodeTest(file, name) : undefined;
  return {
    ...common,
    tool: isNode(failure) ? "node --test" : "junit",
    test: [...(file === undefined ? [] : [file]), ...titles].join(" > "),
    ...place,
    message: withCause(failure?.attributes.get("message")?.trim(), lines) || jsFailureMessage(lines),
    ...(reproduce && { reproduce }),
  };
}

function isNode(failure: Tag | undefined): boolean {
  return ["testCodeFailure", "testTimeoutFailure", "hookFailed", "uncaughtException"].includes(
    failure?.attributes.get("type") ?? "",
  );
}

/** The message of Node's report with the kind of the error, which only the text below it names. */
function withCause(message: string | undefined, lines: readonly string[]): string | undefined {
  const kind = lines.map((line) => /^ {2}cause: (\w{1,60}Error): /.exec(line)?.[1]).find((found) => found !== undefined);
  return kind === undefined || message === undefined ? message : `${kind}: ${message}`;
}

/** vitest writes the file as suite and class, and all titles in the name; a file that did not load is its own test. */
function vitestPart(file: string, name: string, lines: readonly string[]): RunnerPart {
  const titles = name === file ? [] : name.split(" > ");
  const reproduce = runJsTest("vitest", file, titles);
  return {
    ...(titles.length === 0 && { severity: "blocker" }),
    tool: "vitest",
    test: [file, ...titles].join(" > "),
    ...(placeInStack(lines) ?? { file }),
    message: jsFailureMessage(lines),
    ...(reproduce && { reproduce }),
  };
}

/** pytest writes the module and the class with dots between them: the file in the failure tells where the module ends. */
function pytestPart({ attributes, failure, text }: TestCase): RunnerPart {
  const { message, place } = readSection(text);
  const [klass = "", name = ""] = ["classname", "name"].map((key) => attributes.get(key));
  const nodeId = pytestNodeId(klass, name, place);
  const reproduce = nodeId.includes(".py") ? runPytest(nodeId) : undefined;
  return {
    ...(klass === "" && { severity: "blocker" }),
    tool: "pytest",
    test: nodeId,
    ...place,
    message: message || (failure?.attributes.get("message") ?? ""),
    ...(reproduce && { reproduce }),
  };
}

function pytestNodeId(klass: string, name: string, place: SourcePlace | undefined): string {
  const dotted = place?.file.replace(/\.py$/, "").replaceAll("/", ".");
  if (place !== undefined && dotted !== undefined) {
    if (klass === "" && name === dotted) return place.file;
    if (klass === dotted) return `${place.file}::${name}`;
    if (klass.startsWith(`${dotted}.`)) return `${place.file}::${klass.slice(dotted.length + 1).replaceAll(".", "::")}::${name}`;
  }
  return klass === "" ? name : `${klass} > ${name}`;
}
