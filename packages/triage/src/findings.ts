import { type Draft, NOTHING_PARSED, type ParsedReport, type TestCounts, toFinding } from "./draft.ts";
import { parseEnding } from "./ending.ts";
import type { Finding } from "./finding.ts";
import { matchInfrastructure, parseInfrastructure } from "./infrastructure.ts";
import { boundedText, jsonValues, type LogText, readLog } from "./log-text.ts";
import { mergeFindings } from "./merge.ts";
import { type Annotation, parseAnnotations } from "./parsers/annotations.ts";
import { parseBiome } from "./parsers/biome.ts";
import { parseCargo } from "./parsers/cargo.ts";
import { parseCargoJson } from "./parsers/cargo-json.ts";
import { parseDiagnostics } from "./parsers/diagnostics.ts";
import { parseEslint, parseEslintJson } from "./parsers/eslint.ts";
import { parseFormatters } from "./parsers/formatters.ts";
import { parseGithubLog } from "./parsers/github-log.ts";
import { parseGoJson } from "./parsers/go-json.ts";
import { parseGoTest } from "./parsers/go-test.ts";
import { parseJsJson } from "./parsers/js-json.ts";
import { parseJsTests, withoutConsole } from "./parsers/js-tests.ts";
import { parseJunit } from "./parsers/junit.ts";
import { parseNodeSpec } from "./parsers/node-spec.ts";
import { parseNumbered } from "./parsers/numbered.ts";
import { parsePytest } from "./parsers/pytest.ts";
import { parseSarif } from "./parsers/sarif.ts";
import { parseStacks } from "./parsers/stacks.ts";
import { isTap, parseTap } from "./parsers/tap.ts";
import { parseTsc } from "./parsers/tsc.ts";
import { parseUncaught } from "./parsers/uncaught.ts";

/** The material on one failed job or check. All texts come from the code under judgement. */
export interface FailedJob {
  /** Its name. */
  readonly job: string;
  /** Its output. */
  readonly log?: string;
  readonly annotations?: readonly Annotation[];
  /** Texts of reports: JUnit, TAP, SARIF, or JSON of a runner or linter. */
  readonly reports?: readonly string[];
  /** Folders of the checkout, absolute, which are removed from paths. */
  readonly roots?: readonly string[];
}

/** The findings of a job, and the number of its tests if a tool gave it. */
export interface JobFindings {
  readonly findings: readonly Finding[];
  readonly tests?: TestCounts;
}

/** Findings of one job that are kept, and drafts of one source that are read. Reports and annotations that are read. */
const MAX_FINDINGS = 500;
const MAX_DRAFTS = 500;
const MAX_REPORTS = 50;

/**
 * The findings of a failed job, each failure once, from its reports, its log and its annotations. The parser is chosen by content.
 * Never throws for what is in the texts, and takes linear time. What no parser knows is read by its stacks, or else by the log's end
 * (category `unknown`). Warnings are findings only if nothing else failed.
 */
export function parseFailedJob({ job, log, annotations = [], reports = [], roots = [] }: FailedJob): JobFindings {
  const text = log === undefined ? undefined : readLog(log);
  const read = [
    ...reports.slice(0, MAX_REPORTS).map((report) => parseReport(report, roots)),
    ...(text === undefined ? [] : parseLog(text, roots)),
    parseAnnotations(annotations, roots),
  ];
  const sources = text === undefined ? read : [...read, ...unrecognised(withoutConsole(text.lines), read, roots)];
  const isFailing = sources.some(({ drafts }) => drafts.some((draft) => !isWarning(draft)));
  const lists = ranked(sources).map((drafts) =>
    drafts
      .filter((draft) => !isFailing || !isWarning(draft))
      .slice(0, MAX_DRAFTS)
      .map((draft) => toFinding(classified(draft), { job, roots })),
  );
  const tests = sources.find(({ counts }) => counts !== undefined)?.counts;
  return { findings: mergeFindings(lists).slice(0, MAX_FINDINGS), tests };
}

function isWarning({ severity, category }: Draft): boolean {
  return severity === "low" && category === "lint";
}

