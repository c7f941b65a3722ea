import type { Argv } from "../../domain/batch/argv.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedTail } from "../../domain/values/bounded-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecRequest, ExecResult } from "../../ports/executor.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import { withCommandFiles } from "./confine.ts";
import type { ProgramContext } from "./context.ts";
import { howItEnded } from "./output.ts";
import { AttemptOver, abortedEnd, type StepScope } from "./scope.ts";

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
}

/** Runs a command of the batch for an attempt. Throws AttemptOver if the attempt ended meanwhile. */
export async function runIn(ctx: ProgramContext, scope: StepScope, toRun: ToRun): Promise<ExecResult> {
  const path = ctx.toolchainPaths.get(scope.ticket.repo);
  const result = await ctx.executor.run({
    argv: toRun.argv,
    cwd: toRun.cwd,
    env: { ...ctx.commandEnv, ...(path === undefined ? {} : { PATH: path }), ...toRun.env },
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
  });
  // During a stop, a command that was killed or could not start has not failed.
  const byItself = result.ending === "exited" && result.signal === null;
  if (result.ending === "aborted" || (scope.signal.aborted && !byItself)) throw new AttemptOver(abortedEnd(scope));
  return result;
}

/** The evidence of a failed command for the next attempt. It names the first blocked connection, and ends with all of them. */
export function commandEvidence(evidence: Pick<Evidence, "step" | "name">, argv: Argv, result: ExecResult): Evidence {
  const command = plainText(argv.join(" "), 200);
  const [first] = result.ending === "blocked" ? [] : (result.blocked ?? []);
  const blocked = first === undefined ? "" : `; the sandbox blocked ${first.host}:${first.port} (${first.reason})`;
  return { ...evidence, summary: `${command} ${howItEnded(result)}${blocked}`, detail: boundedTail(result.tail) };
}

/** The duration of a command, in seconds with one decimal. */
export function secondsOf(result: Pick<ExecResult, "durationMs">): string {
  return (result.durationMs / 1000).toFixed(1);
}
