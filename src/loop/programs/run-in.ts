import { delimiter, isAbsolute, join } from "node:path";
import { isHeaderHost } from "@loopdash/model-gateway";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import type { Argv, CommandWithVariables } from "../../domain/batch/prepare-command.ts";
import type { AgentStop } from "../../domain/run/agent-event.ts";
import type { Evidence, SanitizedStop } from "../../domain/run/attempt-fact.ts";
import { boundedTail, plainText } from "../../domain/values/text.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Confinement, ExecRequest, ExecResult } from "../../ports/executor.ts";
import type { StepSecrets } from "../../ports/secrets.ts";
import { OutageGivenUp } from "../concurrency/outages.ts";
import { withCommandFiles } from "./confine.ts";
import { CAREFUL_GIT } from "./nested-git.ts";
import { AttemptOver, abortedEnd, type ProgramContext, type StepScope } from "./scope.ts";
import { untilStarted } from "./until-started.ts";

/** Takes a command's output; see ExecRequest. */
export type TakesOutput = Pick<ExecRequest, "onLine" | "lineChars">;

/** A command of the batch, and where it runs. */
export interface ToRun extends TakesOutput {
  readonly argv: Argv;
  readonly cwd: string;
  readonly log: string;
  readonly minutes: number;
  /** Minutes without output before it is ended. */
  readonly silenceMinutes?: number;
  readonly endIfBlocked?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly confinement?: Confinement | undefined;
  /** Set for a check of the batch: other commands may be those of a claim. */
  readonly isCheck?: boolean;
}

/** Runs a command of the batch for an attempt. Throws AttemptOver if the attempt ended meanwhile. */
export async function runIn(ctx: ProgramContext, scope: StepScope, toRun: ToRun): Promise<ExecResult> {
  const headers = (toRun.confinement?.hosts ?? []).filter(isHeaderHost).flatMap((host) => Object.values(host.headers));
  await withSecrets(ctx, scope, (secrets) => secrets.fetch(headers, scope.signal));
  const request = execRequest(ctx, scope, toRun);
  const who = plainText(toRun.argv[0] ?? "", 200);
  const run = async (): Promise<ExecResult> => {
    const ended = await ctx.executor.run(request);
    return ended.ending === "failed-to-start" && (await isGone(ctx, request, toRun)) ? { ...ended, isMachine: true } : ended;
  };
  const isFault = (ended: ExecResult): boolean => ended.isMachine === true;
  const result = await untilStarted(ctx, { who, signal: scope.signal, run }, isFault);
  // During a stop, a command that was killed or could not start has not failed.
  const byItself = result.ending === "exited" && result.signal === null;
  if (result.ending === "aborted" || (scope.signal.aborted && !byItself)) throw new AttemptOver(abortedEnd(scope));
  if (isFault(result)) throw new OutageGivenUp(`${who} ${howItEnded(result)}`);
  return result;
}

/** True if a check's program is on the machine no more, by its path or by PATH: no change under test could bring it. */
async function isGone(
  { files }: ProgramContext,
  { env }: ExecRequest,
  { argv: [program = ""], isCheck }: ToRun,
): Promise<boolean> {
  if (isCheck !== true) return false;
  const folders = program.includes("/") ? [""] : (env["PATH"] ?? "").split(delimiter);
  const places = folders.map((folder) => join(folder, program));
  if (!places.every(isAbsolute)) return false;
  return !(await Promise.all(places.map((place) => files.exists(place)))).includes(true);
}

function execRequest(ctx: ProgramContext, scope: StepScope, toRun: ToRun): ExecRequest {
  const path = ctx.toolchainPaths.get(scope.ticket.repo);
  return {
    argv: toRun.argv,
    cwd: toRun.cwd,
    env: {
      ...ctx.commandEnv,
      ...(path === undefined ? {} : { PATH: path }),
      ...(ctx.confined && toRun.confinement === undefined ? carefulVariables(ctx, scope) : {}),
      ...toRun.env,
    },
    logFile: scope.files.log(toRun.log),
    timeoutMs: toRun.minutes * 60_000,
    signal: scope.signal,
    marker: scope.marker,
    ...(toRun.silenceMinutes === undefined ? {} : { silenceMs: toRun.silenceMinutes * 60_000 }),
    endIfBlocked: toRun.endIfBlocked === true || undefined,
    confinement: toRun.confinement && withCommandFiles(ctx, toRun.confinement, toRun.argv),
    onBlocked: (blocked) =>
      scope.announce({ type: "connection-blocked", step: toRun.confinement?.hostsFor ?? toRun.log, ...blocked }),
    onLine: toRun.onLine,
    ...(toRun.lineChars === undefined ? {} : { lineChars: toRun.lineChars }),
  };
}

