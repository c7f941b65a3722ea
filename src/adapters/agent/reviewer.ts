import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Executor } from "../../ports/executor.ts";
import type { Reviewer, ReviewerAnswer } from "../../ports/reviewer.ts";
import { type Accounts, accountOf, type ModelAgentOptions, runProgram } from "./model-agent.ts";
import { type TaskWithTrials, withTrials } from "./trial-server.ts";

/** Characters of an answer; a longer one is none. */
const ANSWER_CHARS = 1024 * 1024;

/** A reviewer that is any program. */
export interface CommandReviewerOptions {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly name: string;
  /** The cost of one question, in dollars. */
  readonly usdPerQuestion: number;
  readonly executor: Executor;
  /** The allow-listed environment (see `allowedEnvironment`). */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A reviewer that is any program: LOOPDASH_ variables describe its question, and its stdout is its answer. It starts in an empty
 * folder of its own, because the files of the checkout are the change's and not its configuration.
 */
export function createCommandReviewer(options: CommandReviewerOptions): Reviewer {
  const { name, usdPerQuestion: reserveUsd } = options;
  return { name, reserveUsd, ask: (task) => withTrials(task, (given) => runCommand(options, given)) };
}

async function runCommand(options: CommandReviewerOptions, task: TaskWithTrials): Promise<ReviewerAnswer> {
  let launched = false;
  const lines: string[] = [];
  let chars = 0;
  const result = await options.executor.run({
    argv: options.argv,
    cwd: task.session,
    env: { ...options.env, ...task.env, ...told(task), LOOPDASH_PROMPT: task.promptFile },
    logFile: task.logFile,
    timeoutMs: task.timeoutMs,
    silenceMs: task.silenceMs,
    signal: task.signal,
    marker: task.marker,
    lineChars: ANSWER_CHARS,
    ...(task.confinement === undefined ? {} : { confinement: task.confinement }),
    onStart: () => {
      launched = true;
    },
    onLine: (line, stream) => {
      if (stream !== "stdout" || chars > ANSWER_CHARS) return;
      chars += line.length + 1;
      if (chars <= ANSWER_CHARS) lines.push(line);
    },
  });
  const { ending, exitCode, signal, message } = result;
  return {
    ...{ ending, exitCode, signal, text: lines.join("\n"), isCut: chars > ANSWER_CHARS },
    costUsd: launched ? options.usdPerQuestion : 0,
    ...(message === undefined ? {} : { message }),
  };
}

/**
 * A reviewer that is a vendor's program, run as an agent is (see `createModelAgent`): in the sandbox, on the engine's key, cut
 * off at the cost limit of one question. It starts in an empty folder: it reads the files of the checkout (AGENTS.md, CLAUDE.md,
 * settings that the change brings) as a part of the change, and never as instructions to it.
 */
export function createModelReviewer(accounts: Accounts): Reviewer {
  const [{ kind, model, usdPerAttempt }] = accounts;
  const name = model === undefined ? kind.kind : `${kind.kind} ${model}`;
  const ask: Reviewer["ask"] = (task) => withTrials(task, (given) => runVendor(accountOf(accounts, task), given));
  return { name, reserveUsd: usdPerAttempt, ask };
}

async function runVendor(options: ModelAgentOptions, task: TaskWithTrials): Promise<ReviewerAnswer> {
  const { question, ticket: _, checkout: __, tryOut: ___, trialProgram: ____, onActivity, ...rest } = task;
  // Next to its settings, which are in the session folder itself.
  const worktree = join(task.session, question);
  await mkdir(worktree, { recursive: true, mode: 0o700 });
  const { result, answer } = await runProgram(options, {
    ...rest,
    worktree,
    env: told(task),
    onStart: () => undefined,
    onActivity: (text) => onActivity?.(text),
  });
  const { ending, exitCode, signal, costUsd, message, stop } = result;
  return {
    ...{ ending, exitCode, signal, costUsd, text: answer.slice(0, ANSWER_CHARS), isCut: answer.length > ANSWER_CHARS },
    ...(message === undefined ? {} : { message }),
    ...(stop === undefined ? {} : { stop }),
  };
}

function told({ question, ticket, checkout, trialProgram }: TaskWithTrials): Readonly<Record<string, string>> {
  return { LOOPDASH_QUESTION: question, LOOPDASH_TICKET: ticket, LOOPDASH_CHECKOUT: checkout, LOOPDASH_RUN: trialProgram };
}
