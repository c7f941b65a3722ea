import { globSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { HONEST, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

const MERGE = { finish: [{ step: "gates" }, { step: "merge" }] };

/** An agent that says READY and waits for the file `go`. */
const waits = (stage: Stage): string =>
  `say("READY"); while (!fs.existsSync(${JSON.stringify(stage.path("go"))})) await wait(20);`;

/** Sends a command to the engine of the stage's only run, as a dashboard does, and stays until it was heard. */
async function command(stage: Stage, request: object, heard: () => Promise<void>): Promise<void> {
  const [socket] = globSync("runs/*/engine-*.sock", { cwd: stage.home });
  if (socket === undefined) throw new Error("the engine has no socket");
  const client = connect(stage.path("home", socket)).resume();
  const broken = new Promise<never>((_, reject) => client.once("error", reject));
  client.write(`${JSON.stringify({ kind: "command", command: request })}\n`);
  await Promise.race([heard(), broken]);
  client.destroy();
}

/**
 * A module that the engine loads first: the first time that something is to take the tracker's place with a Done in it, it
 * does not, and nobody is told: what a network drive does that says yes too early.
 */
function losesFirstDone(stage: Stage): Record<string, string> {
  const file = stage.write(
    "loses.mjs",
    `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
if (process.argv[2]?.endsWith("batch.json")) {
  const rename = fs.promises.rename;
  let lost = false;
  fs.promises.rename = async (from, to) => {
    // The tripwire's copies look the same; beside the true one lies the engine's number.
    const real = String(to).endsWith("/tracker.json") && fs.existsSync(String(to).replace("tracker.json", "engine.pid"));
    if (lost || !real || !fs.readFileSync(from, "utf8").includes('"done"')) return rename(from, to);
    lost = true;
    fs.writeFileSync(${JSON.stringify(stage.path("lost"))}, "");
    fs.rmSync(from);
  };
  syncBuiltinESMExports();
}
`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}

/** Attacks that need a run of their own. */
export const ENGINE_ALONE: readonly Attack[] = [
  {
    id: "B1-run-ended",
    what: "prints the fact that the run ended as done",
    defence: DEFENCES.word,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      const end = { type: "run-ended", kind: "oracle-done", verdict: "done", exitCode: 0, reason: "1 done" };
      stage.agent(`say(${JSON.stringify(JSON.stringify(end))});`);
      const run = stage.start([stage.batch(["T-1"], { limits: { attempts: 1 } }), "--json"], {}, program);
      await run.until(/"type":"(?:ticket-stalled|run-ended)"/);
      return run.stdout().includes('"verdict":"done","exitCode":0');
    },
  },
  {
    id: "B26",
    what: "is killed by a person, and exits on its way out as if it had finished",
    defence: DEFENCES.ended,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      const late = 'process.on("SIGTERM", () => { fs.writeFileSync("late.txt", "x"); process.exit(0); });';
      stage.agent(`${late} say("READY"); await wait(60_000);`);
      const run = stage.start([stage.batch(["T-1"], { ...MERGE, limits: { attempts: 1 } }), "--json"], {}, program);
      await run.until(/"text":"READY"/);
      await command(stage, { type: "kill", ticket: "T-1" }, () => run.until(/"type":"kill-requested"/));
      await run.until(/"type":"attempt-ended"/);
      if (!run.stdout().includes('"exitCode":0,"signal":null')) throw new Error(`it did not exit by itself:\n${run.stdout()}`);
      return stage.landed().includes("T-1");
    },
  },
  {
    id: "B11-resumed",
    what: "takes an open ticket out of the batch file, and the run is gone on with",
    defence: DEFENCES.frozenBatch,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      stage.agent(`if (ticket === "T-1") { ${HONEST} } else { ${waits(stage)} process.exitCode = 1; }`);
      const over = { ...MERGE, limits: { attempts: 1 } };
      const run = stage.start([stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], over), "--json"], {}, program);
      await run.until(/"text":"READY"/);
      run.child.kill("SIGKILL");
      await run.ended;
      stage.batch(["T-1"], over);
      stage.write("go", "");
      const { code } = await stage.start(["batch.json", "--json"], {}, program).ended;
      if (code === 3) throw new Error("it could not be judged");
      return code === 0;
    },
  },
  {
    id: "B28",
    what: "is done in a tracker that takes the write and keeps nothing",
    defence: DEFENCES.readBack,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      stage.agent(HONEST);
      await stage.start([stage.batch(["T-1"]), "--json"], losesFirstDone(stage), program).until(/"type":"reverify-ended"/);
      readFileSync(stage.path("lost"));
      const [tracker = ""] = globSync("runs/*/tracker.json", { cwd: stage.home });
      // Whoever believed the first write was told better only at the last look.
      return readFileSync(stage.path("home", tracker), "utf8").includes("asserted again");
    },
  },
];
