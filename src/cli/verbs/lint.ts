import { resolve } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { findingLine } from "../../domain/lint/finding.ts";
import { LINT_FILE } from "../../domain/lint/lint-spec.ts";
import { jsonText, plainText, plural } from "../../domain/values/text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { topOf } from "../init/repository.ts";
import type { Fix } from "../lint/check-rule.ts";
import type { LintFlags } from "../lint/flags.ts";
import { checkRules } from "../lint/invariants.ts";
import { type LintRules, readRules } from "../lint/read-rules.ts";
import { openTree, type Tree } from "../lint/tree.ts";
import { writeAll, writeNote } from "../print.ts";
import { usageError } from "../usage-error.ts";

/** Rounds of fixes: as many parts of one file can be generated. A command that prints something else each time ends there. */
const MOST_ROUNDS = 10;

/** Checks the invariants of a repository. Returns 0, or 1 if one of them does not hold. */
export async function lint({ folder, fix, accept, strict, json }: LintFlags): Promise<number> {
  const top = await topOf(resolve(process.cwd(), folder));
  if (top === undefined)
    throw usageError(
      `${plainText(folder, 200)} is in no git repository, or not there`,
      "only tracked files are checked",
      "Name a folder of a repository.",
    );
  const tree = await openTree(top);
  const rules = await readRules(tree);
  const { findings, fixed } = await checkAndFix(rules, tree, { fix, accept });
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const builtIn = rules.text === undefined;
  const document = { builtIn, rules: rules.rules.map(({ id }) => id), errors, warnings, fixed, findings };
  if (json) writeAll(1, jsonText(document, 2));
  else {
    if (builtIn) writeNote(`no ${LINT_FILE}: the built-in rules ${document.rules.join(", ")}`);
    for (const path of fixed) writeNote(`wrote ${path}`);
    writeAll(1, `${[...findings.map(findingLine), `${plural(errors, "error")}, ${plural(warnings, "warning")}`].join("\n")}\n`);
  }
  return errors > 0 || (strict && warnings > 0) ? EXIT.notDone : EXIT.done;
}

/** Checks, and fixes until nothing is left to fix: a fix of one part of a file is computed without those of its other parts. */
async function checkAndFix(rules: LintRules, tree: Tree, { fix, accept }: Pick<LintFlags, "fix" | "accept">) {
  const fixed = new Set<string>();
  let [now, checked] = [rules, await checkRules(rules.rules, tree)];
  for (let round = 0; fix && round < MOST_ROUNDS; round++) {
    const written = await apply(checked.fixes, { rules: now, tree, accept });
    if (written.length === 0) break;
    for (const path of written) fixed.add(path);
    now = await readRules(tree);
    checked = await checkRules(now.rules, tree);
  }
  return { findings: checked.findings, fixed: [...fixed] };
}

/** Applies fixes, and gives the paths that were written. Hashes are recorded only if a person accepts what is there now. */
async function apply(
  fixes: readonly Fix[],
  { rules: { rules, text }, tree, accept }: { readonly rules: LintRules; readonly tree: Tree; readonly accept: boolean },
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const fix of fixes) {
    // A second part of the same file is written the next time: this one was computed without it.
    if (fix.kind !== "text" || written.includes(fix.path)) continue;
    await tree.write(fix.path, fix.text);
    written.push(fix.path);
  }
  let config = text ?? "";
  for (const fix of fixes) {
    if (fix.kind !== "hash" || !accept) continue;
    const at = ["rules", rules.findIndex(({ id }) => id === fix.rule), "files", fix.path];
    config = applyEdits(config, modify(config, at, fix.sha256, {}));
  }
  if (config === (text ?? "")) return written;
  await tree.write(LINT_FILE, config);
  return [...written, LINT_FILE];
}
