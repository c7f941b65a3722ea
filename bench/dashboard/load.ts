import { setTimeout as sleep } from "node:timers/promises";
import { runSocketPath } from "../../src/adapters/channel/socket-client.ts";
import type { Scratch } from "../children.ts";
import type { BenchOptions } from "../figure.ts";
import { loopdashArgv } from "../loopdash.ts";
import { cpuPercent } from "../processes.ts";
import { quantile, seededRandom } from "../stats.ts";
import { bundleProgram } from "./harness.ts";
import { countChanges, type FrameBytes, type Screen, type Size } from "./screen.ts";
import { openScreen, stageEngine, stateOf } from "./staged.ts";

/** Shows all 64 workers and their output. */
export const LARGE: Size = { cols: 200, rows: 80 };
export const WORKERS = 64;
export const TICKETS = 500;
const LINES_PER_SECOND = 20;

/** The costs of a program that watches 64 busy agents. */
export interface LoadCosts {
  /** Shares of a core, in per cent: with silent agents, and with printing agents. */
  readonly idle: number;
  readonly busy: number;
  readonly changes: FrameBytes;
  /** Milliseconds from a key to the first byte of its effect, 99th percentile. */
  readonly keyMs: number;
  /** Megabytes a second on the terminal. */
  readonly bytesPerSecond: number;
}

/** Measures the installed dashboard on a large terminal. */
export async function loadOfDashboard(scratch: Scratch, options: BenchOptions): Promise<LoadCosts> {
  return loadOf(scratch, options, "dashboard", () => loopdashArgv("attach"));
}

/** Measures a plain Ink program on the same events. */
export async function loadOfPlain(scratch: Scratch, options: BenchOptions): Promise<LoadCosts> {
  const program = await bundleProgram(scratch, "plain.tsx");
  return loadOf(scratch, options, "plain", (home) => ["node", program, runSocketPath(`${home}/runs/crowd-20260101-abcd`)]);
}

async function loadOf(
  scratch: Scratch,
  options: BenchOptions,
  name: string,
  argvOf: (home: string) => readonly [string, ...string[]],
): Promise<LoadCosts> {
  const seconds = options.quick ? 4 : 15;
  await using engine = await stageEngine({
    ...stateOf(scratch, name),
    tickets: TICKETS,
    workers: WORKERS,
    events: 0,
    ended: false,
  });
  const screen = openScreen(scratch, engine.home, argvOf(engine.home), LARGE);
  try {
    screen.record();
    await screen.until(() => screen.text().includes("CORE-64"));
    await sleep(2_000);
    const [idle = Number.NaN] = await cpuPercent([screen.pid], seconds);
    engine.talk(LINES_PER_SECOND);
    await sleep(2_000);
    const before = screen.recorded();
    const [busy = Number.NaN] = await cpuPercent([screen.pid], seconds);
    const written = screen.recorded().slice(before.length);
    const keyMs = quantile(await keysToPaint(screen, options.quick ? 50 : 300), 0.99);
    const changes = await countChanges({ before, written, size: LARGE });
    return { idle, busy, changes, keyMs, bytesPerSecond: Buffer.byteLength(written) / seconds };
  } finally {
    await screen.end();
  }
}

/** Moves the selection repeatedly, at random moments, while the agents keep printing. */
async function keysToPaint(screen: Screen, presses: number): Promise<readonly number[]> {
  const random = seededRandom(3);
  const selected = () => screen.lines().findIndex((line) => line.startsWith("▌"));
  screen.press("jjj");
  await screen.until(() => selected() !== -1);
  const times: number[] = [];
  for (let i = 0; i < presses; i += 1) {
    await sleep(20 + random() * 100);
    const was = selected();
    const shown = screen.until(() => selected() !== was);
    screen.press(i % 20 < 10 ? "j" : "k");
    times.push(await shown);
  }
  return times;
}