/** Keeps git and version managers from obeying files of the checkout, for a command with a secret or outside the sandbox. */
function carefulVariables({ carefulToolchains }: ProgramContext, { ticket }: StepScope): Readonly<Record<string, string>> {
  return { ...CAREFUL_GIT, ...carefulToolchains?.get(ticket.repo) };
}

/** The batch's own variables for a command, with the values of their secrets. Throws AttemptOver as `runIn` does. */
export async function resolveVariables(
  ctx: ProgramContext,
  scope: StepScope,
  command: CommandWithVariables,
): Promise<Readonly<Record<string, string>>> {
  if (command.env === undefined) return {};
  const careful = hasSecrets(command.env) ? carefulVariables(ctx, scope) : {};
  const filled = await withSecrets(ctx, scope, (secrets) => secrets.variables(command, scope.signal));
  return { ...careful, ...(filled ?? command.env) };
}

/** Waits for secrets; undefined if the batch has none. Throws AttemptOver if the attempt ended meanwhile. */
export async function withSecrets<T>(
  { stepSecrets }: ProgramContext,
  scope: StepScope,
  call: (secrets: StepSecrets) => Promise<T>,
): Promise<T | undefined> {
  if (stepSecrets === undefined) return undefined;
  try {
    return await call(stepSecrets);
  } catch (error) {
    throw scope.signal.aborted ? new AttemptOver(abortedEnd(scope)) : error;
  }
}

/** The evidence of a failed command for the next attempt. It names the first blocked connection, and ends with all of them. */
export function commandEvidence(evidence: Pick<Evidence, "step" | "name">, argv: Argv, result: ExecResult): Evidence {
  const command = plainText(argv.join(" "), 200);
  const [first] = result.ending === "blocked" ? [] : (result.blocked ?? []);
  const blocked = first === undefined ? "" : `; the sandbox blocked ${first.host}:${first.port} (${first.reason})`;
  const [secret] = result.refusedSecrets ?? [];
  const refused = secret === undefined ? "" : `; ${plainText(secret, 200)}`;
  return {
    ...evidence,
    summary: `${command} ${howItEnded(result)}${blocked}${refused}`,
    detail: boundedTail(result.tail),
    refusedSecret: secret === undefined ? undefined : true,
  };
}

/** The duration of a command, in seconds with one decimal. */
export function execSeconds(result: Pick<ExecResult, "durationMs">): string {
  return (result.durationMs / 1000).toFixed(1);
}

/** Least time between two activity reports of one worker. Milliseconds. */
const EVERY_MS = 250;
/** Least time between two reports of what an agent has spent. Milliseconds. */
const SPEND_EVERY_MS = 2_000;
/** Characters of a line that reach the journal. */
const LINE_CHARS = 200;

/** Reports what is due at once, or `everyMs` milliseconds after the last report. `end` reports the rest. */
function thin(clock: Clock, everyMs: number, report: () => void): { due(): void; end(): void } {
  let isDue = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  let off: (() => void) | undefined;
  const flush = (): void => {
    off?.();
    off = undefined;
    if (!isDue) return;
    isDue = false;
    lastAt = clock.now();
    report();
  };
  return {
    due() {
      isDue = true;
      if (off !== undefined) return;
      const left = everyMs - (clock.now() - lastAt);
      if (left <= 0) flush();
      else off = clock.after(left, flush);
    },
    end: flush,
  };
}

/**
 * Reduces an agent's output to a few lines a second: the newest line and the number of lines since the last report. `end` reports
 * the rest. Makes lines safe for a terminal.
 */
