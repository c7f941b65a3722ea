import type { Scratch } from "../children.ts";
import { loopdashArgv } from "../loopdash.ts";
import { median } from "../stats.ts";
import { TICKETS, WORKERS } from "./load.ts";
import { openScreen, stageEngine, stateOf } from "./staged.ts";

const EVENTS = 200_000;
const SIZE = { cols: 120, rows: 30 } as const;

/** Milliseconds from the command to the first frame of a run of 200,000 events: at work, and ended. Medians. */
export async function attachTimes(scratch: Scratch, rounds: number): Promise<{ readonly live: number; readonly ended: number }> {
  const of = { tickets: TICKETS, workers: WORKERS, events: EVENTS };
  const times = { live: [] as number[], ended: [] as number[] };
  await using live = await stageEngine({ ...of, ...stateOf(scratch, "attach-live"), ended: false });
  await using ended = await stageEngine({ ...of, ...stateOf(scratch, "attach-ended"), ended: true });
  for (let round = 0; round < rounds; round += 1) {
    times.live.push(await firstFrame(scratch, live.home, "WORKERS"));
    times.ended.push(await firstFrame(scratch, ended.home, "NOT DONE"));
  }
  return { live: median(times.live), ended: median(times.ended) };
}

async function firstFrame(scratch: Scratch, home: string, text: string): Promise<number> {
  const screen = openScreen(scratch, home, loopdashArgv("attach"), SIZE);
  try {
    return await screen.until(() => screen.text().includes(text), { sinceStart: true });
  } finally {
    await screen.end();
  }
}
