import { mkdtempSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { shellWord } from "@loopdash/values";
import { z } from "zod";
import { renderTrial } from "../../domain/review/trial.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Reviewer, ReviewerAnswer, ReviewerTask } from "../../ports/reviewer.ts";
import { privateTmp } from "../private-tmp.ts";
import { removeFolder } from "../remove-folder.ts";
import { type Accounts, type ModelAgentOptions, runProgram, taskAccount } from "./model-agent.ts";

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
    confinement: task.confinement,
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
    message,
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
  const ask: Reviewer["ask"] = (task) => withTrials(task, (given) => runVendor(taskAccount(accounts, task), given));
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
    message,
    stop,
  };
}

function told({ question, ticket, checkout, trialProgram }: TaskWithTrials): Readonly<Record<string, string>> {
  return { LOOPDASH_QUESTION: question, LOOPDASH_TICKET: ticket, LOOPDASH_CHECKOUT: checkout, LOOPDASH_RUN: trialProgram };
}

/** A task, and the path of the program with which its reviewer tries the change out. */
type TaskWithTrials = ReviewerTask & { readonly trialProgram: string };

/** The program: sends its arguments, prints what came of them, and ends as they did. */
const CLIENT = `const [socket, ...argv] = process.argv.slice(1);
let reply = "";
const connection = require("node:net").connect(socket);
connection.setEncoding("utf8").on("error", () => {}).on("data", (text) => (reply += text)).on("close", () => {
  const [, code = 2, text = "loopdash gave no answer: the command was not run\\n"] = /^(\\d+) ([^]*)$/.exec(reply) ?? [];
  process.stdout.write(text);
  process.exitCode = Number(code);
});
connection.end(JSON.stringify(argv));`;

/** Characters of a request. */
const REQUEST_CHARS = 256 * 1024;
/** Connections at a time. */
const MOST_CONNECTIONS = 8;
const Request = z.tuple([z.string()], z.string());

/** Asks a reviewer with a program in its sandbox that has the engine, over a socket of its own, run commands on the change. */
async function withTrials<T>(task: ReviewerTask, ask: (task: TaskWithTrials) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(privateTmp(), "try-"));
  const [trialProgram, socket] = [join(folder, "loopdash-run"), join(folder, "s")];
  const words = [process.execPath, "-e", CLIENT, "--", socket].map(shellWord);
  writeFileSync(trialProgram, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o500 });
  const server = createServer({ allowHalfOpen: true }, (connection) => answer(connection, task.tryOut));
  server.maxConnections = MOST_CONNECTIONS;
  try {
    await new Promise<void>((settle, reject) => server.once("error", reject).listen(socket, settle));
    const { confinement: own } = task;
    const confinement = own && { ...own, read: [...own.read, trialProgram], sockets: [...own.sockets, socket] };
    return await ask({ ...task, trialProgram, ...(confinement && { confinement }) });
  } finally {
    server.close();
    await removeFolder(folder);
  }
}

/** Answers one request: a command as a JSON list of words. Hangs up on whoever asks otherwise. */
function answer(connection: Socket, tryOut: ReviewerTask["tryOut"]): void {
  let request = "";
  connection.setEncoding("utf8").on("error", () => connection.destroy());
  connection.on("data", (piece: string) => {
    request += piece;
    if (request.length > REQUEST_CHARS) connection.destroy();
  });
  connection.on("end", async () => {
    try {
      const trial = await tryOut(Request.parse(JSON.parse(request)));
      connection.end(`${trial.exitCode ?? 1} ${renderTrial(trial)}`);
    } catch {
      connection.destroy();
    }
  });
}
