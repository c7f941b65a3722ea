import type { Call, Inspector, Places } from "../paths.ts";
import type { ShellScope } from "../shell/scope.ts";
import { judgeDeletion } from "./deletion.ts";

/** Options of debuggers, pagers and editors whose values are commands of their own. */
const COMMAND_OPTION = /^(?:-{1,2}(?:ex|eval-command|iex|init-eval-command|one-line|o|c|cmd|S)|--one-line)$/;

/** Judges the shell commands that a debugger, pager or editor is told: by options, by `+…`, or on stdin. */
export function judgeEscapingProgram({ args, stdin, scope }: Call, guard: Inspector): void {
  for (const [index, arg] of args.entries()) {
    const given = COMMAND_OPTION.test(args[index - 1] ?? "")
      ? arg
      : /^(?:\+|--cmd=|-ex=|--ex=|--eval-command=|-c)(.+)$/s.exec(arg)?.[1];
    if (given !== undefined) judgeOwnCommand(given, scope, guard);
  }
  for (const line of (stdin ?? "").split("\n")) judgeOwnCommand(line, scope, guard);
}

function judgeOwnCommand(text: string, scope: ShellScope, guard: Inspector): void {
  const code =
    /^\s*:?(?:silent!?\s+)?(?:\d*,?[\d$%]*)?(?:r|w)?\s*!(.*)$/s.exec(text)?.[1] ??
    /^\s*(?:shell|platform shell|pipe)\s+(.*)$/s.exec(text)?.[1] ??
    /\b(?:system|systemlist|os\.execute|vim\.fn\.system|jobstart|termopen|os\.system)\s*\(?\s*["'[]+(.*?)["'\]]+\s*\)?/s.exec(
      text,
    )?.[1];
  if (code !== undefined) guard.maybeLine(code, scope);
}

/** Judges vim's own `delete()`, and the code in other languages that it is given. */
export function judgeVimDelete({ args, scope }: Call, guard: Inspector, places: Places): void {
  for (const arg of args) {
    const [, path, flags = ""] = /\bdelete\(\s*(?:expand\()?["']([^"']+)["']\)?\s*(?:,\s*["'](\w*)["'])?/.exec(arg) ?? [];
    if (path !== undefined)
      judgeDeletion(path.replace(/^~/, scope.home), { scope, guard, places, isRecursive: flags.includes("r") });
  }
}

/** Judges Tcl, and `expect` with it: `exec`, `spawn`, `system` and `file delete`. */
export function judgeTcl({ args, stdin, scope }: Call, guard: Inspector, places: Places): void {
  const at = args.indexOf("-c");
  const code = at === -1 ? stdin : args[at + 1];
  for (const statement of (code ?? "").split(/[;\n]/)) {
    const started = /(?:^|\[)\s*(?:exec|spawn|system)\s+([^\]]+)/.exec(statement)?.[1];
    if (started !== undefined)
      guard.maybeLine(
        started.replace(/\$(?:::)?env\(HOME\)/g, () => scope.home),
        scope,
      );
    const deleted = /file\s+delete\s+(?:-force\s+)?(?:--\s+)?([^\]]+)/.exec(statement)?.[1];
    for (const path of deleted?.replace(/\$(?:::)?env\(HOME\)/g, () => scope.home).split(/\s+/) ?? [])
      if (path !== "") judgeDeletion(path.replace(/^["{]|["}]$/g, ""), { scope, guard, places, isRecursive: true });
  }
}