/** What no parser knows: errors by their stacks if nothing grave was found, and how the log ends if nothing failed so far. */
function unrecognised(
  lines: readonly string[],
  read: readonly ParsedReport[],
  roots: readonly string[],
): readonly ParsedReport[] {
  const drafts = read.flatMap((each) => each.drafts);
  const grave = drafts.filter(({ severity }) => severity === "blocker" || severity === "high");
  if (grave.some(({ category }) => category !== "crash")) return [];
  const { drafts: stacked } = parseStacks(lines, roots);
  const isNumbered = stacked.some(({ category }) => category === "test");
  const found = isNumbered ? stacked : [...parseNumbered(lines, roots).drafts, ...stacked];
  // A program that a test started may have ended by an uncaught error, too.
  const stacks = { drafts: grave.length === 0 ? found : found.filter(({ category }) => category === "test") };
  if ([...drafts, ...stacks.drafts].some((draft) => !isWarning(draft))) return [stacks];
  return [
    {
      drafts: parseEnding(
        lines,
        drafts.map(({ message }) => message.replace(/ \([\w@/-]{1,100}\)$/, "")),
      ),
    },
  ];
}

/**
 * Of several uncaught errors the last one ended the command. One before a failed test did not: the tests went on after it, so it comes
 * after them.
 */
function ranked(sources: readonly ParsedReport[]): readonly (readonly Draft[])[] {
  const drafts = sources.flatMap((each) => each.drafts);
  const lastDraftAt = (kind: (draft: Draft) => boolean) =>
    drafts.reduce((at, draft) => (kind(draft) ? Math.max(at, draft.at ?? 0) : at), -1);
  const test = lastDraftAt((draft) => draft.category === "test" && draft.message !== "");
  const crash = lastDraftAt(({ category }) => category === "crash");
  return sources.map((source) =>
    source.drafts.map((draft) => {
      if (draft.category !== "crash" || draft.at === undefined || draft.at >= Math.max(test, crash)) return draft;
      return { ...draft, severity: draft.at < test ? "medium" : "high" };
    }),
  );
}

/** The findings of one report; none if its form is not known. */
function parseReport(report: string, roots: readonly string[]): ParsedReport {
  const text = boundedText(report.startsWith("\ufeff") ? report.slice(1) : report);
  const start = text.trimStart();
  if (start.startsWith("<")) return parseJunit(text, roots) ?? NOTHING_PARSED;
  const [value] = /^[[{]/.test(start) ? jsonValues(text) : [];
  if (value !== undefined)
    return parseSarif(value, roots) ?? parseJsJson(value, roots) ?? parseEslintJson(value, roots) ?? NOTHING_PARSED;
  const log = readLog(text);
  return isTap(log.lines) ? parseTap(log.lines, roots) : merged(parseLog(log, roots));
}

function merged(parsed: readonly ParsedReport[]): ParsedReport {
  const counts = parsed.find((each) => each.counts !== undefined)?.counts;
  return { drafts: parsed.flatMap(({ drafts }) => drafts), counts };
}

/** Every tool that a log shows, those that know most first. A log may hold the output of several. */
function parseLog({ lines, json }: LogText, roots: readonly string[]): readonly ParsedReport[] {
  const values = json.map((value) => parseSarif(value, roots) ?? parseJsJson(value, roots) ?? parseEslintJson(value, roots));
  return [
    ...values.flatMap((parsed) => parsed ?? []),
    parseGoJson(json) ?? NOTHING_PARSED,
    parseCargoJson(json) ?? NOTHING_PARSED,
    parseJsTests(lines, roots),
    parseTap(lines, roots),
    parseNodeSpec(lines, roots),
    parsePytest(lines),
    parseGoTest(lines),
    parseCargo(lines),
    parseTsc(lines),
    parseEslint(lines, roots),
    parseUncaught(lines, roots),
    parseDiagnostics(lines, roots),
    parseBiome(lines),
    parseFormatters(lines, roots),
    { drafts: parseInfrastructure(lines) },
    parseGithubLog(lines, roots),
  ];
}

/** An error of a runner or an annotation may be one of a machine. */
function classified(draft: Draft): Draft {
  if (draft.category !== "unknown") return draft;
  const found = matchInfrastructure(draft.message.split("\n")[0] ?? "");
  return found === undefined
    ? draft
    : { ...draft, tool: found.name, severity: "medium", category: "infrastructure", hints: [found.why] };
}
