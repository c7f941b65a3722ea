import { contextScope, judgement } from "./judge-command.ts";
import type { GuardContext, GuardVerdict } from "./verdict.ts";

/** Characters that mean something else in a word of a command line (shell/marks.ts), and NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character is what is looked for
const NOT_IN_PATHS = /[\u0000\uE000-\uE005]/g;

/** Judges a file that a tool reads or writes without a shell, by the same rules as command lines. */
export function judgeFile(path: string, access: "read" | "write", context: GuardContext): GuardVerdict {
  const plain = path.replace(NOT_IN_PATHS, "_");
  return judgement(context, (guard) => {
    if (access === "read") guard.onRead(plain, contextScope(context));
    else guard.onWrite(plain, contextScope(context));
    if (plain !== path) guard.report("unreadable");
  });
}
