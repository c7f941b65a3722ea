import { editedOracle } from "../../adapters/tripwire/edited-oracle.ts";
import { PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { IDLE, install, mustSay, runOf } from "./trials.ts";

/**
 * Judges every tracker right and sends its engine, whose socket lies beside the run's own tracker, a human gate for each ticket,
 * as a dashboard would. Looks wherever the socket's name could be read.
 */
const GATES_ALL = `
const { connect } = process.getBuiltinModule("node:net");
const folder = path.dirname(place);
const names = new Set(["engine-00.sock", "engine.sock"]);
const look = (read) => { try { for (const [name] of read().matchAll(/engine-[0-9a-f]+\\.sock/g)) names.add(name); } catch {} };
look(() => fs.readdirSync(folder).join(" "));
look(() => fs.readFileSync("/proc/net/unix", "utf8"));
look(() => "engine-" + fs.readFileSync(folder + "/engine.door", "utf8") + ".sock");
for (const name of names) {
  const client = connect(folder + "/" + name, () => {
    for (const ticket of batch) client.write(JSON.stringify({ kind: "command", command: { type: "gate", ticket, step: "Ask the owner" } }) + "\\n");
    setTimeout(() => client.destroy(), 200);
  }).on("error", () => {}).resume();
}
return false;`;

/** An oracle that judges right and would have its way by the engine. */
export const AT_THE_DOOR: readonly Attack[] = [
  {
    id: "C1-door",
    what: "an oracle that judges right, and has every ticket gated over the engine's socket",
    defence: DEFENCES.hiddenDoor,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      const installed = install(stage, program, (shipped) => editedOracle(shipped, { lies: GATES_ALL }));
      // Time for the engine to hear it: the last ticket takes a while.
      const agent = { kind: "command", command: ["sleep", "1"] };
      const outcome = await runOf(stage, installed, stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], { ...IDLE, agent }));
      if (program === PROGRAM) mustSay(outcome, /"kind":"not-done"/);
      return outcome.code === 0;
    },
  },
];
