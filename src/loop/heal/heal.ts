import { randomBytes } from "node:crypto";
import { mostHeals } from "../../domain/batch/heals-spec.ts";
import { ANSWER_FILE, type HealerAnswer, pickDiagnosis, wallClaim } from "../../domain/outbox/healer-answer.ts";
import { parseHealerAnswer } from "../../domain/outbox/parse.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { HarnessPath, HealFact } from "../../domain/run/heal-fact.ts";
import { type HealsState, usedHeals } from "../../domain/run/heals-state.ts";
import type { RunState } from "../../domain/run/state.ts";
import { whyMisnamed } from "../../domain/schedule/heal.ts";
import { isOutage } from "../../domain/schedule/model-outage.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { RepoId, RunId } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { AgentResult } from "../../ports/agent.ts";
import { type HarnessReading, type HarnessTexts, isTool } from "../../ports/harness.ts";
import type { HealFiles } from "../../ports/run-files.ts";
import type { LoopContext } from "../attempt/context.ts";
import { renderWorkerPrompt } from "../attempt/prompt.ts";
import { confineHealer } from "../programs/confine.ts";
import { reserveMoney } from "../programs/reserve-money.ts";
import { howItEnded, sanitizeStopReason } from "../programs/run-in.ts";
import { fetchKey, type OfAccount, takeAccount } from "../programs/scope.ts";
import { loosensChecks, readTransientClasses, unfitForHarness } from "./harness-check.ts";
import { describeStop, renderHealerPrompt } from "./healer-prompt.ts";

type Started = Extract<RunEvent, { type: "heal-started" }>;
type End = Pick<
  Extract<HealFact, { type: "heal-ended" }>,
  "outcome" | "why" | "changed" | "answer" | "wall" | "stop" | "account"
>;

/** Found in the environment of every process of a heal. */
export function healMarker(run: RunId, { n, token }: Pick<NonNullable<HealsState["running"]>, "n" | "token">): string {
  return `${run}/heal/${n}/${token}`;
}

/**
 * Runs a repair of the harness: a fresh agent on a copy of it, and a check of the result. The new texts are on disk before the
 * fact that they were accepted, and nothing uses them before. Never throws.
 */
export async function heal(ctx: LoopContext, event: Started, signal: AbortSignal): Promise<void> {
  const spent = { usd: 0 };
  const end = await repair(ctx, event, { signal, spent }).catch((error: unknown): End => {
    return { outcome: "failed", why: errorMessage(error), changed: [] };
  });
  ctx.report({ type: "heal-ended", n: event.n, ...end, why: plainText(end.why, 500), costUsd: spent.usd });
}

/** Records a heal that moved its stall, for later runs. Never throws: this run has it in any case. */
export async function keepHeal(ctx: LoopContext, { n, keep }: Extract<RunEvent, { type: "heal-keeping" }>): Promise<void> {
  const heal = ctx.state().heals.past.find((past) => past.n === n);
  if (heal === undefined) return;
  const { endedAt: at, base, moved, answer, changed } = heal;
  const scripts = changed.filter(isTool);
  const state = keep === "auto" && scripts.length === 0 ? "kept" : "waiting";
  const { rootCause = "", change = "", prediction = [] } = answer ?? {};
  try {
    for (const repo of healRepos(ctx, heal.repo))
      await ctx.harness.keep({ n, base, repo, state, at, rootCause, change, prediction, moved });
    const why = scripts.length === 0 ? KEPT[state] : plainText(`an agent wrote ${scripts.join(", ")}: ${KEPT.waiting}`, 500);
    ctx.report({ type: "heal-kept", n, as: state, why });
  } catch (error) {
    const why = plainText(`it could not be recorded for later runs: ${errorMessage(error)}`, 500);
    ctx.report({ type: "heal-kept", n, as: "failed", why });
  }
}

const KEPT: Readonly<Record<"kept" | "waiting", string>> = {
  kept: "later runs on this repository begin with it",
  waiting: "a person has to keep it before a later run begins with it",
};

/** The repository of a heal; by default the first of the run. */
function healRepos({ repos }: Pick<LoopContext, "repos">, repo: RepoId | undefined): readonly RepoId[] {
  return repo === undefined ? [...repos.values()].map(({ id }) => id).slice(0, 1) : [repo];
}

