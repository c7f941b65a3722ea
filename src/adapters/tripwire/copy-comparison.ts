import type { Judgement } from "../../domain/run/event.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { firstFewLine } from "../../domain/values/text.ts";
import type { FrozenProgram, Judging, OracleBatch, ReadListing } from "../../ports/oracle.ts";
import { type Copy, copyTracker, isSameCopy, placeCopy, type Reopened, reopened, stillOpen } from "./copied-tracker.ts";
import { findFirstProblem } from "./in-turns.ts";
import { judgeWithRetry, MachineFault } from "./machine-fault.ts";
import { reopenings } from "./reopenings.ts";
import type { DecoyFolders } from "./write-tracker.ts";

/** Copies judged in parallel: fewer while other work is running. */
const AT_A_TIME = { background: 2, now: 4 };

/** Attempts to judge the real tracker if it changes meanwhile. */
const MAX_ATTEMPTS = 3;

/** The number of tickets that a problem names. */
const NAMED = 3;

export interface CopyComparisonOptions {
  readonly program: FrozenProgram;
  /** The batch as it has grown so far; asked again for each judgement. */
  readonly batch: () => OracleBatch;
  readonly plain: boolean;
  readonly hides: DecoyFolders;
  /** Reads a tracker behind a program; needed only for one. */
  readonly listing?: ReadListing | undefined;
}

/** The same options for one judgement of one batch. */
interface Judged extends Omit<CopyComparisonOptions, "batch"> {
  readonly batch: OracleBatch;
}

export interface JudgementRequest {
  readonly signal: AbortSignal | undefined;
  readonly how: "background" | undefined;
}

/** A judgement of the real tracker, and the contradictions of its copies. */
export interface CopyComparison {
  readonly judgement: Judgement;
  /** The oracle's evidence on each ticket, if it gave any. */
  readonly evidence: Judging["evidence"] | undefined;
  readonly problem?: string;
  /** True if the copies were judged: not while the real tracker keeps changing, nor if it cannot be judged. */
  readonly compared: boolean;
}

/**
 * Judges the real tracker, then copies of it in places like those of the canaries. An exact copy must be judged alike. If the
 * verdict is done, no copy with a reopened ticket may be done; each ticket of the batch is reopened in one of them. So an oracle
 * contradicts itself if it tells the real tracker from a canary by anything but its tickets (path, age, hour, priority), or one
 * ticket from the others. `only` names the verdict to confirm; without it, both are. Throws a MachineFault if the tracker cannot
 * be copied, or if the oracle cannot be run.
 */
export async function judgeWithCopies(
  options: CopyComparisonOptions,
  asked: JudgementRequest,
  only?: "done",
): Promise<CopyComparison> {
  for (let attempt = 1; ; attempt += 1) {
    const batch = options.batch();
    const before = await copyOrWhyNot(batch, options.listing);
    const real = await options.program.judge(batch, asked.signal, asked.how);
    const { judgement } = real;
    const judged = { judgement, evidence: real.evidence };
    if (judgement.verdict === "unjudged" || (only !== undefined && judgement.verdict !== only))
      return { ...judged, compared: false };
    const after = await copyOrWhyNot(batch, options.listing);
    const whyNot = [before, after].find((copy) => copy instanceof Error);
    if (whyNot !== undefined) throw new MachineFault(`the tracker could not be copied: ${whyNot.message}`, { cause: whyNot });
    if (isSameCopy(before as Copy, after as Copy)) {
      const problem = await contradiction({ ...options, batch }, real, before as Copy, asked);
      return { ...judged, compared: true, problem };
    }
    if (attempt === MAX_ATTEMPTS) return { ...judged, compared: false };
  }
}

function copyOrWhyNot(batch: OracleBatch, listing: ReadListing | undefined): Promise<Copy | Error> {
  return copyTracker(batch, listing).catch((cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause))));
}

async function contradiction(judged: Judged, real: Judging, copy: Copy, asked: JudgementRequest): Promise<string | undefined> {
  if (real.judgement.verdict !== "done") return unlike(real, await judgeCopy(judged, copy, asked));
  const { tracker, tickets } = judged.batch;
  const open = stillOpen(tracker, copy, tickets);
  if (open.length > 0) return `the tracker is judged ${words(real)}, and in it ${named(open)} open`;
  const opened = allReopened(judged, copy);
  const atATime = asked.how === "background" ? AT_A_TIME.background : AT_A_TIME.now;
  return findFirstProblem(["same", ...opened] as const, { atATime, signal: asked.signal }, async (twin) => {
    if (twin === "same") return unlike(real, await judgeCopy(judged, copy, asked));
    return stillDone(await judgeCopy(judged, twin.copy, asked), twin.ids, judged.plain);
  });
}

/** Throws if a ticket cannot be found in the copy; a user's own oracle may read forms that loopdash does not know. */
function allReopened({ batch, plain }: Judged, copy: Copy): readonly Reopened[] {
  const { tracker, tickets } = batch;
  const opened = reopenings(tickets, plain).map((ids) => {
    const twin = reopened(tracker, copy, ids);
    if (plain || twin.ids.length === ids.length) return twin;
    throw new Error(`not all of ${ids.slice(0, NAMED).join(", ")} are found in a copy of the tracker`);
  });
  const found = opened.filter((twin) => twin.ids.length > 0);
  if (found.length === 0) throw new Error("no ticket of the batch is found in a copy of the tracker");
  return found;
}

async function judgeCopy({ hides, program, batch }: Judged, copy: Copy, { signal, how }: JudgementRequest): Promise<Judging> {
  const place = await hides.make(batch.tracker.kind);
  try {
    await placeCopy(place, copy);
    // A copy has the keys of the real tickets.
    const tracker = "keys" in place && "keys" in batch.tracker ? { ...batch.tracker, file: place.file } : place;
    return await judgeWithRetry(() => program.judge({ ...batch, tracker }, signal, how), signal);
  } finally {
    await hides.remove(place);
  }
}

function unlike(real: Judging, twin: Judging): string | undefined {
  const key = ({ judgement: { verdict, counts, open }, exitCode }: Judging) => JSON.stringify([verdict, counts, open, exitCode]);
  if (key(real) === key(twin)) return undefined;
  return `the tracker is judged ${words(real)}, and an exact copy of it ${words(twin)}`;
}

function stillDone(opened: Judging, ids: readonly TicketId[], plain: boolean): string | undefined {
  const { judgement, exitCode } = opened;
  const right = judgement.verdict === "not-done" && exitCode === 1;
  if (right && (plain || isAbout(judgement, ids))) return undefined;
  return `a copy of the tracker in which ${named(ids)} open is judged ${words(opened)}`;
}

/** True if exactly these tickets are open, by number and by name; a judgement names only the first of many. */
function isAbout({ counts, open }: Judgement, ids: readonly TicketId[]): boolean {
  return counts.open === ids.length && open.length > 0 && open.every((id, at) => id === ids[at]);
}

function named(ids: readonly TicketId[]): string {
  return `${firstFewLine(ids, NAMED)} ${ids.length === 1 ? "is" : "are"}`;
}

function words({ judgement: { verdict, counts, problem } }: Judging): string {
  if (verdict === "unjudged") return `unjudged (${problem?.slice(0, 200) ?? "no reason given"})`;
  return `${verdict} (${counts.done} done, ${counts.gated} gated, ${counts.open} open)`;
}
