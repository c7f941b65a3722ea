import type { RuleId, StopTask } from "@loopdash/guard";
import { resolveWorkerGuard } from "../../domain/batch/guard-spec.ts";
import { mayTake } from "../../domain/batch/remedy-spec.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { whyNoNudge } from "../../domain/behaviour/nudge.ts";
import { GuardComparison, readReportLine, ruleAlternative } from "../../domain/guard/guard-watch.ts";
import type { AgentEvent } from "../../domain/run/agent-event.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { errorMessage } from "../../domain/values/text.ts";
import type { GuardTask } from "../../ports/agent.ts";
import type { AttemptEnd } from "../programs/scope.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** Facts about blocked commands that one attempt reports as they come, and the least time between two. Milliseconds. */
const MOST_BLOCKED = 100;
const EVERY_MS = 1_000;
/** A difference between the program's events and the report counts after this time: the report is read four times a second. */
const LASTING_MS = 3_000;

/** The guard of one attempt. */
export interface AttemptGuard {
  /** For the agent's task; absent if the batch has no guard. */
  readonly task?: GuardTask;
  event(event: AgentEvent): void;
  /** Leaves a line for the agent, which its next use of a tool hands on. */
  nudge(line: string): void;
  /** Reads the rest of the report, and reports what is left. */
  end(): Promise<void>;
  /** The reason why the attempt ends as a fault of the harness; undefined if it does not. */
  fault(): string | undefined;
}

interface Options {
  readonly baseSha: string;
  /** Told each rule that blocked something. */
  readonly onBlocked: (rule: RuleId) => void;
  /** Ends the agent: nothing confines it, and its guard is dead. */
  readonly onFault: () => void;
  /** The agent is asked for a plan: it changes nothing, so nothing can be unmet when it stops. */
  readonly isPlanning?: boolean;
}

type WatchOptions = Pick<Options, "onBlocked" | "onFault"> & { readonly stop: StopTask | undefined };

type Context = Pick<LoopContext, "batch" | "clock" | "confined" | "files" | "report">;

/**
 * Follows what the guard of an attempt reports, and notices if it is dead. All of that comes from where the agent works, so it decides
 * nothing about the work. In a sandbox a dead guard is only told: the sandbox is the wall. Without one, the guard is all there is, and the
 * attempt ends.
 */
export function watchGuard(ctx: Context, open: OpenAttempt, options: Options): AttemptGuard {
  const guard = resolveWorkerGuard(ctx.batch);
  if (guard === undefined)
    return { event: () => undefined, nudge: () => undefined, end: async () => undefined, fault: () => undefined };
  const nudge = mayTake(ctx.batch.behaviour ?? {}, "nudge") && whyNoNudge(ctx.batch) === undefined;
  const { stopGuard, settings } = guard;
  const stop = stopGuard.times === 0 || options.isPlanning ? undefined : stopGuardTask(open, options.baseSha, stopGuard);
  const watch = new GuardWatch(ctx, open, { ...options, stop });
  const { guard: folder, guardReport: report } = open.files;
  const onDead = (why: string): void => watch.dead(why);
  return {
    task: { folder, report, settings, stop, nudge: nudge ? nudgeFile(open) : undefined, onDead },
    event: (event) => watch.event(event),
    nudge: (line) => watch.nudge(line),
    end: () => watch.end(),
    fault: () => watch.fault,
  };
}

/** The file with the lines for the agent. */
function nudgeFile({ files }: Pick<OpenAttempt, "files">): string {
  return `${files.guard}/nudge`;
}

function stopGuardTask(
  { ticket, files }: OpenAttempt,
  baseSha: string,
  { times, checks }: { times: number; checks: boolean },
): StopTask {
  const commands = ticket.finish.flatMap((step) =>
    step.step === "check" && checks ? [{ name: step.name, command: step.command }] : [],
  );
  return { times, baseSha, checks: commands, toldFile: `${files.guard}/told` };
}

class GuardWatch {
  readonly #ctx: Context;
  readonly #options: WatchOptions;
  readonly #ref: Pick<OpenAttempt, "fence"> & { readonly ticket: Ticket["id"] };
  readonly #comparison = new GuardComparison();
  /** False for a program of a person's own, in which no guard is installed. */
  readonly #isInstalled: boolean;
  readonly #unfollow: () => Promise<void>;
  readonly #waiting = new Map<RuleId, { times: number; command: string }>();
  #reported = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #off: (() => void) | undefined;
  #offCompare: (() => void) | undefined;
  #isDead = false;
  #stops = 0;
  readonly #nudgeFile: string;
  readonly #nudges: string[] = [];
  /** What is being written for the hooks. */
  #writes: Promise<void> = Promise.resolve();
  fault: string | undefined;

