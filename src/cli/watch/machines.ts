import { existsSync } from "node:fs";
import { z } from "zod";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import type { Machine, WatchedRun } from "../../store/watch-list.ts";
import { stateHome } from "../state-home.ts";
import { usageError } from "../usage-error.ts";
import { runsWithNeeds } from "../verbs/runs.ts";

/** A machine that does not answer within this is away. Milliseconds. */
const ANSWER_MS = 20_000;
/** What a person's ssh needs to find its keys, its agent and its settings. */
const SSH_VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"] as const;
/** Names that a command line can hold, on this machine and the other one: of a run, and of ssh's destinations. */
const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;
const HOST_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._@:[\]-]{0,250})$/;

/** What `loopdash runs --json` of another machine prints; what it prints beside is for other versions. */
const PrintedRuns = z.array(
  z.object({
    run: z.string().regex(RUN_NAME),
    live: z.boolean(),
    startedAt: z.number(),
    endedAt: z.number().optional(),
    verdict: z.string().max(40).optional(),
    needs: z
      .array(
        z.object({
          kind: z.string().max(40),
          ticket: z.string().max(80).optional(),
          says: z.string(),
          blocks: z.array(z.string()),
          since: z.number().optional(),
        }),
      )
      .default([]),
  }),
);

/** Throws a UserError (exit 2) for a name that ssh could take for an option, or that names no machine. */
export function refuseHosts(hosts: readonly string[]): void {
  const bad = hosts.find((host) => !HOST_NAME.test(host));
  if (bad !== undefined)
    throw usageError(`cannot ask the machine "${bad}"`, "ssh takes a name as [user@]host", "See: loopdash watch --help");
}

/** The runs of this machine; none if nothing was started here yet. */
export function readThisMachine(): Machine {
  return { runs: existsSync(stateHome(process.env, process.cwd()).db) ? runsWithNeeds() : [] };
}

/** The runs of another machine, by its own loopdash over ssh, which asks for no password. Never throws for what it answers. */
export async function readMachine(host: string, env: NodeJS.ProcessEnv): Promise<Machine> {
  const own = Object.fromEntries(SSH_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const command = ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", host, "loopdash", "runs", "--json"];
  const { exitCode, stdout, stderr, problem } = await runBriefly(command, { env: own, timeoutMs: ANSWER_MS });
  if (exitCode === 0) return parsedMachine(host, stdout);
  // A machine on which nothing was started yet says so, with the exit code of a usage error.
  if (exitCode === 2 && stderr.includes("there is no run yet")) return { host, runs: [] };
  const said = stderr.split("\n").find((line) => line.trim() !== "") ?? (exitCode === undefined ? "it does not answer" : problem);
  return { host, problem: said.slice(0, 300) };
}

function parsedMachine(host: string, text: string): Machine {
  try {
    const runs = PrintedRuns.parse(JSON.parse(text)).map((run): WatchedRun => ({ ...run, host }));
    return { host, runs };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    return { host, problem: "its loopdash does not print `runs --json` as this one reads it: are they of one version?" };
  }
}
