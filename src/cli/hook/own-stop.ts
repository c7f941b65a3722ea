import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { HookPayload } from "../../domain/guard/hooks/hook-payload.ts";
import type { GuardFile } from "../../domain/guard/settings-text.ts";
import { errorCode } from "../../domain/values/error-text.ts";
import { plural } from "../../domain/values/plural.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Caller } from "../guard/caller.ts";
import { worktreeOf } from "../guard/check-command.ts";
import { stateHome } from "../state-home.ts";
import { appendKept } from "./audit.ts";
import { realPath } from "./hook-contexts.ts";
import { reportLines } from "./hook-report.ts";
import { checkedNow } from "./stop-guard.ts";
import { type Checked, lookOf, type StopLook } from "./stop-look.ts";

const ADVICE = "Go on if this is your task and you can meet it. Else say what is open, and stop.";

/**
 * What a person's own agent is told when it stops: the checks of its settings that fail, or else that a run of this repository has open
 * tickets. The state home has what each session was told, so nothing is told more than `times`, or twice in a row. Throws if it cannot
 * look, or cannot keep that.
 */
export async function ownReminder({ stop }: GuardFile, payload: HookPayload, { cwd, env }: Caller): Promise<StopLook> {
  const { session } = payload;
  const home = stateHome(env, cwd);
  const file = join(home.root, "stops.jsonl");
  const { times = 1, checks } = stop ?? {};
  const earlier = session === undefined ? [] : toldBefore(file, session);
  if (session === undefined || earlier.length >= times) return {};
  const worktree = worktreeOf(payload.cwd);
  const checked = checks === undefined ? await openRuns(home.db, worktree) : await checkedNow(checks, worktree);
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

/** The newest unfinished runs, with the repositories that each began with. */
const UNFINISHED = `SELECT run, open, batch_path AS batchPath,
  (SELECT json_extract(data, '$.batch.repos') FROM journal WHERE journal.run = runs.run AND seq = 1) AS repos
  FROM runs JOIN tallies USING (run) WHERE ended_at IS NULL AND open > 0 ORDER BY started_at DESC LIMIT 20`;

/** The unfinished runs of a repository that have open tickets. */
async function openRuns(db: string, worktree: string): Promise<Checked> {
  if (!existsSync(db)) return { failed: [], late: [] };
  // Loaded here: no other hook reads records.
  const { DatabaseSync } = await import("node:sqlite");
  const records = new DatabaseSync(db, { readOnly: true, timeout: 2_000 });
  try {
    const rows = records.prepare(UNFINISHED).all();
    const here = rows.filter(({ repos, batchPath }) => {
      const specs: Readonly<Record<string, { readonly path: string }>> = JSON.parse(String(repos ?? "{}"));
      return Object.values(specs).some(({ path }) => realPath(resolve(dirname(String(batchPath)), path)) === realPath(worktree));
    });
    const failed = here.map(({ run, open }) => {
      const [name, tickets] = [plainText(String(run), 100), plural(Number(open), "ticket")];
      const long = `The run ${name} of this repository is unfinished, ${tickets} open. See: loopdash status ${name}`;
      return { short: `run ${name}: ${tickets} open`, long };
    });
    return { failed, late: [] };
  } finally {
    records.close();
  }
}
