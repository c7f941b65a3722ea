import { join } from "node:path";
import { errorCode } from "@loopdash/values";
import type { HookPayload } from "../../hooks/hook-payload.ts";
import type { GuardFile } from "../../settings-text.ts";
import { worktreeOf } from "../check-command.ts";
import type { StopHost } from "../guard-host.ts";
import { appendKept } from "./audit.ts";
import { reportLines } from "./hook-report.ts";
import { checkedNow } from "./stop-guard.ts";
import { lookOf, type StopLook } from "./stop-look.ts";

const ADVICE = "Go on if this is your task and you can meet it. Else say what is open, and stop.";

/**
 * Reminds a person's own agent when it stops: of the checks of its settings that fail, or else of what the host knows to be
 * unfinished. A file of the host's folder has what each session was told, so nothing is told more than `times`, or twice in a row. Throws if
 * it cannot look, or cannot keep that.
 */
export async function ownReminder(
  { stop }: GuardFile,
  payload: HookPayload,
  { stateFolder, unfinished }: StopHost,
): Promise<StopLook> {
  const { session } = payload;
  const file = join(stateFolder, "stops.jsonl");
  const { times = 1, checks } = stop ?? {};
  const earlier = session === undefined ? [] : toldBefore(file, session);
  if (session === undefined || earlier.length >= times) return {};
  const worktree = worktreeOf(payload.cwd);
  const checked = checks === undefined ? await unfinished(worktree) : await checkedNow(checks, worktree);
  const { told, ...late } = lookOf(checked, { n: earlier.length + 1, of: times, advice: ADVICE });
  if (told === undefined || told.unmet === earlier.at(-1)) return late;
  const problem = appendKept(file, { at: new Date().toISOString(), session, unmet: told.unmet });
  if (problem !== undefined) throw new Error(`the stop guard cannot write ${file} (${problem})`);
  return { ...late, told };
}

function toldBefore(file: string, session: string): readonly string[] {
  try {
    const lines = reportLines(file).filter((line) => line.includes(`,"session":${JSON.stringify(session)},"unmet":`));
    return lines.map((line): string => JSON.parse(line).unmet);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
