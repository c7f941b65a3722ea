import { expect } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { patientAgent } from "./actors.ts";
import { Pointer } from "./pointer.ts";
import type { Pty, PtySize, terminals } from "./pty.ts";
import type { Stage } from "./stage.ts";

type Open = ReturnType<typeof terminals>;

const END = "\u001b[F";
/** Columns and rows that show the overview side by side. */
export const WIDE = { columns: 120, rows: 30 };

/** A sight: a text is not on the screen. */
export const without = (text: string) => (screen: string) => !screen.includes(text);
/** Two runs on record: one that an engine left in the middle, which is shown at its end, where it stands still; and one that is done. */
export async function recorded(open: Open, stage: Stage, size: PtySize = WIDE): Promise<Pointer> {
  record(stage.home, plumbingEnded(), { run: "over-1", batchPath: "/work/over.json" });
  const { run } = record(stage.home, plumbing());
  const pty = open(stage, ["replay", run], size);
  await pty.waitFor(/^ ▷ REPLAY[^]*[▷‖] /);
  await pty.press(END, /▶ T-7[^]*‖ (?:stopped )?00:45:13/);
  return new Pointer(pty);
}

/** The one that is done, and the other beside it. */
export async function recordedAndDone(open: Open, stage: Stage, size: PtySize = WIDE): Promise<Pointer> {
  record(stage.home, plumbing());
  record(stage.home, plumbingEnded(), { run: "over-1", batchPath: "/work/over.json" });
  const pty = open(stage, ["attach", "over-1"], size);
  await pty.waitFor(/^ ✔ DONE[^]*(?:─ TICKETS|YOURS)/);
  return new Pointer(pty);
}

/** A run at work, whose agents wait. */
export async function atWork(open: Open, stage: Stage, tickets: readonly string[] = ["T-1", "T-2"]): Promise<Pointer> {
  stage.repo("app");
  patientAgent(stage);
  const pty = open(stage, [stage.batch(tickets, { limits: { minutesPerAttempt: 30, silenceMinutes: 30 } })], WIDE);
  await pty.waitFor(new RegExp(tickets.map((id) => `READY ${id}`).join("[^]*")));
  return new Pointer(pty);
}

/** Leaves a run at work, which goes on. */
export async function leaves(pty: Pty): Promise<void> {
  await pty.press("q", "Leave the dashboard");
  pty.type("d");
  expect(await pty.exitCode()).toBe(130);
}

/** What the rows say that are marked as selected, without the mark. */
export function marked(screen: string): readonly string[] {
  return screen.split("\n").flatMap((line) => /▌(\S .*)$/.exec(line)?.[1] ?? []);
}

/** A sight: one row is marked, and it is that of the ticket. */
export const selects = (id: string) => (screen: string) =>
  marked(screen).length === 1 && new RegExp(`^\\S ${id}\\b`).test(marked(screen)[0] ?? "");
