import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { TestResult } from "../../domain/evidence/results.ts";
import type { ResultsReading } from "../../ports/test-results.ts";
import type { ParseFormat } from "./parse-results.ts";
import { readResultsFile } from "./results-file.ts";

/** The forms in which the reporters write, by the ends of names. */
const FORMATS: Readonly<Record<string, ParseFormat>> = { ".xml": "junit", ".json": "jest", ".tap": "tap" };

/** Files of results that one command may leave. */
const MOST_FILES = 5_000;

/** Variables by which the test runners that a command starts write their results into a folder. */
export function variablesFor({
  reporters,
  results,
  env,
}: {
  readonly reporters: string;
  /** The folder, as the command sees it. */
  readonly results: string;
  readonly env: Readonly<Record<string, string>>;
}): Readonly<Record<string, string>> {
  const { NODE_OPTIONS = "", PYTHONPATH = "", GOFLAGS = "" } = env;
  const preload = `--require ${JSON.stringify(join(reporters, "preload.cjs"))}`;
  return {
    LOOPDASH_RESULTS: results,
    NODE_OPTIONS: `${NODE_OPTIONS} ${preload}`.trim(),
    PYTHONPATH: [join(reporters, "python"), PYTHONPATH].filter((folder) => folder !== "").join(":"),
    // Go's runner names its tests in its output then.
    GOFLAGS: `${GOFLAGS} -v`.trim(),
  };
}

/**
 * Reads the results that runners have left in a folder since a moment, or else those that the output shows. One file that cannot be
 * believed makes all of them unbelievable: nobody knows what it would have said.
 */
export async function readFound(
  { folder, since, output }: { readonly folder: string; readonly since: bigint; readonly output: string },
  parse: (format: ParseFormat, bytes: Uint8Array) => Promise<ResultsReading>,
): Promise<ResultsReading> {
  const names = (await readdir(folder)).filter((name) => Object.hasOwn(FORMATS, extname(name))).toSorted();
  if (names.length > MOST_FILES) return unbelievable(`it has more than ${MOST_FILES} files`);
  const tests: TestResult[] = [];
  for (const name of names) {
    const file = await readResultsFile({ folder, path: name, since });
    const reading = file.ok ? await parse(FORMATS[extname(name)] as ParseFormat, file.bytes) : file;
    if (!reading.ok) return unbelievable(reading.problem);
    tests.push(...reading.tests);
  }
  if (tests.length > 0) return { ok: true, tests };
  const shown = await parse("output", new TextEncoder().encode(output));
  if (!shown.ok) return unbelievable(shown.problem);
  if (shown.tests.length > 0 || names.length > 0) return shown;
  return { ok: false, absent: true, problem: "no test runner reported a test" };
}

function unbelievable(problem: string): ResultsReading {
  return { ok: false, absent: false, problem };
}