export function thinActivity(
  clock: Clock,
  report: (text: string, lines: number) => void,
): { line(text: string): void; end(): void } {
  let newest = "";
  let lines = 0;
  const { due, end } = thin(clock, EVERY_MS, () => {
    const count = lines;
    lines = 0;
    report(plainText(newest, LINE_CHARS), count);
  });
  return {
    line(text) {
      if (text.trim() === "") return;
      newest = text;
      lines += 1;
      due();
    },
    end,
  };
}

/** Reduces what an agent has spent so far, in dollars, to a report every two seconds. `end` reports the rest. */
export function thinSpend(clock: Clock, report: (usd: number) => void): { total(usd: number): void; end(): void } {
  let newest = 0;
  const { due, end } = thin(clock, SPEND_EVERY_MS, () => report(newest));
  return {
    total(usd) {
      newest = usd;
      due();
    },
    end,
  };
}

/** One output stream of a command, line by line, up to a size. */
export class OutputStream {
  readonly #most: number;
  readonly #stream: "stdout" | "stderr";
  readonly #lines: string[] = [];
  #size = 0;

  /** `most` characters of `stream` are kept, line ends included. */
  constructor(most: number, stream: "stdout" | "stderr" = "stdout") {
    this.#most = most;
    this.#stream = stream;
  }

  /** Takes a line and drops those of the other stream. */
  readonly onLine = (line: string, stream: "stdout" | "stderr"): void => {
    if (stream !== this.#stream) return;
    this.#size += line.length + 1;
    if (this.#size <= this.#most) this.#lines.push(line);
  };

  /** All of it, each line with its end; undefined if it was longer than the bound. */
  text(): string | undefined {
    return this.#size > this.#most ? undefined : this.#lines.map((line) => `${line}\n`).join("");
  }
}

/** The longest wait that is believed: a longer one is no real wait, and more than a date can hold. Milliseconds: a year. */
const LONGEST_WAIT_MS = 365 * 24 * 3_600_000;

/** A program's stop reason, safe to be shown and kept. */
export function sanitizeStopReason({ kind, says, retryAfterMs, answered }: AgentStop): SanitizedStop {
  const told = retryAfterMs !== undefined && retryAfterMs >= 0;
  const wait = told ? { retryAfterMs: Math.min(retryAfterMs, LONGEST_WAIT_MS) } : {};
  return { kind, says: plainText(says, 300), ...wait, answered };
}

/** Lines of output that say nothing about the cause: pointers to logs, and loopdash's own notes. */
const NO_CAUSE = /complete log of this run|^npm (?:notice|warn)|^\[loopdash: |^\s*[-=~^]+\s*$/i;
const CAUSE = /error|fatal|fail|cannot|can't|could not|denied|refused|not found|no such|missing|invalid|unable/i;
const CAUSE_LINES = 3;
const LOOKED_THROUGH = 40;

/** The lines near the end of an output that tell why a command failed, as one safe line; empty if it printed nothing. */
export function causeIn(tail: string): string {
  const lines = tail
    .split("\n")
    .slice(-LOOKED_THROUGH)
    .filter((line) => !NO_CAUSE.test(line.trim()));
  const telling = lines.filter((line) => CAUSE.test(line));
  // The name of the program that prefixes each line of npm's says nothing either.
  const words = (some: readonly string[]) =>
    some.map((line) => line.replace(/^npm (?:error|ERR!)/, "").trim()).filter((line) => line !== "");
  const told = words(telling).slice(0, CAUSE_LINES);
  return plainText((told.length > 0 ? told : words(lines).slice(-2)).join(" | "), 240);
}

/** The end of a process, in words. */
export function howItEnded(result: Pick<ExecResult, "ending" | "exitCode" | "signal" | "message">): string {
  switch (result.ending) {
    case "exited":
      return result.signal === null ? `exited with code ${result.exitCode}` : `was ended by ${result.signal}`;
    case "silent":
      return "printed nothing for too long and was killed";
    case "out-of-time":
      return "ran out of time and was killed";
    case "over-quota":
      return `was ended: ${plainText(result.message ?? "it wrote too much", 300)}`;
    case "blocked":
      return `was ended: ${plainText(result.message ?? "the sandbox blocked every connection", 300)}`;
    case "aborted":
      return "was cancelled";
    case "failed-to-start":
      return `did not start: ${plainText(result.message ?? "no reason given", 300)}`;
  }
}
