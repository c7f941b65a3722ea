import { mkdir } from "node:fs/promises";
import { plainText } from "../../domain/text.ts";
import type { Agent, AgentResult, AgentStop, AgentTask } from "../../ports/agent.ts";
import type { Executor, ModelSpend } from "../../ports/executor.ts";
import type { ModelUpstream } from "../../ports/gateway.ts";
import type { AgentProgram, ProgramEnd, ProgramOptions } from "./agent-program.ts";
import { EVENT_CHARS } from "./json-events.ts";
import { ModelWatch } from "./model-watch.ts";

/** What an agent that is a vendor's program runs on. */
export interface ModelAgentOptions extends ProgramOptions {
  readonly kind: AgentProgram;
  readonly executor: Executor;
  /** The allow-listed environment (see `allowedEnvironment`). */
  readonly env: Readonly<Record<string, string>>;
  /** The model's API as the gateway reaches it; its cap is that of one attempt. */
  readonly upstream: Omit<ModelUpstream, "capUsd" | "onUsage" | "onAnswer" | "onCut" | "api">;
}

/**
 * An agent that is a vendor's program (Claude Code, Codex, …). It reaches its model through a gateway that holds the key,
 * counts the money and cuts the line at the attempt's cap. What it costs is the most that the gateway or the program itself
 * tells, and the whole reserve where neither knows.
 */
export function createModelAgent(of: ModelAgentOptions): Agent {
  return { reserveUsd: of.usdPerAttempt, run: (task) => runProgram(of, task) };
}

async function runProgram(of: ModelAgentOptions, task: AgentTask): Promise<AgentResult> {
  await mkdir(task.session, { recursive: true, mode: 0o700 });
  const launch = await of.kind.prepare(task, of);
  const reader = of.kind.reader();
  const useless = new AbortController();
  const watch = new ModelWatch(of.turns, () => useless.abort());
  let launched = false;
  const { signal, onStart, onActivity, promptFile, outbox, ticket, attempt } = task;
  const result = await of.executor.run({
    argv: launch.argv,
    cwd: task.worktree,
    env: {
      ...of.env,
      ...launch.env,
      LOOPDASH_TICKET: ticket,
      LOOPDASH_ATTEMPT: String(attempt),
      LOOPDASH_PROMPT: promptFile,
      LOOPDASH_OUTBOX: outbox,
    },
    logFile: task.logFile,
    timeoutMs: task.timeoutMs,
    silenceMs: task.silenceMs,
    signal: AbortSignal.any([signal, useless.signal]),
    marker: task.marker,
    lineChars: EVENT_CHARS,
    model: {
      upstream: { ...of.upstream, ...watchedBy(watch), api: of.kind.api, capUsd: of.usdPerAttempt },
      baseUrls: launch.baseUrls,
    },
    ...(task.confinement === undefined ? {} : { confinement: task.confinement }),
    onStart: (process) => {
      launched = true;
      onStart(process);
    },
    onLine: (line, stream) => {
      if (stream !== "stdout") return;
      for (const text of reader.line(line)) onActivity(text);
      if (reader.fatal() !== undefined) useless.abort();
    },
  });
  const end = reader.end(result.exitCode);
  const stop = stopOf(watch.stop ?? reader.fatal() ?? end.stop, result.model, result.tail);
  const ended = useless.signal.aborted && !signal.aborted;
  return {
    ending: ended ? "exited" : result.ending,
    exitCode: result.exitCode,
    signal: result.signal,
    costUsd: launched ? costOf(end, result.model) : 0,
    tail: result.tail,
    ...(result.message === undefined ? {} : { message: result.message }),
    ...(stop === undefined ? {} : { stop }),
    ...(end.tokens === undefined ? {} : { tokens: end.tokens }),
  };
}

function watchedBy({ onAnswer, onUsage }: ModelWatch): Pick<ModelUpstream, "onAnswer" | "onUsage"> {
  return { onAnswer, onUsage };
}

/** The gateway's word first: a program whose line was cut knows only that somebody refused. */
function stopOf(stop: AgentStop | undefined, spend: ModelSpend | undefined, tail: string): AgentStop | undefined {
  if (spend?.cut !== undefined) return { kind: "budget", says: spend.cut };
  if (stop?.kind !== "unfinished") return stop;
  // A program that the kernel or its runtime ended for want of memory.
  const noMemory = /\b(?:out of memory|ENOMEM|Cannot allocate memory|heap limit|OOM)\b/i.test(tail.slice(-4_000));
  return noMemory ? { kind: "memory", says: plainText(tail.slice(-300), 300) } : stop;
}

/** Dollars; null where neither the gateway nor the program knows. */
function costOf(end: ProgramEnd, spend: ModelSpend | undefined): number | null {
  if (spend === undefined || spend.requests === 0) return end.costUsd ?? (spend?.requests === 0 ? 0 : null);
  return Math.max(spend.usd, end.costUsd ?? 0);
}
