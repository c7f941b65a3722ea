import picomatch from "picomatch";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { measureText, overBudget } from "../../domain/lint/budget.ts";
import type { Found } from "../../domain/lint/finding.ts";
import type { LintRule, LintRuleOf } from "../../domain/lint/lint-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import { sha256, type Tree } from "./tree.ts";
import { invalid } from "./valid.ts";

/** Milliseconds for the command of a generated part. */
const COMMAND_MS = 5 * 60_000;

/** What would make a rule hold. */
export type Fix =
  | { readonly kind: "text"; readonly path: string; readonly text: string }
  | { readonly kind: "hash"; readonly rule: string; readonly path: string; readonly sha256: string };

/** The findings of a rule, and the fixes of those that have one. */
export interface Checked {
  readonly found: readonly Found[];
  readonly fixes: readonly Fix[];
}

export function checkRule(rule: LintRule, tree: Tree): Promise<Checked> {
  switch (rule.check) {
    case "required":
      return withoutFixes(checkRequired(rule, tree));
    case "protected":
      return checkProtected(rule, tree);
    case "generated":
      return checkGenerated(rule, tree);
    case "valid":
      return withoutFixes(checkValid(rule, tree));
    case "budget":
      return withoutFixes(checkBudget(rule, tree));
  }
}

async function withoutFixes(found: Promise<readonly Found[]>): Promise<Checked> {
  return { found: await found, fixes: [] };
}

async function checkRequired({ files }: LintRuleOf<"required">, tree: Tree): Promise<readonly Found[]> {
  const tracked = new Set(tree.paths);
  const found: Found[] = [];
  for (const path of files) {
    const content = await tree.read(path);
    if (content?.ok === true && tracked.has(path)) continue;
    const why = content === undefined ? "not there" : content.ok ? "git does not track it" : content.why;
    const todo = content?.ok === true ? "git add it" : "write it";
    found.push({ path, line: 1, message: `it is required, and ${why}`, todo });
  }
  return found;
}

async function checkProtected({ id: rule, files }: LintRuleOf<"protected">, tree: Tree): Promise<Checked> {
  const found: Found[] = [];
  const fixes: Fix[] = [];
  for (const [path, recorded] of Object.entries(files)) {
    const content = await tree.read(path);
    if (content?.ok !== true) {
      found.push({
        path,
        line: 1,
        message: `it is protected, and ${content?.why ?? "not there"}`,
        todo: "bring it back, or take it out of the rule",
      });
      continue;
    }
    const now = sha256(content.bytes);
    if (now === recorded) continue;
    fixes.push({ kind: "hash", rule, path, sha256: now });
    const message = recorded === null ? "its hash is not recorded yet" : "it is protected, and its content has changed";
    const todo =
      recorded === null ? "loopdash lint --fix --accept" : "undo the change; if it is meant: loopdash lint --fix --accept";
    found.push({ path, line: 1, message, todo });
  }
  return { found, fixes };
}

async function checkGenerated(rule: LintRuleOf<"generated">, tree: Tree): Promise<Checked> {
  const { file: path, begin, end, command } = rule;
  const failed = (message: string, todo: string, line = 1): Checked => ({ found: [{ path, line, message, todo }], fixes: [] });
  const content = await tree.read(path);
  if (content?.ok !== true)
    return failed(`its generated part cannot be read: ${content?.why ?? "it is not there"}`, "bring the file back");
  const read = textOf(content.bytes);
  if ("why" in read) return failed(`its generated part cannot be written: it ${read.why}`, read.todo);
  const { text, eol } = read;
  const lines = text.split(eol);
  const [from, to] = [linesWith(lines, begin), linesWith(lines, end)];
  const [first = -1, last = -1] = [from[0], to[0]];
  if (from.length !== 1 || to.length !== 1 || last <= first)
    return failed(
      `it does not have one line with ${begin}, and one with ${end} after it`,
      "put both markers into it, once",
      first + 1 || 1,
    );
  const printed = await printedBy(command, tree.top);
  if ("why" in printed) return failed(printed.why, `run ${plainText(command.join(" "), 100)}`, first + 1);
  const { part } = printed;
  if ([begin, end].some((marker) => linesWith(part, marker).length > 0))
    return failed("its command prints one of the markers", "choose markers that it does not print", first + 1);
  if (lines.slice(first + 1, last).join("\n") === part.join("\n") && last - first - 1 === part.length)
    return { found: [], fixes: [] };
  const fixed = [...lines.slice(0, first + 1), ...part, ...lines.slice(last)].join(eol);
  const finding = {
    path,
    line: first + 2,
    message: "its generated part is not what its command prints",
    todo: "loopdash lint --fix",
  };
  return { found: [finding], fixes: [{ kind: "text", path, text: fixed }] };
}

