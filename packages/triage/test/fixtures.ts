import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shellWords } from "../src/draft.ts";
import type { Finding } from "../src/finding.ts";
import { type FailedJob, type JobFindings, parseFailedJob } from "../src/findings.ts";

const FOLDER = join(import.meta.dirname, "fixtures");

/** Recorded output of real tools: pytest 9.0, vitest 5.1, jest 30.5, Node 24, go 1.19, cargo 1.95, tsc 5, eslint 10. */
export const FIXTURES: readonly string[] = readdirSync(FOLDER).toSorted();

export function fixture(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8");
}

/** A log of the corpus, see `corpus/index.json`. */
export function corpus(name: string): string {
  return readFileSync(join(import.meta.dirname, "corpus", `${name}.log`), "utf8");
}

/** The findings of recorded output: a report if it is a file of its own, a log otherwise. */
export function findingsIn(name: string, options: Omit<FailedJob, "job"> = {}): JobFindings {
  const text = fixture(name);
  return parseFailedJob({
    job: "unit",
    ...(/\.(?:xml|json|sarif)$/.test(name) ? { reports: [text] } : { log: text }),
    ...options,
  });
}

/** A finding in a few lines, without its identity. */
export function inShort({ severity, category, tool, file, line, test, message, reproduce }: Finding): string {
  const place = file === undefined ? "nowhere" : `${file}${line === undefined ? "" : `:${line}`}`;
  const run = reproduce === undefined ? "" : ` $ ${shellWords(reproduce)}`;
  return `${severity} ${category} ${tool} ${place} [${test ?? ""}] ${message.replaceAll("\n", " | ")}${run}`;
}

/** Output as GitHub's runner keeps it: a time stamp before each line, errors as lines of their own. */
export function asGithubLog(text: string): string {
  const lines = text.split("\n").flatMap((line) => {
    const error = /^::error [^:]*::(.*)$/.exec(line)?.[1];
    return error === undefined ? [line] : `##[error]${error.replaceAll("%0A", "\n")}`.split("\n");
  });
  const all = ["##[group]Run npm test", "npm test", "##[endgroup]", ...lines, "##[error]Process completed with exit code 1."];
  return `\ufeff${all.map((line, i) => `2026-11-26T16:39:${String(i % 60).padStart(2, "0")}.9105060Z ${line}`).join("\r\n")}\r\n`;
}

/** A finding of a test, with what a test of the triage needs. */
export function aFinding(changed: Partial<Finding> = {}): Finding {
  const test = changed.test ?? "test/a.test.ts > adds";
  return {
    ...{ tool: "vitest", severity: "high", category: "test", job: "unit", file: "test/a.test.ts", line: 3 },
    ...{ message: "expected 3", hints: [], test, identity: `${test}#1` },
    ...changed,
  };
}
