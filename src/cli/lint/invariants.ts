import { existsSync } from "node:fs";
import { join } from "node:path";
import { type BatchProblem, problemAt } from "../../domain/batch/problem.ts";
import { findingLine, type LintFinding, sortFindings } from "../../domain/lint/finding.ts";
import { LINT_FILE, type LintRule } from "../../domain/lint/lint-spec.ts";
import { errorMessage, firstFewLine, plural } from "../../domain/values/text.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { checkRule, type Fix } from "./check-rule.ts";
import { readRules } from "./read-rules.ts";
import { openTree, type Tree } from "./tree.ts";

/** The findings of these rules, and what would mend them. */
export async function checkRules(rules: readonly LintRule[], tree: Tree) {
  const findings: LintFinding[] = [];
  const fixes: Fix[] = [];
  for (const rule of rules) {
    const { id, severity } = rule;
    if (severity === "off") continue;
    const checked = await checkRule(rule, tree);
    findings.push(...checked.found.map((found) => ({ ...found, severity, rule: id })));
    fixes.push(...checked.fixes);
  }
  return { findings: sortFindings(findings), fixes };
}

/**
 * The invariants that do not hold in the checkouts of a batch's repositories, one warning for each repository with a configuration
 * of its own (S2.12). No command of a repository runs: `generated` parts are left to `loopdash lint`.
 */
export async function brokenInvariants({
  batch,
  locate,
}: Pick<LoadedBatch, "batch" | "locate">): Promise<readonly BatchProblem[]> {
  const found = Object.entries(batch.repos).map(async ([id, { path }]) => {
    const broken = await brokenIn(path);
    const todo = `See: loopdash lint ${path}`;
    return broken === undefined ? [] : [{ ...problemAt(locate, ["repos", id], broken, todo), atStart: true as const }];
  });
  return (await Promise.all(found)).flat();
}

async function brokenIn(folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, LINT_FILE))) return undefined;
  try {
    const tree = await openTree(folder);
    const { rules } = await readRules(tree);
    const { findings } = await checkRules(
      rules.filter(({ check }) => check !== "generated"),
      tree,
    );
    const errors = findings.filter(({ severity }) => severity === "error");
    if (errors.length === 0) return undefined;
    return `breaks ${plural(errors.length, "invariant")} of ${LINT_FILE}: ${firstFewLine(errors.map(findingLine), 3)}`;
  } catch (error) {
    return `has a ${LINT_FILE} that could not be checked: ${errorMessage(error)}`;
  }
}
