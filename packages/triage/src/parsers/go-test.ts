import { type Draft, isForeign, type ParsedReport, runGoTest, type SourcePlace } from "../draft.ts";

/** Reads the output of `go test`, `go build` and `go vet`: failed tests with their messages, panics, and errors of the compiler. */
export function parseGoTest(lines: readonly string[]): ParsedReport {
  const reader = new GoReader();
  for (const [at, line] of lines.entries()) reader.read(line, at);
  return { drafts: reader.end() };
}

interface GoTest {
  failed: boolean;
  readonly name: string;
  readonly at: number;
  readonly lines: string[];
  place: SourcePlace | undefined;
}

/** Lines of one test's message that are kept. */
const MESSAGE_LINES = 60;

/** Reads line by line: tests are known by name first, and by package when the package ends. */
class GoReader {
  readonly #drafts: Draft[] = [];
  #tests = new Map<string, GoTest>();
  #current: GoTest | undefined;
  #panicking = false;
  #at = 0;

  read(line: string, at: number): void {
    this.#at = at;
    if (this.#readHead(line) || this.#readBuild(line) || this.#readPackage(line)) return;
    this.#readOutput(line);
  }

  end(): readonly Draft[] {
    this.#close(undefined);
    return this.#drafts;
  }

  /** `=== RUN   TestA`, and `--- FAIL: TestA/b (0.00s)`, which is indented below its parent. */
  #readHead(line: string): boolean {
    const run = /^=== (?:RUN|NAME|CONT) {2,4}(\S{1,400})$/.exec(line)?.[1];
    const [, verdict, name] = /^ {0,40}--- (FAIL|PASS|SKIP): (\S{1,400}) \(/.exec(line) ?? [];
    if (run === undefined && name === undefined) return false;
    this.#current = this.#test(run ?? name ?? "");
    this.#panicking = false;
    if (verdict === "FAIL") this.#current.failed = true;
    return true;
  }

  #readBuild(line: string): boolean {
    const found = /^(?:vet: )?([^\s:][^:]{0,300}\.go):(\d{1,7}):(?:\d{1,7}:)? (\S.*)$/.exec(line);
    if (found === null || this.#panicking) return false;
    const [, file = "", number, message = ""] = found;
    this.#drafts.push({ tool: "go", severity: "blocker", category: "build", file, line: Number(number), at: this.#at, message });
    return true;
  }

  /** `FAIL example.com/app/order 0.003s` and `ok …`: the end of a package. `FAIL` alone ends nothing. */
  #readPackage(line: string): boolean {
    const found = /^(FAIL|ok|\?) {1,10}(\S{1,300})(?: |$)/.exec(line);
    if (found === null) return line === "FAIL" || line === "PASS" || line.startsWith("exit status ");
    this.#close(found[2]);
    return true;
  }

  #readOutput(line: string): void {
    if (PANIC.test(line)) {
      this.#panicking = true;
      this.#current ??= this.#test("");
      this.#current.failed = true;
    }
    const test = this.#current;
    if (test === undefined) return;
    if (this.#panicking) readPanic(test, line);
    else if (test.lines.length < MESSAGE_LINES) readMessage(test, line);
  }

  #test(name: string): GoTest {
    const known = this.#tests.get(name);
    if (known !== undefined) return known;
    const test: GoTest = { failed: false, name, at: this.#at, lines: [], place: undefined };
    this.#tests.set(name, test);
    return test;
  }

  /** Reports the failed tests of a package. A parent that only failed by its subtests says nothing of its own. */
  #close(goPackage: string | undefined): void {
    const failed = [...this.#tests.values()].filter((test) => test.failed);
    const parents = new Set(failed.flatMap(({ name }) => ancestors(name)));
    for (const test of failed)
      if (test.lines.length > 0 || !parents.has(test.name)) this.#drafts.push(testDraft(test, goPackage));
    this.#tests = new Map();
    this.#current = undefined;
    this.#panicking = false;
  }
}

/** Levels of subtests that are told apart. */
const MOST_LEVELS = 20;

function ancestors(name: string): readonly string[] {
  const names = name.split("/").slice(0, MOST_LEVELS);
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join("/"));
}

/** `    order_test.go:7: Total(1, 2) = -1, want 3`, and the indented lines after it. */
function readMessage(test: GoTest, line: string): void {
  const found = /^ {1,60}([\w.-]{1,200}\.go):(\d{1,7}): (.*)$/.exec(line);
  const [, file = "", number, message = ""] = found ?? [];
  if (found !== null) {
    test.place ??= { file, line: Number(number) };
    test.lines.push(message);
  } else if (test.lines.length > 0 && line.startsWith("     ")) test.lines.push(line.trim());
}

/** An error of the program, or of the language's runtime. */
const PANIC = /^(?:panic|fatal error): /;

/** Frames of the language itself and of installed modules. */
const OF_GO = ["/src/testing/", "/src/runtime/", "/src/reflect/", "/pkg/mod/"];

/** `panic: assignment to entry in nil map [recovered]`; later `/src/crash/crash_test.go:7 +0x2e`, without the language's own. */
function readPanic(test: GoTest, line: string): void {
  if (PANIC.test(line)) test.lines.push(line.replace(/ \[recovered(?:, repanicked)?\]$/, ""));
  const [, file = "", number] = /^ {1,8}(\S{1,300}\.go):(\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec(line) ?? [];
  if (file === "" || OF_GO.some((part) => file.includes(part)) || isForeign(file)) return;
  test.place ??= { file, line: Number(number) };
}

function testDraft({ at, name, lines, place }: GoTest, goPackage: string | undefined): Draft {
  const id = [goPackage, name].filter((part) => part !== undefined && part !== "").join(" > ");
  const reproduce = runGoTest(goPackage, name);
  return {
    tool: "go test",
    severity: "high",
    category: "test",
    ...(id !== "" && { test: id }),
    ...place,
    at,
    message: lines.join("\n"),
    ...(reproduce && { reproduce }),
  };
}
