import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { linkAfter, origin } from "../../../src/adapters/journal/chain.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { install, mustSay } from "./trials.ts";

/** A run whose engine was killed, with the files of its first attempt. */
export interface Killed {
  readonly stage: Stage;
  readonly program: string;
  readonly batch: string;
}

/** A change between two engines of one run, and the second one's reaction. */
export interface Change {
  readonly id: string;
  readonly what: string;
  readonly change: (killed: Killed) => void;
  readonly told: RegExp;
  /** The exit code of the refusal; default 3. */
  readonly refused?: number;
  /** The output of a run that continues all the same; it is ended then. Default: that it was resumed. */
  readonly goes?: RegExp;
}

/** One killed run per program serves all changes: everything is restored before each. */
export function changes(defence: Defence, list: readonly Change[]): Attack[] {
  return list.map((change) => ({
    id: change.id,
    what: change.what,
    defence,
    succeeds: async (program) => goesOn(await killedRun(program), change, program === PROGRAM),
  }));
}

const killed = new Map<string, Promise<Killed>>();

function killedRun(program: string): Promise<Killed> {
  const run = killed.get(program) ?? killRun(program);
  killed.set(program, run);
  return run;
}

/** Ends the leftovers of this file's tests. */
export async function removeKilledRuns(): Promise<void> {
  for (const run of await Promise.allSettled(killed.values())) {
    if (run.status === "fulfilled") run.value.stage[Symbol.dispose]();
  }
}

const KEPT = ["home", "app", "installed", "batch.json"];

async function killRun(from: string): Promise<Killed> {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(`if (!fs.existsSync(${JSON.stringify(stage.path("go"))})) { say("READY"); await wait(600_000); }`);
  const program = install(stage, from);
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], {
    limits: { attempts: 2, usdPerRun: 7 },
    protect: ["x"],
  });
  const first = stage.start([batch, "--json"], {}, program);
  await first.until(/READY/);
  first.child.kill("SIGKILL");
  await first.ended;
  stage.write("go", "");
  for (const part of KEPT) cpSync(stage.path(part), stage.path("kept", part), { recursive: true });
  return { stage, program, batch };
}

/** True if the next engine resumes the changed run. */
async function goesOn(
  run: Killed,
  { change, told, refused = 3, goes = /"run-resumed"/ }: Change,
  ships: boolean,
): Promise<boolean> {
  const { stage } = run;
  for (const part of KEPT) {
    rmSync(stage.path(part), { recursive: true, force: true });
    cpSync(stage.path("kept", part), stage.path(part), { recursive: true });
  }
  change(run);
  const next = stage.start([run.batch, "--json"], {}, run.program);
  if (
    await next.until(goes).then(
      () => true,
      () => false,
    )
  ) {
    next.child.kill("SIGKILL");
    await next.ended;
    return true;
  }
  const { code, stdout, stderr } = await next.ended;
  if (code !== refused) throw new Error(`it ended with ${code}:\n${stdout}${stderr}`);
  if (ships) mustSay({ said: stdout + stderr }, told);
  return false;
}

/** The files of the bundle that contain these words. */
export function bundled(program: string, words: string): string {
  const folder = dirname(program);
  const name = readdirSync(folder).find((n) => n.endsWith(".js") && readFileSync(join(folder, n), "utf8").includes(words));
  if (name === undefined) throw new Error(`no file of the bundle holds ${words}`);
  return join(folder, name);
}

export function replaceIn(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(file, "utf8");
  const changed = text.replace(from, () => to);
  if (changed === text) throw new Error(`${file} holds no ${from}`);
  writeFileSync(file, changed);
}

export function inDatabase({ stage }: Killed, use: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(stage.path("home", "loopdash.db"));
  try {
    use(db);
  } finally {
    db.close();
  }
}

/** An SQL statement on the records of the killed run. */
export const sql = (statement: string) => (run: Killed) => inDatabase(run, (db) => db.exec(statement));

// biome-ignore lint/suspicious/noExplicitAny: facts are edited in ways that their types forbid
export type Loose = any;

/** Rewrites the journal's facts and recomputes its whole chain, as an attacker who knows the format could. */
export function rechain(run: Killed, edit: (facts: Loose[], run: Killed) => void): void {
  inDatabase(run, (db) => {
    const rows = db.prepare("SELECT run, at, data FROM journal ORDER BY seq").all() as {
      run: string;
      at: number;
      data: string;
    }[];
    const facts = rows.map((row) => JSON.parse(row.data) as Loose);
    edit(facts, run);
    const name = rows[0]?.run as string;
    let tip: { seq: number; hash: string } = origin(name);
    const update = db.prepare("UPDATE journal SET data = ?, prev = ?, hash = ? WHERE run = ? AND seq = ?");
    for (const [at, fact] of facts.entries()) {
      const row = linkAfter(tip, name, { at: rows[at]?.at as number, fact: fact as RunFact, data: JSON.stringify(fact) });
      update.run(row.data, row.prev, row.hash, name, row.seq);
      tip = row;
    }
    db.prepare("UPDATE runs SET head_hash = ? WHERE run = ?").run(tip.hash, name);
  });
}

/** A file of the killed run, by its name. Leftover canaries beside it look like runs: the record tells them apart. */
export const runFile = (run: Killed, name: string): string => {
  let id = "";
  inDatabase(run, (db) => {
    id = (db.prepare("SELECT run FROM runs").get() as { run: string }).run;
  });
  const file = join(run.stage.home, "runs", id, name);
  if (!existsSync(file)) throw new Error(`the run has no ${name}`);
  return file;
};
