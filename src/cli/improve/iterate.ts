import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { privateTmp } from "../../adapters/private-tmp.ts";
import { type Finding, findingKey, readProposal } from "../../domain/improve/finding.ts";
import type { Goal } from "../../domain/improve/goal.ts";
import { renderLog, renderRecent } from "../../domain/improve/loop-log.ts";
import type { Iteration, LoopState, Result } from "../../domain/improve/loop-state.ts";
import { isResumable } from "../../domain/results/next-steps.ts";
import type { RunState } from "../../domain/run/state.ts";
import { moneyNow } from "../../domain/schedule/money.ts";
import { plainText } from "../../domain/values/text.ts";
import { vecAt } from "../../domain/values/vec.ts";
import { lastState } from "../ci/batch-file.ts";
import { writeWhole } from "../write-whole.ts";
import { ANSWER, designStage, type GivenFile, mendStage, type Stage, type StageFiles, searchStage } from "./compose.ts";
import { isInScope } from "./goal-file.ts";
import type { LoopFolder } from "./loop-folder.ts";
import { readCommitted, SCRATCH, tipOf } from "./scratch.ts";

/** Ends the loop for now: a run of it was interrupted, or could not be judged. The same command goes on. */
export class StageStopped extends Error {
  override readonly name = "StageStopped";
  readonly exitCode: number;

  constructor(reason: string, exitCode: number) {
    super(reason);
    this.exitCode = exitCode;
  }
}

/** The surroundings of an iteration. */
export interface IterationContext {
  readonly goal: Goal;
  readonly folder: LoopFolder;
  readonly state: LoopState;
  /** True to land in the copy alone. */
  readonly isRehearsal: boolean;
  /** Runs a batch file as any other, or goes on with its unfinished run. Returns the last state. */
  readonly run: (batch: string) => Promise<RunState>;
  /** Puts the iteration on record. */
  readonly record: (iteration: Iteration) => void;
}

/**
 * Takes one iteration from where its record and its runs stand to its result. Each stage is a run of one ticket. A run that has ended is read
 * and never repeated, so nothing is paid twice.
 */
export async function iterate(ctx: IterationContext, begun: Iteration): Promise<Iteration> {
  const folder = ctx.folder.iteration(begun);
  const scratch = join(folder, SCRATCH);
  const earlier = ctx.state.iterations.filter(({ n }) => n !== begun.n);
  let iteration = { ...begun, usd: 0 };
  const over = (result: Result, why?: string): Iteration => ({ ...iteration, result, why: why && plainText(why, 300) });
  const stage = async (name: Stage, files: StageFiles): Promise<RunState> => {
    const state = await runStage(ctx, folder, name, files);
    iteration = { ...iteration, usd: iteration.usd + moneyNow(state).spentUsd };
    ctx.record(iteration);
    return state;
  };
  const parts = () => ({ goal: ctx.goal, iteration, scratch });
  const search = await stage("search", searchStage(parts(), renderRecent(earlier)));
  if (landedBy(search) === undefined) return over("no answer", lastTrouble(search));
  const answer = readProposal((await readCommitted(scratch, await tipOf(scratch, "search"), ANSWER)) ?? "");
  if ("invalid" in answer) return over("no answer", answer.invalid);
  if ("none" in answer) return over("nothing", answer.why);
  iteration = { ...iteration, finding: answer };
  const refused = await refuseFinding(ctx, answer, { scratch, iteration, earlier });
  if (refused !== undefined) return over(refused.result, refused.why);
  const design = await stage("design", designStage(parts(), answer));
  const { path } = iteration;
  const text = landedBy(design) === undefined ? undefined : await readCommitted(scratch, await tipOf(scratch, "design"), path);
  if (text === undefined)
    return over("not shown", landedBy(design) === undefined ? lastTrouble(design) : `${path} is no text file`);
  const given = giveFiles(ctx, folder, { iteration, earlier, text });
  const kept = await keptCases(scratch, iteration.base, earlier);
  const mended = await stage("mend", mendStage(parts(), answer, { ...given, text, kept, inCopy: ctx.isRehearsal }));
  const commit = landedBy(mended);
  iteration = { ...iteration, attempts: vecAt(mended.tickets, 0).history.length, ...(commit !== undefined && { commit }) };
  return commit !== undefined && mended.end?.exitCode === 0 ? over("held") : over("dropped", lastTrouble(mended));
}

