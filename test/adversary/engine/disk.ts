import { SmallDisk } from "../../e2e/small-disk.ts";
import { eventsOf, HONEST, PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

/** How an agent fills the disk. `mended` is a file: where it is there, the agent is honest. */
interface Filling {
  readonly id: string;
  readonly what: string;
  /** Body of the agent that does it. It never ends by itself and does not heed SIGTERM. */
  readonly fill: string;
  readonly told: RegExp;
  readonly ticket?: object;
}

const STAY = 'process.on("SIGTERM", () => {}); const stay = async () => { for (;;) { say("busy"); await wait(50); } };';
const WRITE = (path: string) =>
  `{ const file = fs.openSync(${path}, "w"); const piece = Buffer.alloc(1 << 20, 1); try { for (;;) fs.writeSync(file, piece); } catch {} }`;
const OUTBOX = "process.env.LOOPDASH_OUTBOX";

const FILLINGS: readonly Filling[] = [
  {
    id: "F16",
    what: "fills its outbox until the disk is full, and stays",
    fill: `${STAY} ${WRITE(`${OUTBOX} + "/notes.md"`)} await stay();`,
    told: /filled (?:its outbox|the disk)/,
  },
  {
    id: "F16-leaves",
    what: "fills its outbox until the disk is full, and is gone before anybody looks",
    fill: `${WRITE(`${OUTBOX} + "/big"`)} process.exit(1);`,
    told: /filled (?:its outbox|the disk)|exited with code 1/,
  },
  {
    id: "F16-worktree",
    what: "fills its worktree until the disk is full",
    fill: `${STAY} ${WRITE('"big.bin"')} await stay();`,
    told: /filled the disk: its folders hold/,
  },
  {
    id: "F16-entries",
    what: "makes files in its outbox until the disk has room for no more names",
    fill: `${STAY} fs.mkdirSync(${OUTBOX} + "/discovered"); try { for (let i = 0; ; i++) fs.writeFileSync(${OUTBOX} + "/discovered/" + i + ".json", "{}"); } catch {} await stay();`,
    told: /filled (?:its outbox|the disk)/,
  },
];

/** The run is not stopped by it, the ticket beside it lands, the evidence says it, and the same command continues. */
async function survives(program: string, { fill, told }: Filling): Promise<boolean> {
  using stage = new Stage();
  const home = stage.path("small");
  using disk = await SmallDisk.at(home);
  stage.repo("app");
  const mended = JSON.stringify(stage.path("mended"));
  const proven = JSON.stringify(stage.path("proven"));
  const bad = `while (!fs.existsSync(${proven})) await wait(20);
    if (ticket === "T-1" && !fs.existsSync(${mended})) { ${fill} }`;
  // The other works until the disk is full, for a while after that, and until there is room for its commit.
  const room = `(() => { try { fs.writeFileSync("../room", Buffer.alloc(4 << 20, 1)); return true; } catch { return false; } finally { fs.rmSync("../room", { force: true }); } })()`;
  const beside = `if (ticket === "T-2") for (let i = 0; i < 40 || !${room}; i++) { say("at work " + i); await wait(50); }`;
  stage.agent(`${bad} ${beside} ${HONEST}`);
  const batch = stage.batch(["T-1", "T-2"], { limits: { attempts: 1, minutesPerAttempt: program === PROGRAM ? 4 : 0.4 } });
  const env = { LOOPDASH_HOME: home };
  const run = stage.start([batch, "--json"], env, program, disk.by);
  // A disk that is full while the oracle is proven is another matter (see outage.test.ts). Without its proof it says nothing of that.
  if (program === PROGRAM) await run.until(/"type":"tripwire-ended"/);
  stage.write("proven", "");
  const first = await run.ended;
  const ended = eventsOf(first.stdout).find((e) => e.type === "attempt-ended" && e.ticket === "T-1");
  const evidence = ended?.type === "attempt-ended" ? (ended.evidence?.summary ?? "") : "";
  const stayed =
    first.code === 1 && !/had to stop|defect/.test(first.stderr) && stage.landed().includes("T-2") && told.test(evidence);
  if (!stayed && program === PROGRAM)
    console.error(first.code, first.stderr, evidence, stage.landed(), first.stdout.slice(-1_500));
  stage.write("mended", "");
  const second = await stage.start([batch, "--headless"], env, program, disk.by).ended;
  return stayed && second.code === 0 && stage.landed().includes("T-1");
}

/** Agents that fill the disk of the run. */
export const DISK: readonly Attack[] = FILLINGS.map((filling) => ({
  id: filling.id,
  what: filling.what,
  defence: DEFENCES.disk,
  succeeds: async (program) => !(await survives(program, filling)),
}));
