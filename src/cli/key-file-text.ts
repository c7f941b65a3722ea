import { basename } from "node:path";
import { z } from "zod";
import { checkValue } from "../domain/batch/issues.ts";
import { type BatchProblem, formatProblems, pathText } from "../domain/batch/problem.ts";
import { nodeAt, nodeValue, readSyntax } from "../domain/batch/syntax.ts";
import { plural } from "../domain/values/text.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import type { Keymap } from "../store/dashboard-state.ts";
import { KEYMAP } from "../store/keymap/keymap.ts";
import { rebind } from "../store/keymap/rebind.ts";

/** `{"kill": ["X"], "pause": ["P", "ctrl-p"]}`: names of bindings, each with all its keys. */
const KeyFile = z.record(z.string(), z.array(z.string().max(20)).max(8));

/** Parses a key file (JSON with comments) into a keymap. `file` is its name for people. Throws a UserError (exit 2). */
export function keymapFrom(text: string, file: string): Keymap {
  const read = readSyntax(text.replace(/^\ufeff/, ""));
  if (!read.ok) throw refused(file, read.problems);
  const { root, position } = read;
  const checked = checkValue(KeyFile, nodeValue(root));
  const bound = checked.ok ? rebind(KEYMAP, checked.value) : undefined;
  if (bound?.ok) return bound.keymap;
  const problems = checked.ok ? (bound?.problems ?? []) : checked.findings;
  const placed = problems.map(({ path, message, hint }): BatchProblem => {
    const node = nodeAt(root, path) ?? nodeAt(root, path.slice(0, 1)) ?? root;
    return { ...position(node.offset), path: pathText(path), message, hint };
  });
  throw refused(file, placed);
}

function refused(file: string, problems: readonly BatchProblem[]): UserError {
  return new UserError({
    what: `the keys in ${file} cannot be bound (${plural(problems.length, "problem")})`,
    why: formatProblems(basename(file), problems),
    todo: "Fix the file, or remove it; docs/reference/keys.md names all bindings and keys.",
    exitCode: EXIT.usage,
  });
}