/** Options of a repair. */
interface RepairOptions {
  readonly signal: AbortSignal;
  /** Its cost so far, in dollars; while its agent is at work, the most that it can cost. */
  readonly spent: { usd: number };
}

async function repair(ctx: LoopContext, event: Started, { signal, spent }: RepairOptions): Promise<End> {
  const { n, token } = event;
  const [repo] = healRepos(ctx, event.repo);
  const base = ctx.state().heals.running?.base ?? 0;
  if (repo === undefined) throw new Error("the run has no repository");
  await fetchKey(ctx, "agent", { signal });
  const reserved = await reserveMoney(ctx.dayBudget, ctx.report, { fence: token, usd: ctx.agent.reserveUsd });
  if (!reserved.ok) return { outcome: "failed", why: reserved.why, changed: [] };
  try {
    const files = await ctx.files.heal(n);
    const before = await ctx.harness.layOut(files.harness, { repo, version: base });
    const nonce = randomBytes(16).toString("hex");
    const stop = await describeStop(ctx, { repo, nonce });
    const about = { n: usedHeals(ctx.state().heals), heals: mostHeals(ctx.batch), folder: files.harness, nonce, stop };
    await ctx.files.write(files.prompt, renderHealerPrompt(ctx.templates.healer, about));
    spent.usd = ctx.agent.reserveUsd;
    const by = takeAccount(ctx, "agent");
    const result = await runHealer(ctx, event, { files, signal, by });
    spent.usd = result.costUsd ?? ctx.agent.reserveUsd;
    if (!hasFinished(result))
      return { outcome: "failed", why: `its agent ${describeEnd(result)}`, changed: [], ...healerOutage(result, by) };
    return await admit(ctx, await ctx.harness.read(files.harness), { n, repo, before });
  } finally {
    ctx.dayBudget.settle(token, spent.usd);
  }
}

/** The stop of a healer, if its model's API was away: then its failure says nothing about the heal. */
function healerOutage({ stop }: AgentResult, by: OfAccount): Pick<End, "stop" | "account"> {
  return stop !== undefined && isOutage(stop.kind) ? { stop: sanitizeStopReason(stop), ...by } : {};
}

function runHealer(
  ctx: LoopContext,
  event: Started,
  { files, signal, by }: { readonly files: HealFiles; readonly signal: AbortSignal; readonly by: OfAccount },
): Promise<AgentResult> {
  const { limits } = ctx.batch;
  const { harness, session, prompt, agentLog } = files;
  const confinement = confineHealer(ctx, { write: [harness, session], read: [prompt] });
  return ctx.agent.heal({
    n: event.n,
    ...by,
    marker: healMarker(ctx.run, event),
    worktree: harness,
    promptFile: prompt,
    session,
    logFile: agentLog,
    timeoutMs: limits.minutesPerAttempt * 60_000,
    silenceMs: limits.silenceMinutes * 60_000,
    signal,
    confinement,
    onStart: (process) => ctx.report({ type: "heal-agent-started", n: event.n, ...process }),
    // Its log has the activity; no row of the dashboard shows it.
    onActivity: () => undefined,
  });
}

function hasFinished({ ending, exitCode, stop }: AgentResult): boolean {
  return ending === "exited" && exitCode === 0 && stop === undefined;
}

function describeEnd(result: AgentResult): string {
  if (result.stop !== undefined) return `stopped early (${result.stop.kind}): ${result.stop.says}`;
  return howItEnded(result);
}

interface AdmitOptions {
  readonly n: number;
  readonly repo: RepoId;
  readonly before: HarnessTexts;
}

