import { existsSync } from "node:fs";
import { z } from "zod";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { isListed, type Machine, type WatchedRun } from "../../store/watch-list.ts";
import { stateHome } from "../state-home.ts";
import { usageError } from "../usage-error.ts";
import { createNeedsReader, runsWithNeeds } from "../verbs/runs.ts";

/** A machine that does not answer within this is away. Milliseconds. */
const ANSWER_MS = 20_000;
/** The variables by which a person's ssh finds its keys, its agent and its settings. */
const SSH_VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "KRB5CCNAME"] as const;
/** Names that a command line can hold, on this machine and the other one: of a run, and of ssh's destinations. */
const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;
const HOST_NAME = /^[A-Za-z0-9_:[][A-Za-z0-9._@:%[\]-]{0,250}$/;

const Time = z.int().min(0).max(8.64e15);
/** A text or a list of another machine, as much of it as is shown. */
const shown = (most: number) => z.string().transform((text) => text.slice(0, most));
const Need = z.object({
  kind: shown(40),
  ticket: shown(80).optional(),
  says: shown(600),
  blocks: z.array(shown(80)).max(10_000),
  since: Time.optional(),
});
const Run = z.object({
  run: z.string().regex(RUN_NAME),
  live: z.boolean(),
  startedAt: Time,
  endedAt: Time.optional(),
  verdict: shown(40).optional(),
  needs: z.array(Need).max(1_000),
});
/** What `loopdash watch --json` of another machine prints; what it prints beside is for other versions. */
const PrintedRuns = z.array(Run).max(1_000);

/** Throws a UserError (exit 2) for a name that ssh could take for an option, or that names no machine. */
export function refuseHosts(hosts: readonly string[]): void {
  const bad = hosts.find((host) => !HOST_NAME.test(host));
  if (bad !== undefined)
    throw usageError(
      `cannot ask the machine "${bad}"`,
      "it is no name that ssh takes",
      "Write it as [user@]host: loopdash watch box",
    );
}

/** Reads the runs of this machine that are worth a look, again and again; none if nothing was started here yet. Never throws. */
export function createLocalReader(): () => Machine {
  const read = createNeedsReader();
  return () => {
    try {
      if (!existsSync(stateHome(process.env, process.cwd()).db)) return { runs: [] };
      return { runs: runsWithNeeds(read).filter((run) => isListed(run, Date.now())) };
    } catch (error) {
      return { problem: error instanceof UserError ? `${error.what}: ${error.why}` : errorMessage(error) };
    }
  };
}

/** The runs of another machine, by its own loopdash over ssh, which asks for no password. Never throws. */
export async function readMachine(host: string, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Machine> {
  const own = Object.fromEntries(SSH_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const command = ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", host, "loopdash", "watch", "--json"];
  const { exitCode, stdout, stderr, problem } = await runBriefly(command, { env: own, timeoutMs: ANSWER_MS, signal });
  if (exitCode === 0) return parsedMachine(host, stdout);
  return { host, problem: lastLine(stderr)?.slice(0, 300) ?? whySilent(exitCode, problem) };
}

/** The last line: ssh's warnings and a shell's greetings come before. */
const lastLine = (text: string): string | undefined => text.split("\n").findLast((line) => line.trim() !== "");

function whySilent(exitCode: number | undefined, problem: string): string {
  if (exitCode !== undefined) return `ssh ended with exit code ${exitCode}`;
  if (problem.includes("maxBuffer")) return "its answer is longer than 1 MiB";
  return problem.startsWith("spawn ") ? `ssh cannot be started: ${problem}` : `no answer within ${ANSWER_MS / 1_000} s`;
}

function parsedMachine(host: string, text: string): Machine {
  try {
    const runs = PrintedRuns.parse(JSON.parse(lastLine(text) ?? "")).map((run): WatchedRun => ({ ...run, host }));
    return { host, runs };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    return { host, problem: "its loopdash does not print `watch --json` as this one reads it: are they of one version?" };
  }
}
