import { randomBytes } from "node:crypto";
import type { RunEvent } from "../../domain/run/event.ts";
import { HARNESS_FILES, type HarnessFile, type HealFact, type HealsState } from "../../domain/run/heal-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { AgentResult } from "../../ports/agent.ts";
import type { HarnessReading, HarnessTexts } from "../../ports/harness.ts";
import type { HealFiles } from "../../ports/run-files.ts";
import type { LoopContext } from "../attempt/context.ts";
import { renderWorkerPrompt } from "../attempt/prompt.ts";
import { confineHealer } from "../programs/confine.ts";
import { howItEnded } from "../programs/output.ts";
import { reserveMoney } from "../programs/reserve-money.ts";
import { classesOf, loosensChecks, unfitForHarness } from "./harness-check.ts";
import { describeStop, renderHealerPrompt } from "./healer-prompt.ts";

type Started = Extract<RunEvent, { type: "heal-started" }>;
type End = Pick<Extract<HealFact, { type: "heal-ended" }>, "outcome" | "why" | "changed">;

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

/** Keeps a healed harness for later runs, once the oracle is proven after the heal. Never throws: this run has it in any case. */
export async function keepHarness(ctx: LoopContext): Promise<void> {
  if (ctx.state().heals.version === 0) return;
  try {
    await ctx.harness.keep();
  } catch (error) {
    const why = errorMessage(error);
    process.emitWarning(`the healed harness could not be kept for later runs: ${why}`);
  }
}

interface Repairing {
  readonly signal: AbortSignal;
  /** Its cost so far, in dollars; while its agent is at work, the most that it can cost. */
  readonly spent: { usd: number };
}

async function repair(ctx: LoopContext, event: Started, { signal, spent }: Repairing): Promise<End> {
  const { n, token, reason } = event;
  const reserved = await reserveMoney(ctx.dayBudget, ctx.report, { fence: token, usd: ctx.agent.reserveUsd });
  if (!reserved.ok) return { outcome: "failed", why: reserved.why, changed: [] };
  try {
    const files = await ctx.files.heal(n);
    const before = await ctx.harness.layOut(files.harness);
    const nonce = randomBytes(16).toString("hex");
    const stop = await describeStop(ctx, reason, nonce);
    const about = { n, heals: ctx.batch.limits.heals, folder: files.harness, nonce, stop };
    await ctx.files.write(files.prompt, renderHealerPrompt(ctx.templates.healer, about));
    spent.usd = ctx.agent.reserveUsd;
    const result = await runHealer(ctx, event, files, signal);
    spent.usd = result.costUsd ?? ctx.agent.reserveUsd;
    if (!cameToItsEnd(result)) return { outcome: "failed", why: `its agent ${wayOf(result)}`, changed: [] };
    return await admit(ctx, n, before, await ctx.harness.read(files.harness));
  } finally {
    ctx.dayBudget.settle(token, spent.usd);
  }
}

function runHealer(ctx: LoopContext, event: Started, files: HealFiles, signal: AbortSignal): Promise<AgentResult> {
  const { limits } = ctx.batch;
  const { harness, session, prompt, agentLog } = files;
  const confinement = confineHealer(ctx, { write: [harness, session], read: [prompt] });
  return ctx.agent.heal({
    n: event.n,
    marker: healMarker(ctx.run, event),
    worktree: harness,
    promptFile: prompt,
    session,
    logFile: agentLog,
    timeoutMs: limits.minutesPerAttempt * 60_000,
    silenceMs: limits.silenceMinutes * 60_000,
    signal,
    ...(confinement === undefined ? {} : { confinement }),
    onStart: (process) => ctx.report({ type: "heal-agent-started", n: event.n, ...process }),
    // Its log has the activity; no row of the dashboard shows it.
    onActivity: () => undefined,
  });
}

function cameToItsEnd({ ending, exitCode, stop }: AgentResult): boolean {
  return ending === "exited" && exitCode === 0 && stop === undefined;
}

function wayOf(result: AgentResult): string {
  if (result.stop !== undefined) return `stopped early (${result.stop.kind}): ${result.stop.says}`;
  return howItEnded(result);
}

/** Accepts the agent's texts whole and unchanged, or not at all. */
async function admit(ctx: LoopContext, n: number, before: HarnessTexts, left: HarnessReading): Promise<End> {
  if (!left.ok) return { outcome: "rejected", why: left.why, changed: [] };
  const { texts, strangers } = left;
  const ignored = strangers.length === 0 ? "" : `; nobody reads ${strangers.join(", ")}`;
  const changed = HARNESS_FILES.filter((file) => texts[file] !== before[file]);
  if (changed.length === 0) return { outcome: "nothing", why: `it changed nothing${ignored}`, changed };
  const problem = problemOf(ctx, { before, texts, changed });
  if (problem !== undefined) return { outcome: "rejected", why: `${problem}${ignored}`, changed };
  await ctx.harness.write(n, texts);
  return { outcome: "accepted", why: `it changed ${changed.join(", ")}${ignored}`, changed };
}

function problemOf(
  ctx: LoopContext,
  options: { readonly before: HarnessTexts; readonly texts: HarnessTexts; readonly changed: readonly HarnessFile[] },
): string | undefined {
  const { before, texts, changed } = options;
  for (const file of changed) {
    const unfit = unfitForHarness(file, texts[file]);
    if (unfit !== undefined) return `${file} ${unfit}`;
  }
  const loosened = loosensChecks(classesOf(before["transients.json"]), classesOf(texts["transients.json"]));
  return loosened === undefined ? smoke(ctx, texts) : `transients.json ${loosened}`;
}

/** The prompts of all open tickets must render. */
function smoke(ctx: LoopContext, texts: HarnessTexts): string | undefined {
  const state = ctx.state();
  const { attempts } = ctx.batch.limits;
  for (const { id, evidence } of openTickets(state)) {
    const about = {
      ticket: specOf(state.plan, id),
      attempt: 1,
      attempts,
      protect: ctx.batch.protect,
      evidence,
      hints: texts["hints.md"],
    };
    try {
      renderWorkerPrompt(texts["worker.md"], about);
    } catch (error) {
      return `the prompt of ${id} does not come out: ${errorMessage(error)}`;
    }
  }
  return undefined;
}

function openTickets(state: RunState) {
  return [...vecItems(state.tickets)].filter(({ phase }) => phase !== "done" && phase !== "human-gated");
}
