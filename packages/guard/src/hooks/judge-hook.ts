import { judgeCommand } from "../judge-command.ts";
import { judgeFile } from "../judge-file.ts";
import type { GuardContext, GuardVerdict } from "../verdict.ts";
import type { HookPayload } from "./hook-payload.ts";

/** Where paths lead, by the links on disk. */
type RealPath = (absolute: string) => string;

/**
 * Judges the use of a tool before it happens. Files are judged by their names and by the places that their links lead to.
 * `context.cwd` is replaced by the folder of the payload.
 */
export function judgeHook(payload: HookPayload, context: GuardContext, realPath: RealPath): GuardVerdict {
  const { commands = [], reads = [], writes = [], folder, isGuess = false } = payload;
  const cwd = folder === undefined ? payload.cwd : absolute(folder, payload.cwd);
  const here = { ...context, worktree: context.worktree ?? context.cwd, cwd };
  const lines = isGuess ? { ...here, settings: { ...here.settings, onParseError: "allow" as const } } : here;
  const judgements = [
    ...commands.map((command) => () => judgeCommand(command, lines)),
    ...reads.flatMap((path) => spellings(path, here, realPath).map((each) => () => judgeFile(each, "read", here))),
    ...writes.flatMap((path) => spellings(path, here, realPath).map((each) => () => judgeFile(each, "write", here))),
  ];
  for (const judge of judgements) {
    const verdict = judge();
    if (verdict.verdict === "block") return verdict;
  }
  return { verdict: "allow" };
}

function spellings(path: string, { cwd, home }: GuardContext, realPath: RealPath): readonly string[] {
  const whole = path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : absolute(path, cwd);
  const real = realPath(whole);
  return real === whole ? [whole] : [whole, real];
}

function absolute(path: string, folder: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`;
}
