import { type Draft, isForeign, type ParsedReport, runPytest, type SourcePlace, type TestCounts } from "../draft.ts";
import { type Block, MAX_BLOCKS, splitBlocks } from "./blocks.ts";

/** Reads pytest's output: the sections of its failures, and the short summary, whose node ids they lack. */
export function parsePytest(lines: readonly string[]): ParsedReport {
  const sections = splitBlocks(lines, { isHead: (line) => SECTION.test(line), isEnd: (line) => /^={3,}/.test(line) });
  const bySection = new Map<string, Block[]>();
  for (const block of sections) {
    const name = SECTION.exec(block.head)?.[1] ?? "";
    const blocks = bySection.get(name) ?? [];
    blocks.push(block);
    bySection.set(name, blocks);
  }
  const summaries = lines.flatMap((line, at) => parseSummary(line, at) ?? []).slice(0, MAX_BLOCKS);
  const drafts = summaries.map((summary) => withSection(summary, takeSection(bySection, summary)));
  // Without a summary, or with one that was cut off, a section has only its own name.
  const alone = [...bySection].flatMap(([name, blocks]) => blocks.map((block) => sectionDraft(name, block)));
  const counts = pytestCounts(lines);
  return { drafts: [...drafts, ...alone, ...unloadedDrafts(lines)], counts };
}

/** `ImportError while loading conftest '/app/tests/conftest.py'.`: nothing ran, so there are no sections. */
function unloadedDrafts(lines: readonly string[]): readonly Draft[] {
  const at = lines.findIndex((line) => line.startsWith("ImportError while loading conftest '"));
  if (at < 0) return [];
  const block: Block = { at, head: lines[at] ?? "", body: lines.slice(at + 1, at + 200) };
  const message = errorLines(block) || block.head;
  return [{ tool: "pytest", severity: "blocker", category: "test", ...raisingPlace(block), at, message }];
}

/** `____ TestTotal.test_adds ____`, and `____ ERROR at setup of test_database ____`. */
const SECTION = /^_{3,80} (\S.{0,400}?) _{3,80}$/;

interface Summary {
  readonly isError: boolean;
  readonly nodeId: string;
  readonly message: string;
  readonly at: number;
}

/** `FAILED tests/test_a.py::test_b - AssertionError: …`. The id ends before the first ` - `. */
function parseSummary(line: string, at: number): Summary | undefined {
  const isError = line.startsWith("ERROR ");
  if (!isError && !line.startsWith("FAILED ")) return undefined;
  const rest = line.slice(isError ? 6 : 7);
  const dash = rest.indexOf(" - ");
  const nodeId = (dash < 0 ? rest : rest.slice(0, dash)).trim();
  if (!/^[^\s:]{1,300}\.py(?:$|::)/.test(nodeId)) return undefined;
  return { isError, nodeId, message: dash < 0 ? "" : rest.slice(dash + 3), at };
}

/** The section of a summary's line, which is used up. */
function takeSection(sections: Map<string, Block[]>, { isError, nodeId }: Summary): Block | undefined {
  const [file, ...names] = nodeId.split("::");
  const name = names.join(".");
  const heads = isError
    ? [`ERROR collecting ${file}`, ...["setup", "teardown"].map((when) => `ERROR at ${when} of ${name}`)]
    : [name];
  for (const head of heads) {
    const blocks = sections.get(head) ?? [];
    // The same name may be in two files.
    const at = Math.max(
      0,
      blocks.findIndex(({ body }) => body.some((line) => line.startsWith(`${file}:`))),
    );
    const [taken] = blocks.splice(at, 1);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

function withSection({ at, nodeId, message, isError }: Summary, section: Block | undefined): Draft {
  const file = nodeId.split("::")[0] ?? nodeId;
  const reproduce = runPytest(nodeId);
  return {
    tool: "pytest",
    severity: isError && !nodeId.includes("::") ? "blocker" : "high",
    category: "test",
    test: nodeId,
    ...(raisingPlace(section) ?? { file }),
    at,
    message: errorLines(section) || message,
    ...(reproduce && { reproduce }),
  };
}

function sectionDraft(name: string, block: Block): Draft {
  const place = raisingPlace(block);
  const test = name.replace(/^ERROR (?:collecting|at \w{1,20} of) /, "");
  const nodeId = place === undefined || test === place.file ? test : `${place.file}::${test.replaceAll(".", "::")}`;
  const reproduce = runPytest(nodeId);
  return {
    ...{ tool: "pytest", severity: "high", category: "test", test: nodeId, ...place, at: block.at },
    message: errorLines(block),
    ...(reproduce && { reproduce }),
  };
}

/** The lines that pytest marks with "E". Those of an error in the syntax begin with its place; the error itself is told first. */
export function errorLines(section: Block | undefined): string {
  const marked = (section?.body ?? []).flatMap((line) => /^E {2,}(\S.*)$/.exec(line)?.[1] ?? []);
  const last = marked.at(-1);
  return (last !== undefined && marked[0]?.startsWith('File "') ? [last, ...marked.slice(0, -1)] : marked).join("\n");
}

/** The last place of the project in a section: the frame that raised. */
function raisingPlace(section: Block | undefined): SourcePlace | undefined {
  for (const line of (section?.body ?? []).toReversed()) {
    const found = /^([^\s:][^:]{0,300}\.py):(\d{1,7}):/.exec(line) ?? /^E {2,}File "([^"]{1,300})", line (\d{1,7})/.exec(line);
    const [, file = "", number] = found ?? [];
    if (found !== null && !isForeign(file)) return { file, line: Number(number) };
  }
  return undefined;
}

/** `3 failed, 2 passed, 2 errors in 1.64s`, perhaps between equals signs. */
function pytestCounts(lines: readonly string[]): TestCounts | undefined {
  const line = lines.findLast((each) => /^(?:={3,80} )?\d{1,9} \w{4,10}(?:, \d{1,9} \w{4,10}){0,9} in \d/.test(each));
  if (line === undefined) return undefined;
  const of = (word: string) => Number(new RegExp(`(\\d{1,9}) ${word}`).exec(line)?.[1] ?? 0);
  const failed = of("failed") + of("error");
  return { failed, total: failed + of("passed") + of("skipped") + of("xfailed") + of("xpassed") };
}

/** The place and the error of a failure's text in pytest's JUnit report, which is a section without its head. */
export function readSection(text: string): { readonly message: string; readonly place?: SourcePlace } {
  const section: Block = { at: 0, head: "", body: text.split("\n") };
  const place = raisingPlace(section);
  return { message: errorLines(section), place };
}
