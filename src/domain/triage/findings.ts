import { type Draft, findingOf, NOTHING_PARSED, type Parsed, type TestCounts } from "./draft.ts";
import type { Finding } from "./finding.ts";
import { infrastructureOf, parseInfrastructure } from "./infrastructure.ts";
import { boundedText, jsonValues, type LogText, readLog } from "./log-text.ts";
import { mergeFindings } from "./merge.ts";
import { type Annotation, parseAnnotations } from "./parsers/annotations.ts";
import { parseBiome } from "./parsers/biome.ts";
import { parseCargo } from "./parsers/cargo.ts";
import { parseCargoJson } from "./parsers/cargo-json.ts";
import { parseEslint, parseEslintJson } from "./parsers/eslint.ts";
import { parseFormatters } from "./parsers/formatters.ts";
import { parseGithubLog } from "./parsers/github-log.ts";
import { parseGoJson } from "./parsers/go-json.ts";
import { parseGoTest } from "./parsers/go-test.ts";
import { parseJsJson } from "./parsers/js-json.ts";
import { parseJsTests } from "./parsers/js-tests.ts";
import { parseJunit } from "./parsers/junit.ts";
import { parseNodeSpec } from "./parsers/node-spec.ts";
import { parsePytest } from "./parsers/pytest.ts";
import { parseSarif } from "./parsers/sarif.ts";
import { isTap, parseTap } from "./parsers/tap.ts";
import { parseTsc } from "./parsers/tsc.ts";

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
 * Never throws for what is in the texts, and takes linear time. If nothing is recognised, the end of the log is one finding of the
 * category `unknown`.
 */
export function findingsOf({ job, log, annotations = [], reports = [], roots = [] }: FailedJob): JobFindings {
  const text = log === undefined ? undefined : readLog(log);
  const sources = [
    ...reports.slice(0, MAX_REPORTS).map((report) => parseReport(report, roots)),
    ...(text === undefined ? [] : parseLog(text, roots)),
    parseAnnotations(annotations, roots),
  ];
  const lists = sources.map(({ drafts }) =>
    drafts.slice(0, MAX_DRAFTS).map((draft) => findingOf(classified(draft), { job, roots })),
  );
  const findings = mergeFindings(lists).slice(0, MAX_FINDINGS);
  const tests = sources.find(({ counts }) => counts !== undefined)?.counts;
  const last = text === undefined || findings.length > 0 ? undefined : endOf(text.lines);
  const found = last === undefined ? findings : [findingOf(last, { job, roots })];
  return { findings: found, ...(tests && { tests }) };
}

/** The findings of one report; none if its form is not known. */
function parseReport(report: string, roots: readonly string[]): Parsed {
  const text = boundedText(report.startsWith("\ufeff") ? report.slice(1) : report);
  const start = text.trimStart();
  if (start.startsWith("<")) return parseJunit(text, roots) ?? NOTHING_PARSED;
  const [value] = /^[[{]/.test(start) ? jsonValues(text) : [];
  if (value !== undefined)
    return parseSarif(value, roots) ?? parseJsJson(value, roots) ?? parseEslintJson(value, roots) ?? NOTHING_PARSED;
  const log = readLog(text);
  return isTap(log.lines) ? parseTap(log.lines, roots) : merged(parseLog(log, roots));
}

function merged(parsed: readonly Parsed[]): Parsed {
  const counts = parsed.find((each) => each.counts !== undefined)?.counts;
  return { drafts: parsed.flatMap(({ drafts }) => drafts), ...(counts && { counts }) };
}

/** Every tool that a log shows, those that know most first. A log may hold the output of several. */
function parseLog({ lines, json }: LogText, roots: readonly string[]): readonly Parsed[] {
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
    parseBiome(lines),
    parseFormatters(lines, roots),
    { drafts: parseInfrastructure(lines) },
    parseGithubLog(lines, roots),
  ];
}

/** An error of a runner or an annotation may be one of a machine. */
function classified(draft: Draft): Draft {
  if (draft.category !== "unknown") return draft;
  const found = infrastructureOf(draft.message.split("\n")[0] ?? "");
  return found === undefined
    ? draft
    : { ...draft, tool: found.name, severity: "medium", category: "infrastructure", hints: [found.why] };
}

/** Lines of a log's end that a finding shows if no tool was recognised. */
const LAST_LINES = 8;

function endOf(lines: readonly string[]): Draft | undefined {
  const last = lines.filter((line) => line.trim() !== "" && !line.startsWith("##[")).slice(-LAST_LINES);
  return last.length === 0 ? undefined : { tool: "log", severity: "high", category: "unknown", message: last.join("\n") };
}