  constructor(ctx: Context, { ticket, fence, files }: OpenAttempt, options: WatchOptions) {
    this.#nudgeFile = nudgeFile({ files });
    this.#ctx = ctx;
    this.#options = options;
    this.#ref = { ticket: ticket.id, fence };
    this.#isInstalled = ctx.batch.agent.kind !== "command";
    this.#unfollow = ctx.files.followLines(files.guardReport, {
      line: (text) => this.#line(text),
      lost: (why) => this.#lost(why),
    });
  }

  event(event: AgentEvent): void {
    if (!this.#isInstalled || this.#isDead) return;
    this.#comparison.event(event);
    if (this.#comparison.why !== undefined) this.#offCompare ??= this.#ctx.clock.after(LASTING_MS, () => this.#compare());
  }

  nudge(line: string): void {
    this.#nudges.push(line);
    const text = this.#nudges.map((each) => `${each}\n`).join("");
    this.#writeForHooks(this.#nudgeFile, text);
  }

  #writeForHooks(file: string, text: string): void {
    this.#writes = this.#writes
      .then(async () => void (await this.#ctx.files.writeWhole(file, text)))
      // Harmless: without a line the policy goes on with its next action, and without the number the report tells it.
      .catch((error: unknown) => process.emitWarning(`could not write for the hooks of an agent: ${errorMessage(error)}`));
  }

  async end(): Promise<void> {
    await this.#unfollow();
    await this.#writes;
    this.#offCompare?.();
    this.#compare();
    this.#flush(true);
  }

  /** Nobody knows how often the agent was told, so it is told no more: that is not silent, because the guard is called dead. */
  #lost(why: string): void {
    const { stop } = this.#options;
    if (stop !== undefined) this.#writeForHooks(stop.toldFile, `${stop.times}\n`);
    if (this.#isInstalled || stop !== undefined) this.dead(`its report cannot be read: ${why}`);
  }

  dead(why: string): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#ctx.report({ type: "guard-dead", ...this.#ref, why });
    if (this.#ctx.confined || !this.#isInstalled) return;
    this.fault = why;
    this.#options.onFault();
  }

  #compare(): void {
    this.#offCompare = undefined;
    const { why } = this.#comparison;
    if (this.#isInstalled && why !== undefined) this.dead(why);
  }

  #line(text: string): void {
    const line = readReportLine(text);
    if (line === undefined) return;
    this.#comparison.line(line);
    if (line.what === "stop") return this.#stop(line);
    if (line.what !== "judged" || line.blocked === undefined) return;
    const { rule, command } = line.blocked;
    this.#options.onBlocked(rule);
    this.#waiting.set(rule, { times: (this.#waiting.get(rule)?.times ?? 0) + 1, command });
    if (this.#off !== undefined) return;
    const left = EVERY_MS - (this.#ctx.clock.now() - this.#lastAt);
    if (left <= 0) this.#flush(false);
    else this.#off = this.#ctx.clock.after(left, () => this.#flush(false));
  }

  #stop({ unmet, n, of }: { readonly unmet: string; readonly n: number; readonly of: number }): void {
    this.#stops += 1;
    const { stop } = this.#options;
    if (stop !== undefined && this.#stops <= stop.times) this.#writeForHooks(stop.toldFile, `${this.#stops}\n`);
    // No more than a stop guard ever tells, whatever the report holds.
    if (this.#stops <= MOST_STOPS) this.#ctx.report({ type: "stop-guard-told", ...this.#ref, unmet, n, of });
  }

  /** Reports what was blocked. After the first hundred facts, one for each rule at the end. */
  #flush(isLast: boolean): void {
    this.#off?.();
    this.#off = undefined;
    if (!isLast && this.#reported >= MOST_BLOCKED) return;
    this.#lastAt = this.#ctx.clock.now();
    for (const [rule, { times, command }] of this.#waiting) {
      const told = { command, alternative: ruleAlternative(rule), times: times > 1 ? times : undefined };
      this.#ctx.report({ type: "guard-blocked", ...this.#ref, rule, ...told });
      this.#reported += 1;
    }
    this.#waiting.clear();
  }
}

const MOST_STOPS = 10;

/**
 * The end of an attempt without a sandbox whose guard is dead. It is the harness's fault, and every other attempt would meet it: the ticket
 * stops, and a person decides.
 */
export function guardFault(why: string): AttemptEnd {
  const evidence: Evidence = {
    step: "agent",
    name: "guard",
    summary: `the guard is dead (${why}), and there is no sandbox: turn on the sandbox, or set "guard": false`,
    detail: "",
    cause: "infrastructure",
  };
  return { outcome: "failed", evidence };
}
