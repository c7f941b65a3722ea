import type { Scratch } from "../children.ts";
import { loopdashArgv } from "../loopdash.ts";
import { median } from "../stats.ts";
import { TICKETS, WORKERS } from "./load.ts";
import { openScreen, stageEngine, stateOf } from "./staged.ts";

const EVENTS = 200_000;
const SIZE = { cols: 120, rows: 30 } as const;

/** Milliseconds from the command to the first frame that shows a run of 200,000 events. Medians, but for `unkept`. */
export interface AttachTimes {
  /** A run at work. */
  readonly live: number;
  /** A run that has ended. */
  readonly ended: number;
  /** A run that has ended, and of which nothing but its journal is there: its state was never kept. Once: the look keeps it. */
  readonly unkept: number;
}

/**
 * The staged engine writes a journal and no more. The engine that ships keeps the state at the end of a run as well, so that nobody
 * reads 200,000 events; so does the program that reads a journal whole. The first look therefore makes of the record what a run
 * leaves, by the program that ships: another one's state would not be taken.
 */
export async function attachTimes(scratch: Scratch, rounds: number): Promise<AttachTimes> {
  const of = { tickets: TICKETS, workers: WORKERS, events: EVENTS };
  const times = { live: [] as number[], ended: [] as number[] };
  await using live = await stageEngine({ ...of, ...stateOf(scratch, "attach-live"), ended: false });
  await using ended = await stageEngine({ ...of, ...stateOf(scratch, "attach-ended"), ended: true });
  const unkept = await firstFrame(scratch, ended.home, "NOT DONE");
  for (let round = 0; round < rounds; round += 1) {
    times.live.push(await firstFrame(scratch, live.home, `WORKERS ${WORKERS} of ${WORKERS}`));
    times.ended.push(await firstFrame(scratch, ended.home, "NOT DONE"));
  }
  return { live: median(times.live), ended: median(times.ended), unkept };
}

async function firstFrame(scratch: Scratch, home: string, text: string): Promise<number> {
  const screen = openScreen(scratch, home, loopdashArgv("attach"), SIZE);
  try {
    return await screen.until(() => screen.text().includes(text), { sinceStart: true });
  } finally {
    await screen.end();
  }
}
