/**
 * `node --expose-gc HARNESS OPTIONS` (JSON, see HarnessOf), bundled by harness.ts: the dashboard as it ships, in this process, on
 * a terminal that swallows what it is given. Time is simulated: what agents print in eight hours is played as fast as it goes,
 * thinned by the engine's own rule and shown at the rate at which it is shown. Prints one JSON line (see Harnessed).
 */
import { PassThrough, Writable } from "node:stream";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { renderDashboard } from "../../components/app/render-dashboard.tsx";
import { keepHeapSmall, makeRoomForFrames } from "../../src/cli/small-heap.ts";
import { thinActivity } from "../../src/loop/programs/output.ts";
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
  /** What was written, in pieces, while that is wanted. */
  readonly tape: string[] = [];
  taping: boolean;
  /** When the last byte came. */
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

/** A clock that moves when it is told to, for everything that waits. */
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

// As every dashboard.
keepHeapSmall();
makeRoomForFrames();
const of = JSON.parse(process.argv[2] ?? "{}") as HarnessOf;
const time = new Time();
const mirror = new Mirror();
for (const fact of sceneFacts({ tickets: TICKETS, workers: WORKERS, batchPath: "/batch.json" })) mirror.play(fact, time.now);
const store = createDashboardStore({ now: time.now });
// Whatever waits to be shown is shown by `show`, at the moments at which it would be.
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
  abilities: { colours: "256", background: "unknown", glyphs: "unicode", spoken: false },
});
let said = 0;
const result: Harnessed = of.measure === "frames" ? await frames() : await memory();
stdin.emit("end");
await left;
console.log(JSON.stringify(result));

/** All agents print for as long as one update waits. */
function talk(): void {
  const step = 1_000 / LINES_PER_SECOND;
  for (let ms = 0; ms < ACTIVITY_FLUSH_MS; ms += step) {
    for (const [slot, agent] of agents.entries()) agent.line(agentLine(slot, said + slot));
    said += 1;
    time.pass(step);
  }
}

/** How long it takes from an update of the store to the last byte of its frame. */
async function frames(): Promise<Harnessed> {
  const ms: number[] = [];
  const cpuMs: number[] = [];
  let start = 0;
  for (let i = 0; i < of.updates; i += 1) {
    // Apart as they are in life, so that no frame waits for the one before.
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

/** What a tenth and the whole of the output leave in memory. */
async function memory(): Promise<Harnessed> {
  const at = async (): Promise<readonly [number, number]> => {
    for (let i = 0; i < 5; i += 1) {
      globalThis.gc?.();
      // What is free V8 gives back in threads of its own.
      await sleep(200);
    }
    const { rss, heapUsed } = process.memoryUsage();
    return [rss / 2 ** 20, heapUsed / 2 ** 20];
  };
  const play = async (updates: number): Promise<void> => {
    for (let i = 0; i < updates; i += 1) {
      talk();
      feed.flush();
      // Frames are drawn in turns of their own.
      await turn();
    }
  };
  await play(Math.round(of.updates / 10));
  const [startMb, startHeapMb] = await at();
  await play(Math.round((of.updates * 9) / 10));
  const [endMb, endHeapMb] = await at();
  return { ...NOTHING, startMb, endMb, startHeapMb, endHeapMb };
}
