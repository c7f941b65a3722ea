import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { begins, killEngine, stageWith } from "./begins.ts";
import { DEFENCES } from "./defences.ts";

interface Tampering {
  readonly id: string;
  readonly what: string;
  /** SQL on the records of one run. */
  readonly sql: string;
}

const TAMPERINGS: readonly Tampering[] = [
  {
    id: "E10-changed",
    what: "raises a limit in the first row of the journal",
    sql: `UPDATE journal SET data = replace(data, '"attempts":2', '"attempts":9') WHERE seq = 1`,
  },
  {
    id: "E10-deleted",
    what: "takes a row out of the journal, and counts the rows after it again",
    sql: `CREATE TEMP TABLE gone AS SELECT min(seq) AS seq FROM journal WHERE type = 'worktree-ready';
      DELETE FROM journal WHERE seq = (SELECT seq FROM gone);
      UPDATE journal SET seq = seq - 1 WHERE seq > (SELECT seq FROM gone);
      UPDATE runs SET head_seq = head_seq - 1`,
  },
  {
    id: "E10-swapped",
    what: "swaps what two rows of the journal say",
    sql: `CREATE TEMP TABLE two AS SELECT seq, at, type, ticket, data FROM journal WHERE seq IN (2, 3);
      UPDATE journal SET (type, ticket, data) = (SELECT type, ticket, data FROM two WHERE two.seq = 5 - journal.seq) WHERE seq IN (2, 3)`,
  },
  {
    id: "E10-cut",
    what: "cuts the last row off the journal",
    sql: "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
  },
];

const outcomes = new Map<string, Promise<ReadonlyMap<string, boolean>>>();

/** Tampers in each way with the records of one interrupted run, and looks whether an engine goes on with it. */
async function tamper(program: string): Promise<ReadonlyMap<string, boolean>> {
  using stage = stageWith('say("READY"); await wait(60_000);');
  const batch = stage.batch(["T-1"]);
  const first = stage.start([batch, "--json"], {}, program);
  await first.until(/"text":"READY"/);
  await killEngine(first);
  const left = new DatabaseSync(stage.path("home", "loopdash.db"));
  left.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  left.close();
  const found = new Map<string, boolean>();
  copyRecords(stage, "home", "kept");
  for (const { id, sql } of TAMPERINGS) {
    copyRecords(stage, "kept", "home");
    const db = new DatabaseSync(stage.path("home", "loopdash.db"));
    db.exec(sql);
    db.close();
    const run = stage.start([batch, "--json"], {}, program);
    found.set(id, await begins(run, { code: 3, says: /its journal is broken/ }));
    await killEngine(run);
  }
  return found;
}

function copyRecords(stage: Stage, from: string, to: string): void {
  stage.write(`${to}/.here`, "");
  for (const name of readdirSync(stage.path(to))) if (name.startsWith("loopdash.db")) rmSync(stage.path(to, name));
  copyFileSync(stage.path(from, "loopdash.db"), stage.path(to, "loopdash.db"));
}

/** The journal changed by hand between two engines. */
export const JOURNAL: readonly Attack[] = TAMPERINGS.map(({ id, what }) => ({
  id,
  what,
  defence: DEFENCES.chain,
  async succeeds(program) {
    const outcome = outcomes.get(program) ?? tamper(program);
    outcomes.set(program, outcome);
    return (await outcome).get(id) ?? false;
  },
}));