/** Accepts the agent's texts whole and unchanged, or not at all. Without a valid answer the heal has failed. */
async function admit(ctx: LoopContext, left: HarnessReading, { n, repo, before }: AdmitOptions): Promise<End> {
  if (!left.ok) return { outcome: "rejected", why: left.why, changed: [] };
  const { texts, unknownFiles } = left;
  const ignored = unknownFiles.length === 0 ? "" : `; unknown files were ignored: ${unknownFiles.join(", ")}`;
  const read = answerIn(ctx, left, repo);
  if (!read.ok) return { outcome: "failed", why: `it left no answer: ${ANSWER_FILE} ${read.why}${ignored}`, changed: [] };
  const answer = pickDiagnosis(read.value);
  const changed = changedHarnessPaths(before, texts);
  if (read.value.kind === "wall") return admitWall(ctx, read.value, { changed, ignored });
  if (changed.length === 0) return { outcome: "nothing", why: `it changed nothing${ignored}`, changed, answer };
  const problem = harnessProblem(ctx, { repo, before, texts, changed });
  if (problem !== undefined) return { outcome: "rejected", why: `${problem}${ignored}`, changed, answer };
  await ctx.harness.write(n, { repo, texts });
  return { outcome: "accepted", why: `it changed ${changed.join(", ")}${ignored}`, changed, answer };
}

/** A wall is a claim (law 2): as for a worker's blocker, a reviewer rules on it, and without one it is rejected. */
function admitWall(
  ctx: LoopContext,
  wall: Extract<HealerAnswer, { kind: "wall" }>,
  { changed, ignored }: { readonly changed: readonly HarnessPath[]; readonly ignored: string },
): End {
  const answer = pickDiagnosis(wall);
  const unused = changed.length === 0 ? "" : `; what it changed beside a wall is not used: ${changed.join(", ")}`;
  const rest = `${plainText(wall.humanStep, 200)}${unused}${ignored}`;
  if (ctx.reviewer === undefined) {
    const why = `it claims a wall, and the batch names no reviewer to rule on it: ${rest}`;
    return { outcome: "rejected", why, changed: [], answer };
  }
  const why = `it claims a wall that blocks ${wall.prediction.join(", ")}; the reviewer will rule on it: ${rest}`;
  return { outcome: "wall", why, changed: [], answer, wall: wallClaim(wall) };
}

function answerIn(
  ctx: LoopContext,
  { answer }: Extract<HarnessReading, { ok: true }>,
  repo: RepoId,
): { readonly ok: true; readonly value: HealerAnswer } | { readonly ok: false; readonly why: string } {
  if (!answer.ok) return answer;
  const parsed = parseHealerAnswer(answer.text);
  if (!parsed.ok) return parsed;
  const wrong = whyMisnamed(ctx.state(), repo, parsed.value);
  return wrong === undefined ? parsed : { ok: false, why: wrong };
}

/** The files that differ, scripts included. */
function changedHarnessPaths(before: HarnessTexts, after: HarnessTexts): readonly HarnessPath[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])] as HarnessPath[];
  return paths.filter((path) => before[path] !== after[path]);
}

function harnessProblem(
  ctx: LoopContext,
  options: Omit<AdmitOptions, "n"> & { readonly texts: HarnessTexts; readonly changed: readonly HarnessPath[] },
): string | undefined {
  const { repo, before, texts, changed } = options;
  for (const file of changed) {
    const text: string | undefined = texts[file];
    const unfit = text === undefined ? undefined : unfitForHarness(file, text);
    if (unfit !== undefined) return `${file} ${unfit}`;
  }
  const loosened = loosensChecks(readTransientClasses(before["transients.json"]), readTransientClasses(texts["transients.json"]));
  return loosened === undefined ? smoke(ctx, repo, texts) : `transients.json ${loosened}`;
}

/** The prompts of all open tickets of the repository must render. */
function smoke(ctx: LoopContext, repo: RepoId, texts: HarnessTexts): string | undefined {
  const state = ctx.state();
  const { attempts } = ctx.batch.limits;
  for (const { id, evidence } of openTickets(state)) {
    const ticket = plannedTicket(state.plan, id);
    if (ticket.repo !== repo) continue;
    const about = {
      ticket,
      attempt: 1,
      attempts,
      protect: ctx.batch.protect,
      evidence,
      hints: texts["hints.md"],
    };
    try {
      renderWorkerPrompt(texts["worker.md"], about);
    } catch (error) {
      return `the prompt of ${id} cannot be rendered: ${errorMessage(error)}`;
    }
  }
  return undefined;
}

function openTickets(state: RunState) {
  return [...vecItems(state.tickets)].filter(({ phase }) => phase !== "done" && phase !== "human-gated");
}
