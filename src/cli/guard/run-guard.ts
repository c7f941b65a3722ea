import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  type Caller,
  type GuardHost,
  hook,
  realPath,
  runGuard as runGuardFor,
  type StopChecks,
  thisProcess,
} from "@loopdash/guard/program";
import { plainText, plural } from "../../domain/values/text.ts";
import { stateHome } from "../state-home.ts";

/** The guard as a part of loopdash: what a session was told is in the state home, and runs are what can be unfinished. */
export const guardHost: GuardHost = ({ env, cwd }) => {
  const { root, db } = stateHome(env, cwd);
  return { stateFolder: root, unfinished: (worktree) => openRuns(db, worktree) };
};

/** Runs `loopdash guard check` or `loopdash hook`; see the guard's own `runGuard`. */
export function runGuard(args: readonly string[], caller?: Caller): number | Promise<number> | undefined {
  return runGuardFor(args, guardHost, caller);
}

/** Runs `loopdash hook` in this process. */
export function runHook(args: readonly string[]): Promise<number> {
  return hook(args, thisProcess(), guardHost);
}

/** The newest unfinished runs, with the repositories that each began with. */
const UNFINISHED = `SELECT run, open, batch_path AS batchPath,
  (SELECT json_extract(data, '$.batch.repos') FROM journal WHERE journal.run = runs.run AND seq = 1) AS repos
  FROM runs JOIN tallies USING (run) WHERE ended_at IS NULL AND open > 0 ORDER BY started_at DESC LIMIT 20`;

/** The unfinished runs of a repository that have open tickets. */
async function openRuns(db: string, worktree: string): Promise<StopChecks> {
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
