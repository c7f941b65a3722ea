import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { TestResult } from "@loopdash/test-evidence";
import type { ParseFormat, ResultsReading } from "@loopdash/test-evidence/reports";
import { buildReports } from "./build-reports.ts";
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
  const { NODE_OPTIONS = "", PYTHONPATH = "", GOFLAGS = "", SPEC_OPTS = "", PHP_INI_SCAN_DIR = "" } = env;
  const preload = `--require ${JSON.stringify(join(reporters, "preload.cjs"))}`;
  const python = ["PYTHONPATH", "LOOPDASH_RESULTS"];
  return {
    LOOPDASH_RESULTS: results,
    NODE_OPTIONS: `${NODE_OPTIONS} ${preload}`.trim(),
    PYTHONPATH: [join(reporters, "python"), PYTHONPATH].filter((folder) => folder !== "").join(":"),
    // tox resets the environment. Version 4 has another variable than version 3.
    TOX_TESTENV_PASSENV: [env["TOX_TESTENV_PASSENV"] ?? "", ...python].join(" ").trim(),
    TOX_OVERRIDE: [env["TOX_OVERRIDE"] ?? "", `testenv.pass_env+=${python.join(",")}`].filter((word) => word !== "").join(";"),
    SPEC_OPTS: `${SPEC_OPTS} --require ${JSON.stringify(join(reporters, "ruby/rspec.rb"))}`.trim(),
    // An empty first folder is PHP's own.
    PHP_INI_SCAN_DIR: `${PHP_INI_SCAN_DIR}:${join(reporters, "php")}`,
    LOOPDASH_REPORTERS: reporters,
    // Go's runner and nextest name their tests in their output then.
    GOFLAGS: `${GOFLAGS} -v`.trim(),
    NEXTEST_STATUS_LEVEL: env["NEXTEST_STATUS_LEVEL"] ?? "pass",
  };
}

/** The places of results: their own folder, reports of builds in the checkout, and the command's output streams. */
interface Places {
  readonly folder: string;
  readonly checkout: string;
  readonly since: bigint;
  readonly outputs: readonly string[];
}

/**
 * Reads the results that runners have left in both folders since then, or else those in the output streams. One file that cannot be
 * believed makes all of them unbelievable: nobody knows what it would have said.
 */
export async function readFound(
  { folder, checkout, since, outputs }: Places,
  parse: (format: ParseFormat, bytes: Uint8Array) => Promise<ResultsReading>,
): Promise<ResultsReading> {
  const own = (await readdir(folder)).filter((name) => Object.hasOwn(FORMATS, extname(name))).toSorted();
  const ofBuilds = await buildReports(checkout, since);
  const files = [...own.map((path) => ({ folder, path })), ...ofBuilds.map((path) => ({ folder: checkout, path }))];
  if (files.length > MOST_FILES) return unbelievable(`it has more than ${MOST_FILES} files`);
  const tests: TestResult[] = [];
  for (const { path, ...at } of files) {
    const file = await readResultsFile({ ...at, path, since });
    const reading = file.ok ? await parse(FORMATS[extname(path)] as ParseFormat, file.bytes) : file;
    if (!reading.ok) return unbelievable(reading.problem);
    tests.push(...reading.tests);
  }
  if (tests.length > 0) return { ok: true, tests };
  for (const output of outputs) {
    const shown = await parse("output", new TextEncoder().encode(output));
    if (!shown.ok) return unbelievable(shown.problem);
    tests.push(...shown.tests);
  }
  if (tests.length > 0 || files.length > 0) return { ok: true, tests };
  return { ok: false, absent: true, problem: "no test runner reported a test" };
}

function unbelievable(problem: string): ResultsReading {
  return { ok: false, absent: false, problem };
}
