import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { linkAfter, origin } from "../../src/adapters/journal/chain.ts";
import type { Findings } from "../../src/domain/bundle/findings.ts";
import type { RunFact } from "../../src/domain/run/event.ts";
import type { Stage } from "./stage.ts";

type Result = Findings & { readonly ok: boolean };

/** Runs `verify-journal`. Gives its exit code and its findings. */
export async function verified(stage: Stage, args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await stage.run(["verify-journal", ...args, "--json"], env);
  if (stdout === "") throw new Error(stderr);
  return { code, found: JSON.parse(stdout) as Result };
}

/** The folder of the only run of a state folder. */
export function runFolder(home: string): string {
  const [name = ""] = readdirSync(join(home, "runs"));
  return join(home, "runs", name);
}

/** Changes one byte in the middle of a file. */
export function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Changes the database of a state folder. */
export function sql(home: string, statement: string): void {
  const db = new DatabaseSync(join(home, "loopdash.db"));
  db.exec(statement);
  db.close();
}

interface StoredRow {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly data: string;
}

/** Changes the texts of the journal's rows, and writes it anew with a whole chain, as an engine that had written those texts. */
export function rewriteJournal(home: string, change: (data: string) => string): void {
  const db = new DatabaseSync(join(home, "loopdash.db"));
  const rows = db.prepare("SELECT run, seq, at, data FROM journal ORDER BY seq").all() as unknown as readonly StoredRow[];
  const update = db.prepare("UPDATE journal SET data = ?, prev = ?, hash = ? WHERE run = ? AND seq = ?");
  const run = rows[0]?.run ?? "";
  let tip = origin(run);
  for (const { seq, at, data: before } of rows) {
    const data = change(before);
    const row = linkAfter(tip, run, { at, fact: JSON.parse(data) as RunFact, data });
    update.run(row.data, row.prev, row.hash, run, seq);
    tip = row;
  }
  db.prepare("UPDATE runs SET head_seq = ?, head_hash = ?").run(tip.seq, tip.hash);
  db.exec("DELETE FROM kept_states");
  db.close();
}