type Refused<More = unknown> = { readonly why: string } & More;

/** The text of a file and its line end, or why it cannot be written back byte for byte. */
function textOf(bytes: Buffer): { readonly text: string; readonly eol: string } | Refused<{ readonly todo: string }> {
  const text = utf8In(bytes);
  if (text === undefined) return { why: "is not UTF-8 text", todo: "make it UTF-8" };
  const hasPairs = text.includes("\r\n");
  if (hasPairs && /(?<!\r)\n/.test(text)) return { why: "has mixed line ends", todo: "give all its lines the same end" };
  return { text, eol: hasPairs ? "\r\n" : "\n" };
}

function utf8In(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // It is other bytes.
    return undefined;
  }
}

/** The lines that a command prints, or why there are none. */
async function printedBy(command: readonly string[], cwd: string): Promise<{ readonly part: readonly string[] } | Refused> {
  // The repository chose the command: it gets what a check of a batch gets, and none of the user's credentials.
  const env = allowedEnvironment(process.env, {});
  const { exitCode, stdout, problem, stderr } = await runBriefly(command, { env, cwd, timeoutMs: COMMAND_MS });
  if (exitCode !== 0) return { why: `its command failed: ${plainText(stderr.trim().split("\n").at(-1) || problem, 200)}` };
  // What is not UTF-8 was replaced when it was read.
  if (stdout.includes("\ufffd")) return { why: "what its command prints is not UTF-8 text" };
  return { part: stdout === "" ? [] : stdout.replace(/\r\n/g, "\n").replace(/\n$/, "").split("\n") };
}

function linesWith(lines: readonly string[], marker: string): readonly number[] {
  return lines.flatMap((line, i) => (line.includes(marker) ? [i] : []));
}

async function checkValid({ files, not = [], format }: LintRuleOf<"valid">, tree: Tree): Promise<readonly Found[]> {
  return forEach(files, not, tree, (path, bytes) => {
    const fault = invalid(bytes, format);
    const todo = "correct it, or leave it out of the rule";
    return (
      fault && { path, line: fault.line, message: `it is no valid ${format === "yaml" ? "YAML" : "JSON"}: ${fault.why}`, todo }
    );
  });
}

async function checkBudget({ files, ...budget }: LintRuleOf<"budget">, tree: Tree): Promise<readonly Found[]> {
  return forEach(files, [], tree, (path, bytes) => {
    const over = overBudget(measureText(bytes.toString("utf8")), budget);
    const todo = "move what is rarely needed to files that it names";
    return over === "" ? undefined : { path, line: 1, message: `it is over its budget, with ${over}`, todo };
  });
}

/** Looks at each tracked file that one of the globs names. One that is not in the checkout is left alone. */
async function forEach(
  globs: readonly string[],
  not: readonly string[],
  tree: Tree,
  look: (path: string, bytes: Buffer) => Found | undefined,
): Promise<readonly Found[]> {
  const isMatch = picomatch([...globs], { dot: true, ignore: [...not] });
  const found: Found[] = [];
  for (const path of tree.paths.filter((each) => isMatch(each))) {
    const content = await tree.read(path);
    if (content === undefined) continue;
    const finding = content.ok
      ? look(path, content.bytes)
      : { path, line: 1, message: `it is not checked: ${content.why}`, todo: "leave it out of the rule" };
    if (finding !== undefined) found.push(finding);
  }
  return found;
}
