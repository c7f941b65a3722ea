import { delimiter, isAbsolute, join } from "node:path";
import type { Argv } from "../../domain/batch/argv.ts";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import { isHeaderHost } from "../../domain/batch/host-spec.ts";
import type { CommandWithVariables } from "../../domain/batch/prepare-command.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedTail } from "../../domain/values/bounded-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecRequest, ExecResult } from "../../ports/executor.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import type { StepSecrets } from "../../ports/secrets.ts";
import { OutageGivenUp } from "../concurrency/outages.ts";
import { withCommandFiles } from "./confine.ts";
import type { ProgramContext } from "./context.ts";
import { CAREFUL_GIT } from "./nested-git.ts";
import { howItEnded } from "./output.ts";
import { AttemptOver, abortedEnd, type StepScope } from "./scope.ts";
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
  const request = requestOf(ctx, scope, toRun);
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

function requestOf(ctx: ProgramContext, scope: StepScope, toRun: ToRun): ExecRequest {
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
    ...(toRun.endIfBlocked === true ? { endIfBlocked: true } : {}),
    ...(toRun.confinement === undefined ? {} : { confinement: withCommandFiles(ctx, toRun.confinement, toRun.argv) }),
    onBlocked: (blocked) =>
      scope.announce({ type: "connection-blocked", step: toRun.confinement?.hostsFor ?? toRun.log, ...blocked }),
    ...(toRun.onLine === undefined ? {} : { onLine: toRun.onLine }),
    ...(toRun.lineChars === undefined ? {} : { lineChars: toRun.lineChars }),
  };
}

/** Keeps git and version managers from obeying files of the checkout, for a command with a secret or outside the sandbox. */
function carefulVariables({ carefulToolchains }: ProgramContext, { ticket }: StepScope): Readonly<Record<string, string>> {
  return { ...CAREFUL_GIT, ...carefulToolchains?.get(ticket.repo) };
}

/** The batch's own variables for a command, with the values of their secrets. Throws AttemptOver as `runIn` does. */
export async function variablesOf(
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
    ...(secret === undefined ? {} : { refusedSecret: true }),
  };
}

/** The duration of a command, in seconds with one decimal. */
export function secondsOf(result: Pick<ExecResult, "durationMs">): string {
  return (result.durationMs / 1000).toFixed(1);
}
