import type { HealOutcome } from "../run/heal-fact.ts";
import type { PastHeal } from "../run/heals-state.ts";
import type { RunState } from "../run/state.ts";
import { healKeepMode } from "../schedule/heal.ts";
import type { TicketId } from "../values/ids.ts";
import { plainLines, plainText } from "../values/text.ts";

/** A command that fails because of a wall: its line, its exit code, and the end of its output. */
export interface HealEvidence {
  readonly command: string;
  readonly exitCode: number;
  readonly output: string;
}

/** Characters of a command and of its output in a report. The journal holds more. */
const COMMAND_CHARS = 200;
const OUTPUT_CHARS = 1_000;

/** The evidence of a wall, safe for a terminal. */
export function wallEvidence({ wall }: Pick<PastHeal, "wall">): readonly HealEvidence[] {
  return (wall?.evidence ?? []).map(({ command, exitCode, output }) => ({
    command: plainText(command.join(" "), COMMAND_CHARS),
    exitCode,
    output: plainLines(output.slice(-OUTPUT_CHARS), { maxLines: 40 }).join("\n"),
  }));
}

/** The evidence of the wall for which a ticket was left to a person with this step; empty if there is none. */
export function evidenceOfGate({ heals }: Pick<RunState, "heals">, ticket: TicketId, step: string): readonly HealEvidence[] {
  const heal = heals.past.findLast(
    ({ wall, answer }) => wall?.humanStep === step && answer?.prediction.includes(ticket) === true,
  );
  return heal === undefined ? [] : wallEvidence(heal);
}

/** A piece of evidence as one line, with the last thing that the command printed. */
export function evidenceLine({ command, exitCode, output }: HealEvidence): string {
  const last = output.split("\n").findLast((line) => line.trim() !== "");
  return `${command} exited with code ${exitCode}${last === undefined ? "" : `: ${plainText(last, 200)}`}`;
}

/** The result of a heal. Part of the contract of `report --json`. */
export interface HealResult {
  readonly n: number;
  /** The repository that it is about. */
  readonly repo: string | null;
  readonly outcome: HealOutcome | "reverted";
  /** Its own diagnosis: a gap in what agents are told, or a wall outside the code; null if it gave none. */
  readonly kind: "gap" | "wall" | null;
  readonly rootCause: string | null;
  readonly change: string | null;
  /** The commands that show a wall, with what they printed: bounded, and safe for a terminal. Empty for a gap. */
  readonly evidence: readonly HealEvidence[];
  /** The tickets that it predicted to move, those that were stalled before it, and those of them that landed after it. */
  readonly prediction: readonly string[];
  readonly stalled: readonly string[];
  readonly moved: readonly string[];
  readonly changed: readonly string[];
  /** `yes`: later runs on the repository begin with it; `waiting`: a person has to keep it first. */
  readonly kept: "yes" | "waiting" | "no";
  /** The reason why it is kept or not, in one line. */
  readonly why: string;
  readonly costUsd: number;
}

/** The heals of a run, oldest first, without one that is under way. */
export function listHealResults({ heals, batch }: Pick<RunState, "heals" | "batch">): readonly HealResult[] {
  return heals.past.map((heal) => healResult(heal, batch));
}

/** The result of one heal. */
export function healResult(heal: PastHeal, batch: RunState["batch"]): HealResult {
  const { n, repo = null, outcome, answer, stalled, moved, changed, costUsd, reverted } = heal;
  return {
    n,
    repo,
    outcome: reverted === undefined ? outcome : "reverted",
    kind: answer?.kind ?? null,
    rootCause: answer?.rootCause ?? null,
    change: answer?.change ?? null,
    evidence: wallEvidence(heal),
    prediction: answer?.prediction ?? [],
    stalled,
    moved,
    changed,
    ...keptStatus(heal, batch),
    costUsd,
  };
}

function keptStatus(heal: PastHeal, batch: RunState["batch"]): Pick<HealResult, "kept" | "why"> {
  const { keep, outcome, reverted, moved } = heal;
  const no = (why: string) => ({ kept: "no", why }) as const;
  if (reverted !== undefined) return no(`the tripwire rejected it: ${reverted}`);
  if (outcome !== "accepted") return no(heal.why);
  if (keep?.as === "kept") return { kept: "yes", why: keep.why };
  if (keep?.as === "waiting") return { kept: "waiting", why: keep.why };
  if (keep?.as === "failed") return no(keep.why);
  if (moved.length === 0) return no("no ticket that had stalled has landed after it");
  return healKeepMode(batch) === "never" ? no("the batch says so (heals.keep)") : no("it is not recorded yet");
}

/** The number of heals that wait for a person to keep them. */
export function waitingHeals({ heals }: Pick<RunState, "heals">): number {
  return heals.past.filter(({ keep }) => keep?.as === "waiting").length;
}
