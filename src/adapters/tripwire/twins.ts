import type { Judgement } from "../../domain/event.ts";
import type { FrozenProgram, Judging, OracleBatch } from "../../ports/oracle.ts";
import { type Copy, copyTracker, isSameCopy, placeCopy, reopened } from "./copied-tracker.ts";
import type { Hides } from "./hides.ts";

/** How often the real tracker is judged again where it changed meanwhile. */
const TRIES = 3;

export interface TwinOptions {
  readonly program: FrozenProgram;
  readonly batch: OracleBatch;
  readonly plain: boolean;
  readonly hides: Hides;
}

export interface Asked {
  readonly signal: AbortSignal | undefined;
  readonly how: "background" | undefined;
}

/** A judgement of the real tracker, and what a twin of that tracker says against it. */
export interface TwinJudged {
  readonly judgement: Judgement;
  readonly problem?: string;
  /** Whether the twins were judged: not while the real tracker keeps changing, nor where it cannot be judged. */
  readonly compared: boolean;
}

/**
 * Judges the real tracker, and then copies of it in places like those of the canaries: an exact one must be judged alike, and
 * where the verdict is done, one with a single ticket reopened must not be. So an oracle that tells the real tracker from a
 * canary by anything but its tickets (path, age, hour, priority) contradicts itself. `only` names the verdict that is to be
 * borne out; without it both are.
 */
export async function judgeWithTwins(of: TwinOptions, asked: Asked, only?: "done"): Promise<TwinJudged> {
  for (let tries = 1; ; tries += 1) {
    const before = await copyOrWhyNot(of.batch.tracker);
    const real = await of.program.judge(of.batch, asked.signal, asked.how);
    const { judgement } = real;
    if (judgement.verdict === "unjudged" || (only !== undefined && judgement.verdict !== only))
      return { judgement, compared: false };
    const after = await copyOrWhyNot(of.batch.tracker);
    const whyNot = [before, after].find((copy) => copy instanceof Error);
    if (whyNot !== undefined)
      return { judgement, problem: `the tracker could not be copied: ${whyNot.message}`, compared: false };
    if (isSameCopy(before as Copy, after as Copy)) {
      const problem = await contradiction(of, real, before as Copy, asked);
      return { judgement, compared: true, ...(problem === undefined ? {} : { problem }) };
    }
    if (tries === TRIES) return { judgement, compared: false };
  }
}

function copyOrWhyNot(place: OracleBatch["tracker"]): Promise<Copy | Error> {
  return copyTracker(place).catch((cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause))));
}

async function contradiction(of: TwinOptions, real: Judging, copy: Copy, asked: Asked): Promise<string | undefined> {
  const judge = (twin: Copy) => judgeCopy(of, twin, asked);
  if (real.judgement.verdict !== "done") return unlike(real, await judge(copy));
  const other = reopened(of.batch.tracker.kind, copy, of.batch.tickets);
  const [same, opened] = await Promise.all([judge(copy), judge(other.copy)]);
  return unlike(real, same) ?? stillDone(opened, other.id, of.plain);
}

async function judgeCopy({ hides, program, batch }: TwinOptions, copy: Copy, { signal, how }: Asked): Promise<Judging> {
  const place = await hides.make(batch.tracker.kind);
  try {
    await placeCopy(place, copy);
    const judged = await program.judge({ ...batch, tracker: place }, signal, how);
    return judged.exitCode !== undefined ? judged : await program.judge({ ...batch, tracker: place }, signal, how);
  } finally {
    await hides.remove(place);
  }
}

function unlike(real: Judging, twin: Judging): string | undefined {
  const key = ({ judgement: { verdict, counts, open }, exitCode }: Judging) => JSON.stringify([verdict, counts, open, exitCode]);
  if (key(real) === key(twin)) return undefined;
  return `the tracker is judged ${words(real)}, and an exact copy of it ${words(twin)}`;
}

function stillDone(opened: Judging, id: string, plain: boolean): string | undefined {
  const { judgement, exitCode } = opened;
  const right = judgement.verdict === "not-done" && exitCode === 1;
  if (right && (plain || (judgement.open.length === 1 && judgement.open[0] === id))) return undefined;
  return `a copy of the tracker in which ${id} is open is judged ${words(opened)}`;
}

function words({ judgement: { verdict, counts, problem } }: Judging): string {
  if (verdict === "unjudged") return `unjudged (${problem?.slice(0, 200) ?? "no reason given"})`;
  return `${verdict} (${counts.done} done, ${counts.gated} gated, ${counts.open} open)`;
}
