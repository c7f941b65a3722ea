import { z } from "zod";
import { type Draft, type ParsedReport, RAW_CHARS, relativeFile } from "../draft.ts";
import type { FindingSeverity } from "../finding.ts";
import { MAX_BLOCKS } from "./blocks.ts";

const Rule = z.object({
  id: z.string(),
  properties: z
    .object({ "security-severity": z.union([z.string(), z.number()]).optional(), tags: z.array(z.string()).optional() })
    .optional(),
  helpUri: z.string().optional(),
});
type Rule = z.infer<typeof Rule>;

const Result = z.object({
  ruleId: z.string().optional(),
  level: z.string().optional(),
  kind: z.string().optional(),
  message: z.object({ text: z.string().optional() }),
  suppressions: z.array(z.unknown()).optional(),
  locations: z
    .array(
      z.object({
        physicalLocation: z
          .object({
            artifactLocation: z.object({ uri: z.string().optional() }).optional(),
            region: z.object({ startLine: z.number().optional() }).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
});
type Result = z.infer<typeof Result>;

const Log = z.object({
  version: z.string().regex(/^2\./),
  runs: z.array(
    z.object({
      tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(Rule).optional() }) }),
      results: z.array(Result).nullish(),
    }),
  ),
});

/** A SARIF 2.1.0 log (OASIS). Undefined if it is none. Results that are suppressed, or no failures, are left out. */
export function parseSarif(value: unknown, roots: readonly string[]): ParsedReport | undefined {
  const read = Log.safeParse(value);
  if (!read.success) return undefined;
  const drafts = read.data.runs.flatMap(({ tool, results }) => {
    const rules = new Map((tool.driver.rules ?? []).map((rule) => [rule.id, rule]));
    return (results ?? [])
      .filter(isFailure)
      .slice(0, MAX_BLOCKS)
      .map((result) => {
        const rule = result.ruleId === undefined ? undefined : rules.get(result.ruleId);
        return resultDraft(tool.driver.name.slice(0, RAW_CHARS) || "sarif", { result, rule, roots });
      });
  });
  return { drafts };
}

/** `kind` is "fail" unless it is given, `level` "warning" (SARIF 2.1.0, 3.27.9 and 3.27.10). */
function isFailure({ kind = "fail", level = "warning", suppressions = [] }: Result): boolean {
  return kind === "fail" && level !== "none" && suppressions.length === 0;
}

interface OfRule {
  readonly result: Result;
  readonly rule: Rule | undefined;
  readonly roots: readonly string[];
}

function resultDraft(tool: string, { result, rule, roots }: OfRule): Draft {
  const { artifactLocation, region } = result.locations?.[0]?.physicalLocation ?? {};
  const score = Number(rule?.properties?.["security-severity"] ?? Number.NaN);
  const isSecurity = !Number.isNaN(score) || rule?.properties?.tags?.includes("security") === true;
  const text = result.message.text ?? "";
  const { helpUri } = rule ?? {};
  return {
    tool,
    severity: Number.isNaN(score) ? ofLevel(result.level) : ofScore(score),
    category: isSecurity ? "security" : "lint",
    ...(artifactLocation?.uri !== undefined && { file: relativeFile(decoded(artifactLocation.uri.slice(0, RAW_CHARS)), roots) }),
    ...(region?.startLine !== undefined && { line: region.startLine }),
    message: result.ruleId === undefined ? text : `${text} (${result.ruleId})`,
    ...(helpUri !== undefined && /^https:\/\/[\w./#?=&%~-]{1,200}$/.test(helpUri) && { hints: [helpUri] }),
  };
}

function ofLevel(level = "warning"): FindingSeverity {
  return level === "error" ? "high" : level === "warning" ? "medium" : "low";
}

/** GitHub's bounds of a `security-severity`: critical above 9.0, high from 7.0, medium from 4.0. */
function ofScore(score: number): FindingSeverity {
  if (score > 9) return "blocker";
  if (score >= 7) return "high";
  return score >= 4 ? "medium" : "low";
}

/** A URI's path as text; as it stands if it is malformed. */
function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch (error) {
    if (error instanceof URIError) return uri;
    throw error;
  }
}
