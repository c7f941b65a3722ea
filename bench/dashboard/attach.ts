import type { Scratch } from "../children.ts";
import { loopdashArgv } from "../loopdash.ts";
import { median } from "../stats.ts";
import { TICKETS, WORKERS } from "./load.ts";
import { openScreen, stageEngine, stateOf } from "./staged.ts";

const EVENTS = 200_000;
const SIZE = { cols: 120, rows: 30 } as const;

/** Milliseconds from the command to the first frame that shows a run of 200,000 events. Medians, except `unkept`. */
export interface AttachTimes {
  /** A live run. */
  readonly live: number;
  /** A run that has ended. */
  readonly ended: number;
  /** An ended run with only a journal: its state was never kept. Measured once, because attaching keeps it. */
  readonly unkept: number;
}

/**
 * The staged engine writes only a journal. The shipped engine also keeps the state at the end of a run, so that nobody reads
 * 200,000 events; so does a program that reads a whole journal. The first attach therefore completes the record with the shipped
 * program: another program's state would be rejected.
 */
export async function attachTimes(scratch: Scratch, rounds: number): Promise<AttachTimes> {
  const of = { tickets: TICKETS, workers: WORKERS, events: EVENTS };
  const times = { live: [] as number[], ended: [] as number[] };
  await using live = await stageEngine({ ...of, ...stateOf(scratch, "attach-live"), ended: false });
  await using ended = await stageEngine({ ...of, ...stateOf(scratch, "attach-ended"), ended: true });
  const unkept = await firstFrame(scratch, ended.home, "NOT DONE");
  for (let round = 0; round < rounds; round += 1) {
    times.live.push(await firstFrame(scratch, live.home, `AT WORK ${WORKERS} of ${WORKERS}`));
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
