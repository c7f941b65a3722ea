import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { linkAfter, origin } from "../../../src/adapters/journal/chain.ts";
import { isAlive } from "../../e2e/actors.ts";
import { HONEST, pidsUnder, type Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { begins, killEngine, stageWith, UNTIL_GO } from "./begins.ts";
import { DEFENCES } from "./defences.ts";

const MERGE = [{ step: "gates" }, { step: "merge" }];
/** Two that write one journal stop one another, but by then the second has ended the agents of the first. */
const REFUSED = { code: 4, says: /holds the (?:batch|base)/, tooLate: /another process wrote to it/ };

/** A module that the engine loads first: it kills the engine before the journal takes a fact of this type. */
function killedBefore(stage: Stage, type: string): Record<string, string> {
  const file = stage.write(
    "kill.mjs",
    `import { StatementSync } from "node:sqlite";
const run = StatementSync.prototype.run;
if (process.argv[2]?.endsWith("batch.json")) StatementSync.prototype.run = function (...values) {
  if (this.sourceSQL.startsWith("INSERT INTO journal") && values[3] === ${JSON.stringify(type)}) process.kill(process.pid, "SIGKILL");
  return run.apply(this, values);
};
`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}

/** Two engines at work in one place: whether the second begins. */
function second(
  id: string,
  what: string,
  start: (stage: Stage, batch: string) => { batch: string; env?: Record<string, string> },
): Attack {
  return {
    id,
    what,
    defence: DEFENCES.locks,
    async succeeds(program) {
      using stage = stageWith(`${UNTIL_GO} ${HONEST}`);
      const batch = stage.batch(["T-1"], { finish: MERGE });
      const first = stage.start([batch, "--json"], {}, program);
      await first.until(/"text":"READY"/);
      const other = start(stage, batch);
      return await begins(stage.start([other.batch, "--json"], other.env ?? {}, program), REFUSED);
    },
  };
}

const TWO_ENGINES: readonly Attack[] = [
  second("E3", "starts the same batch a second time", (_, batch) => ({ batch })),
  second("E3-base", "starts another batch on the same base", (stage, batch) => ({
    batch: stage.write("other.json", readFileSync(batch, "utf8")),
  })),
  second("E3-home", "starts another batch on the same base with another state folder", (stage, batch) => ({
    batch: stage.write("other.json", readFileSync(batch, "utf8")),
    env: { LOOPDASH_HOME: stage.path("home2") },
  })),
];

/** Writes into the journal that the agent of the only run had this process number; the chain is made again. */
function giveNumber(stage: Stage, pid: number): void {
  const db = new DatabaseSync(stage.path("home", "loopdash.db"));
  const rows = db.prepare("SELECT run, seq, at, type, data FROM journal ORDER BY seq").all();
  const run = String(rows[0]?.["run"]);
  let tip = origin(run);
  for (const { seq, at, type, data: before } of rows) {
    const data = type === "agent-started" ? String(before).replace(/"pid":\d+/, `"pid":${pid}`) : String(before);
    const row = linkAfter(tip, run, { at: Number(at), fact: JSON.parse(data), data });
    db.prepare("UPDATE journal SET data = ?, prev = ?, hash = ? WHERE seq = ?").run(data, row.prev, row.hash, Number(seq));
    tip = row;
  }
  db.prepare("UPDATE runs SET head_hash = ?").run(tip.hash);
  db.close();
}

function killOwn(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}

export const CRASHES: readonly Attack[] = [
  ...TWO_ENGINES,
  {
    id: "E5",
    what: "has the process number of an agent that a lost engine left behind",
    defence: DEFENCES.startTime,
    async succeeds(program) {
      using stage = stageWith('say("READY"); if (attempt === 1) await wait(60_000);');
      const batch = stage.batch(["T-1"], { finish: MERGE });
      const first = stage.start([batch, "--json"], {}, program);
      await first.until(/"text":"READY"/);
      await killEngine(first);
      for (const pid of pidsUnder(stage.root)) process.kill(pid, "SIGKILL");
      const foreign = spawn("/bin/sleep", ["60"], { detached: true, stdio: "ignore" });
      try {
        giveNumber(stage, Number(foreign.pid));
        await stage.start([batch, "--json"], {}, program).until(/"type":"attempt-claimed"/);
        return !isAlive(Number(foreign.pid));
      } finally {
        killOwn(foreign);
      }
    },
  },
  {
    id: "E10-landing",
    what: "is killed between a landing and its record: what has landed lands again",
    defence: DEFENCES.landedOnce,
    async succeeds(program) {
      using stage = stageWith(HONEST);
      const batch = stage.batch(["T-1"], { finish: MERGE });
      const { signal, stdout } = await stage.start([batch, "--json"], killedBefore(stage, "merge-landed"), program).ended;
      if (signal !== "SIGKILL" || stage.landed().length !== 1) throw new Error(`it was not killed after the landing:\n${stdout}`);
      await stage.start([batch, "--json"], {}, program).until(/"outcome":"done"/);
      return stage.landed().length > 1;
    },
  },
  {
    id: "E10-finished",
    what: "is killed while finished work is being judged: its agent is paid again",
    defence: DEFENCES.goesOn,
    async succeeds(program) {
      const check = `import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
while (!fs.existsSync(process.env.HOME + "/go")) await wait(20);
`;
      using stage = stageWith(`fs.appendFileSync(process.env.HOME + "/calls", "x"); ${HONEST}`, { "check.mjs": check });
      const finish = [{ step: "check", command: [process.execPath, "check.mjs"] }, { step: "merge" }];
      // Its own finish line: the batch's would wait on the base, before any agent.
      const batch = stage.batch([{ id: "T-1", finish }]);
      const first = stage.start([batch, "--json"], {}, program);
      await first.until(/"type":"step-started"/);
      await killEngine(first);
      stage.write("go", "");
      await stage.start([batch, "--json"], {}, program).until(/"outcome":"done"/);
      return readFileSync(stage.path("calls"), "utf8").length > 1;
    },
  },
  {
    id: "E10-lost",
    what: "outlives its engine, and writes into the worktree of the next attempt",
    defence: DEFENCES.strays,
    async succeeds(program) {
      const next = 'fs.globSync(process.env.HOME + "/home/worktrees/*/T-1-2/README.md")';
      using stage = stageWith(`
        if (attempt === 1) {
          say("READY");
          for (;;) { for (const file of ${next}) { fs.writeFileSync(file.replace("README.md", "evil.txt"), "x"); fs.writeFileSync(process.env.HOME + "/go", ""); } await wait(20); }
        }
        ${UNTIL_GO} fs.writeFileSync("good.txt", "x");`);
      const batch = stage.batch(["T-1"], { finish: MERGE });
      const first = stage.start([batch, "--json"], {}, program);
      await first.until(/"text":"READY"/);
      await killEngine(first);
      if (pidsUnder(stage.root).length === 0) throw new Error("nothing outlived the engine");
      const run = stage.start([batch, "--json"], {}, program);
      await run.until(/"text":"READY"/);
      // With nobody left to write it, the second attempt is let go by hand.
      if (/"orphansKilled":[1-9]/.test(run.stdout())) stage.write("go", "");
      await run.until(/"outcome":"done"/);
      return existsSync(stage.path("app/evil.txt"));
    },
  },
];
