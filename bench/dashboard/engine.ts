/**
 * `node bench/dashboard/engine.ts OPTIONS` (JSON, see EngineOf): a run on disk and an engine on its socket that a dashboard
 * cannot tell from a real one, with agents that only print. Prints "ready" on stdout. A number on a line of stdin sets the lines
 * per second of each agent; at the end of stdin it exits.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { newSocketPath } from "../../src/adapters/channel/socket-client.ts";
import { openChannel } from "../../src/adapters/channel/socket-server.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openRunStore } from "../../src/adapters/journal/sqlite-run-store.ts";
import { createLocks } from "../../src/adapters/locks/sqlite-locks.ts";
import { batchLock } from "../../src/cli/engine/engine-locks.ts";
import { prepareStateHome, runFolder, stateHome } from "../../src/cli/state-home.ts";
import { RunId } from "../../src/domain/values/ids.ts";
import { thinActivity } from "../../src/loop/programs/run-in.ts";
import { activityFact, agentLine, Mirror, sceneFacts } from "./scene.ts";

/** The options from the parent's command line. */
export interface EngineOf {
  readonly home: string;
  readonly tickets: number;
  readonly workers: number;
  /** Number of events in the journal before the first client. */
  readonly events: number;
  /** The run has ended: there is no engine, only its record. */
  readonly ended: boolean;
}

const of = JSON.parse(process.argv[2] ?? "{}") as EngineOf;
const home = stateHome({ LOOPDASH_HOME: of.home }, "/");
prepareStateHome(home);
const batchPath = join(of.home, "batch.json");
const run = RunId.parse("crowd-20260101-abcd");
const mirror = new Mirror();
const store = openRunStore(home.db);
writeRecord();

if (of.ended) {
  store.close();
  console.log("ready");
} else {
  await serve();
}

function writeRecord(): void {
  const journal = store.create({ run, name: "crowd", batchPath, batchFileSha: "", startedAt: Date.now() });
  for (const fact of sceneFacts({ ...of, batchPath })) mirror.take(journal.append(fact));
  for (let i = mirror.seq; i < of.events; i += 1) {
    const slot = i % of.workers;
    mirror.take(journal.append(activityFact(slot, agentLine(slot, i), 5)));
  }
  if (of.ended) {
    const end = { kind: "not-done", verdict: "not-done", exitCode: 1, reason: "the benchmark ended it" } as const;
    mirror.take(journal.append({ type: "run-ended", ...end }));
    store.end(run, { at: Date.now(), ...end });
  }
  journal.flush();
}

async function serve(): Promise<void> {
  const folder = runFolder(home, run);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = createLocks(home.locks).take([batchLock(batchPath)], { pid: process.pid, run, since: Date.now() });
  if (!lock.ok) throw new Error("the lock is taken");
  writeFileSync(join(folder, "engine.pid"), `${process.pid}\n`);
  const channel = await openChannel({
    socketPath: newSocketPath(folder),
    host: { snapshot: () => mirror.snapshot(), command: () => undefined },
    onProblem: (problem) => console.error(problem),
  });
  const agents = Array.from({ length: of.workers }, (_, slot) =>
    thinActivity(systemClock, (text, lines) => channel.publish(mirror.play(activityFact(slot, text, lines), Date.now()))),
  );
  const talk = talkers(agents);
  createInterface({ input: process.stdin })
    .on("line", (line) => talk(Number(line)))
    .on("close", () => process.exit(0));
  console.log("ready");
}

/** Makes every agent print this many lines a second, no two in step. */
function talkers(agents: readonly { line(text: string): void }[]): (perSecond: number) => void {
  let timers: readonly NodeJS.Timeout[] = [];
  // With the same start for all counts, the texts would hardly change from one update to the next.
  const said = agents.map((_, slot) => slot);
  return (perSecond) => {
    for (const timer of timers) clearInterval(timer);
    if (perSecond === 0) return;
    timers = agents.map((agent, slot) => {
      const talk = (): void => {
        const n = said[slot] ?? 0;
        said[slot] = n + 1;
        agent.line(agentLine(slot, n));
      };
      return setInterval(talk, 1_000 / perSecond + slot / 64);
    });
  };
}