/** The cases of earlier iterations that a commit still has. */
async function keptCases(scratch: string, base: string, earlier: readonly Iteration[]): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const { path, result } of earlier)
    if (result === "held" && (await readCommitted(scratch, base, path)) !== undefined) kept.push(path);
  return kept;
}

/** The reason why a finding is not worked; undefined if it is. */
async function refuseFinding(
  { goal }: IterationContext,
  finding: Finding,
  {
    scratch,
    iteration,
    earlier,
  }: { readonly scratch: string; readonly iteration: Iteration; readonly earlier: readonly Iteration[] },
): Promise<{ readonly result: Result; readonly why: string } | undefined> {
  const key = findingKey(finding);
  const before = earlier.find((each) => each.finding !== undefined && findingKey(each.finding) === key);
  if (before !== undefined) return { result: "repeated", why: `as iteration ${before.n}` };
  if (!isInScope(goal, finding.file)) return { result: "no answer", why: `${finding.file} is not in scope` };
  const there = await readCommitted(scratch, iteration.base, finding.file, Number.POSITIVE_INFINITY);
  return there === undefined ? { result: "no answer", why: `there is no text file ${finding.file}` } : undefined;
}

/**
 * Writes what a change must hold unchanged: the designed check, and the log with the row that this change earns by landing. They lie outside
 * the state folder, of which no agent sees anything.
 */
function giveFiles(
  { goal }: IterationContext,
  place: string,
  { iteration, earlier, text }: { readonly iteration: Iteration; readonly earlier: readonly Iteration[]; readonly text: string },
): { readonly given: readonly GivenFile[]; readonly folder: string } {
  const log = renderLog(goal.name, [...earlier, { ...iteration, result: "held" }]);
  const given: readonly GivenFile[] = [
    { name: "case", path: iteration.path, text },
    ...(goal.log === undefined ? [] : [{ name: "log", path: goal.log, text: log } as const]),
  ];
  const folder = join(privateTmp(), "improve", createHash("sha256").update(place).digest("hex").slice(0, 16));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name, text: content } of given) writeWhole(join(folder, name), content);
  return { given, folder };
}

/**
 * Runs a stage, goes on with it, or reads it if it has ended. Its batch is as it was when its run began. A run that could not begin, and one
 * that a fired tripwire ended, are run again by the same command.
 */
async function runStage(
  { run }: IterationContext,
  folder: string,
  name: Stage,
  { batch, contract }: StageFiles,
): Promise<RunState> {
  const path = join(folder, `${name}.json`);
  const before = lastState(path);
  if (before === undefined) {
    writeWhole(join(folder, `${name}.md`), contract);
    writeWhole(path, `${JSON.stringify(batch, undefined, 2)}\n`);
  }
  const state = before !== undefined && isOver(before) ? before : await run(path);
  if (!isOver(state)) throw new StageStopped(state.end?.reason ?? "its run has not ended", state.end?.exitCode ?? 1);
  return state;
}

/** True if a run has ended for good: nothing of it is resumed, and its ticket was tried or given up. */
function isOver(state: RunState): boolean {
  const { end } = state;
  if (end === undefined || isResumable(state) || end.kind === "tripwire") return false;
  const { history, phase } = vecAt(state.tickets, 0);
  return history.length > 0 || phase !== "waiting";
}

function landedBy(state: RunState): string | undefined {
  return vecAt(state.tickets, 0).mergedSha;
}

/** The reason why the last attempt of a run's ticket failed. */
function lastTrouble(state: RunState): string {
  const { evidence, stalledReason } = vecAt(state.tickets, 0);
  const last = evidence.at(-1);
  return (last && `${last.name}: ${last.summary}`) ?? stalledReason ?? state.end?.reason ?? "its run ended without a word";
}
