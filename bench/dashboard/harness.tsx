/**
 * `node --expose-gc HARNESS OPTIONS` (JSON, see HarnessOf), bundled by harness.ts: the shipped dashboard in this process, on a
 * terminal that discards its input. Time is simulated: eight hours of agents' output are played at full speed, thinned by the
 * engine's own rule and shown at the real rate. Prints one JSON line (see Harnessed).
 */
import { PassThrough, Writable } from "node:stream";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { renderDashboard } from "../../components/app/render-dashboard.tsx";
import { keepHeapSmall, makeRoomForFrames } from "../../src/cli/small-heap.ts";
import { thinActivity } from "../../src/loop/programs/run-in.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { ACTIVITY_FLUSH_MS, createFeed } from "../../src/store/feed.ts";
import type { Harnessed, HarnessOf } from "./harness.ts";
import { activityFact, agentLine, Mirror, sceneFacts } from "./scene.ts";

const WORKERS = 64;
const TICKETS = 500;
const LINES_PER_SECOND = 20;

const NOTHING: Harnessed = {
  ms: [],
  cpuMs: [],
  before: "",
  written: "",
  startMb: 0,
  endMb: 0,
  startHeapMb: 0,
  endHeapMb: 0,
};

class Sink extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  /** The written pieces, while recording. */
  readonly tape: string[] = [];
  taping: boolean;
  /** Time of the last byte. */
  at = 0;

  constructor(harnessOf: HarnessOf) {
    super({ decodeStrings: false });
    this.columns = harnessOf.cols;
    this.rows = harnessOf.rows;
    this.taping = harnessOf.measure === "frames";
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    if (this.taping) this.tape.push(chunk);
    this.at = performance.now();
    done();
  }
}

class Keys extends PassThrough {
  readonly isTTY = true;
  setRawMode = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
}

/** A manual clock for everything that waits. */
class Time {
  now = Date.UTC(2026, 0, 1);
  #waiting: { at: number; task: () => void }[] = [];

  readonly after = (ms: number, task: () => void): (() => void) => {
    const one = { at: this.now + ms, task };
    this.#waiting.push(one);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    };
  };

  pass(ms: number): void {
    this.now += ms;
    const due = this.#waiting.filter((one) => one.at <= this.now);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => one.at > this.now);
    for (const { task } of due) task();
  }
}

// As in every dashboard.
keepHeapSmall();
makeRoomForFrames();
const of = JSON.parse(process.argv[2] ?? "{}") as HarnessOf;
const time = new Time();
const mirror = new Mirror();
for (const fact of sceneFacts({ tickets: TICKETS, workers: WORKERS, batchPath: "/batch.json" })) mirror.play(fact, time.now);
const store = createDashboardStore({ now: time.now });
// `show` shows all pending updates, at the times at which the real feed would.
const feed = createFeed(store, { now: () => time.now, schedule: () => () => undefined });
const clock = { now: () => time.now, after: time.after };
const agents = Array.from({ length: WORKERS }, (_, slot) =>
  thinActivity(clock, (text, lines) => {
    feed.take({ kind: "event", event: mirror.play(activityFact(slot, text, lines), time.now) });
  }),
);
const stdout = new Sink(of);
const stdin = new Keys();
feed.take(mirror.snapshot());
const left = renderDashboard({
  store: { ...store, tick: () => store.tick(time.now) },
  stdout,
  stdin: stdin as unknown as NodeJS.ReadableStream,
  capabilities: { colours: "256", background: "unknown", glyphs: "unicode", hasScreenReader: false },
});
let said = 0;
const result: Harnessed = of.measure === "frames" ? await frames() : await memory();
stdin.emit("end");
await left;
console.log(JSON.stringify(result));

/** All agents print for the time of one update. */
function talk(): void {
  const step = 1_000 / LINES_PER_SECOND;
  for (let ms = 0; ms < ACTIVITY_FLUSH_MS; ms += step) {
    for (const [slot, agent] of agents.entries()) agent.line(agentLine(slot, said + slot));
    said += 1;
    time.pass(step);
  }
}

/** Measures the time from an update of the store to the last byte of its frame. */
async function frames(): Promise<Harnessed> {
  const ms: number[] = [];
  const cpuMs: number[] = [];
  let start = 0;
  for (let i = 0; i < of.updates; i += 1) {
    // Spaced as in real use, so that no frame waits for the previous one.
    await sleep(40);
    const before = stdout.tape.length;
    if (i === Math.floor(of.updates / 4)) start = before;
    talk();
    const from = performance.now();
    const cpu = process.cpuUsage();
    feed.flush();
    await turn();
    const { user, system } = process.cpuUsage(cpu);
    if (stdout.tape.length === before) continue;
    ms.push(stdout.at - from);
    cpuMs.push((user + system) / 1_000);
  }
  stdout.taping = false;
  const [before, written] = [stdout.tape.slice(0, start).join(""), stdout.tape.slice(start).join("")];
  return { ...NOTHING, ms, cpuMs, before, written };
}

/** Measures memory after a tenth and after all of the output. */
async function memory(): Promise<Harnessed> {
  const at = async (): Promise<readonly [number, number]> => {
    for (let i = 0; i < 5; i += 1) {
      globalThis.gc?.();
      // V8 returns free memory in threads of its own.
      await sleep(200);
    }
    const { rss, heapUsed } = process.memoryUsage();
    return [rss / 2 ** 20, heapUsed / 2 ** 20];
  };
  const play = async (updates: number): Promise<void> => {
    for (let i = 0; i < updates; i += 1) {
      talk();
      feed.flush();
      // Ink draws frames in turns of their own.
      await turn();
    }
  };
  await play(Math.round(of.updates / 10));
  const [startMb, startHeapMb] = await at();
  await play(Math.round((of.updates * 9) / 10));
  const [endMb, endHeapMb] = await at();
  return { ...NOTHING, startMb, endMb, startHeapMb, endHeapMb };
}
