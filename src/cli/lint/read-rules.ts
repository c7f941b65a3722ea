import { checkValue } from "../../domain/batch/issues.ts";
import { type BatchProblem, formatProblems, pathText } from "../../domain/batch/problem.ts";
import { nodeOfProblem, nodeValue, readSyntax } from "../../domain/batch/syntax.ts";
import { DEFAULT_RULES, LINT_FILE, LintFile, type LintRule } from "../../domain/lint/lint-spec.ts";
import { plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Tree } from "./tree.ts";

/** The rules of a repository. `text` is that of its configuration; undefined for the built-in rules. */
export interface LintRules {
  readonly rules: readonly LintRule[];
  readonly text?: string;
}

/** Reads the configuration at the top of a checkout. Throws a UserError (exit 2) with every problem if it is bad. */
export async function readRules(tree: Tree): Promise<LintRules> {
  const content = await tree.read(LINT_FILE);
  if (content === undefined) return { rules: DEFAULT_RULES };
  if (!content.ok) throw badRules([{ path: "", message: content.why }]);
  const text = content.bytes.toString("utf8");
  const read = readSyntax(text.replace(/^\ufeff/, ""));
  if (!read.ok) throw badRules(read.problems);
  const { root, position } = read;
  const checked = checkValue(LintFile, nodeValue(root));
  const problems = checked.ok ? twice(checked.value.rules) : checked.findings;
  if (checked.ok && problems.length === 0) return { rules: checked.value.rules, text };
  throw badRules(
    problems.map(({ path, key, message, hint }): BatchProblem => {
      const { offset } = nodeOfProblem(root, path, key);
      return { ...position(offset), path: pathText(path), message, hint };
    }),
  );
}

interface Problem {
  readonly path: readonly (string | number)[];
  readonly key?: string;
  readonly message: string;
  readonly hint?: string;
}

function twice(rules: readonly LintRule[]): readonly Problem[] {
  return rules.flatMap(({ id }, i) =>
    rules.findIndex((rule) => rule.id === id) < i ? [{ path: ["rules", i, "id"], message: `the id "${id}" is given twice` }] : [],
  );
}

function badRules(problems: readonly BatchProblem[]): UserError {
  return new UserError({
    what: `${LINT_FILE} is not valid (${plural(problems.length, "problem")})`,
    why: formatProblems(LINT_FILE, problems),
    todo: "Correct it; docs/use/lint.md lists the rules.",
    exitCode: EXIT.usage,
  });
}
