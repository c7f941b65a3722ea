import { shellWord } from "@loopdash/values";
import { loopBranch } from "../ci/ci-run.ts";
import type { EndKind } from "../run/event.ts";
import { isLandedNotLive } from "../run/live-check.ts";
import type { RunState } from "../run/state.ts";
import { plainText, plural } from "../values/text.ts";
import { vecItems } from "../values/vec.ts";

/** The next steps after a run that has ended without being done. Lines of outside text are safe to print. */
export interface NextSteps {
  /** The problem that a person has to fix first; absent if there is none. */
  readonly fix?: string;
  /** The command that checks again what has landed and is not live, without an agent; absent if there is nothing or a run goes on. */
  readonly check?: string;
  /** The command that goes on. */
  readonly command: string;
  /** The parts of this run that the command keeps. */
  readonly kept: string;
}

/**
 * True if the same command continues this run: it was stopped, what it needed for a verdict was away, or a cause that every agent
 * would meet (a login, a limit, its program) ended it.
 */
export function isResumable({ end, halted }: Pick<RunState, "end" | "halted">): boolean {
  return end?.kind === "interrupted" || end?.kind === "unjudged" || (end?.kind === "not-done" && halted !== undefined);
}

/** The ending of a rehearsal's batch path. There is no such file: it is no run of the batch. */
export const REHEARSAL = ".rehearsal";

/** The next step after a run; undefined while it goes on, where the oracle says that it is done, and after a rehearsal. */
export function nextSteps(state: RunState): NextSteps | undefined {
  const { run, end, batchPath, counts, halted, tickets } = state;
  if (end === undefined || end.kind === "oracle-done" || batchPath.endsWith(REHEARSAL)) return undefined;
  const loop = loopBranch(state);
  const command =
    loop === undefined
      ? `loopdash ${shellWord(plainText(batchPath))}`
      : `loopdash ci ${shellWord(plainText(loop))} (with the same options)`;
  if (end.kind === "interrupted") return { command, kept: CONTINUES };
  const fix = halted === undefined || end.kind === "unjudged" ? FIXES[end.kind] : "what the reason above names";
  if (isResumable(state)) return { fix, command, kept: CONTINUES };
  if (loop !== undefined) return { fix, command, kept: "a new loop begins with the commits that are on the branch" };
  const settled = counts.done + counts["human-gated"];
  const taken = settled === 0 ? "" : `the ${plural(settled, "settled ticket")}, and `;
  const kept = `a new run takes over ${taken}the work that agents left on open tickets`;
  const landed = [...vecItems(tickets)].filter(isLandedNotLive).length;
  const check = `loopdash verify ${run} (${plural(landed, "landed ticket is", "landed tickets are")} not live; starts no agent)`;
  return { fix, check: landed === 0 ? undefined : check, command, kept };
}

const CONTINUES = "this run continues: all that landed, every settled ticket, and the work of open ones";

const FIXES: Readonly<Record<Exclude<EndKind, "oracle-done" | "interrupted">, string>> = {
  "not-done": "what keeps the tickets named above open",
  tripwire: "what the reason above names: until then no verdict can be believed",
  unjudged: "what the reason above names, unless it works again",
  "engine-failure": "what the reason above names",
};
