import { z } from "zod";
import { type Draft, type ParsedReport, RAW_CHARS, relativeFile, runOnFile } from "../draft.ts";
import { MAX_BLOCKS } from "./blocks.ts";

interface Problem {
  readonly path: string;
  readonly line: number;
  readonly isError: boolean;
  readonly message: string;
  readonly rule: string | undefined;
  readonly tool?: "stylelint";
  readonly at?: number;
}

/** Reads the output of eslint's formatter "stylish": a file's path, and its problems indented below it. stylelint has signs for its words. */
export function parseEslint(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const problems: Problem[] = [];
  let path = "";
  for (const [at, line] of lines.entries()) {
    const problem = parseProblem(line, path);
    if (problem !== undefined) problems.push({ ...problem, at });
    else if (line === "") path = "";
    else path = /^(?:\S.{0,300}[\\/])?[^\s\\/]{1,200}\.\w{1,9}$/.test(line) ? line : "";
  }
  return { drafts: eslintDrafts(problems, roots) };
}

/** `  3:22  error  'b' is not defined  no-undef`. The rule is the last column; a syntax error has none. */
function parseProblem(line: string, path: string): Problem | undefined {
  const found = path === "" ? null : /^ {2,9}(\d{1,7}):(\d{1,7}) {2,9}(error|warning|✖|⚠) {2,9}(\S.*)$/.exec(line);
  if (found === null) return undefined;
  const [, number, , severity = "", rest = ""] = found;
  const gap = rest.lastIndexOf("  ");
  const rule = gap < 0 || /\s/.test(rest.slice(gap + 2)) ? undefined : rest.slice(gap + 2);
  const message = (rule === undefined ? rest : rest.slice(0, gap)).trim();
  const problem = { path, line: Number(number), isError: severity === "error" || severity === "✖", message, rule };
  return /^\w/.test(severity) ? problem : { ...problem, tool: "stylelint" };
}

const JsonReport = z
  .array(
    z.object({
      filePath: z.string(),
      messages: z.array(
        z.object({ ruleId: z.string().nullish(), severity: z.number(), message: z.string(), line: z.number().nullish() }),
      ),
    }),
  )
  .min(1);

/** The JSON of `eslint -f json`. Undefined if it is none. */
export function parseEslintJson(value: unknown, roots: readonly string[]): ParsedReport | undefined {
  const read = JsonReport.safeParse(value);
  if (!read.success) return undefined;
  const problems = read.data.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, severity, message, line }) => ({
      path: filePath,
      line: line ?? 0,
      isError: severity === 2,
      // "stylish" leaves the full stop out.
      message: message.replace(/([^ ])\.$/, "$1"),
      rule: ruleId ?? undefined,
    })),
  );
  return { drafts: eslintDrafts(problems, roots) };
}

/** Warnings count only if there are no errors: then they may be the reason (`--max-warnings`). */
function eslintDrafts(problems: readonly Problem[], roots: readonly string[]): readonly Draft[] {
  const errors = problems.filter(({ isError }) => isError);
  return (errors.length > 0 ? errors : problems).slice(0, MAX_BLOCKS).map(({ at, path, line, isError, message, ...problem }) => {
    const { rule, tool = "eslint" } = problem;
    const file = relativeFile(path.slice(0, RAW_CHARS), roots);
    const reproduce = runOnFile(["npx", "--no", tool], file);
    return {
      tool,
      severity: isError ? (rule === undefined ? "high" : "medium") : "low",
      category: "lint",
      ...{ file, line, at },
      message: rule === undefined ? message : `${message} (${rule})`,
      reproduce,
    };
  });
}
