import { mkdir, open, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  canaryPayload,
  codexOverrides,
  EVENT_NAMES,
  GUARD_EVENTS,
  guardCanary,
  type HookGroup,
  hookCommand,
  hookSettings,
  isBlockByRule,
  NUDGED_AT,
} from "@loopdash/guard";
import { shellWord } from "@loopdash/values";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import { errorCode, plainText } from "../../domain/values/text.ts";
import type { AgentTask, GuardTask } from "../../ports/agent.ts";
import type { Confinement, ExecResult, Executor } from "../../ports/executor.ts";

/** The words that start the guard, by absolute paths, and the files that it needs to read. */
export interface GuardProgram {
  readonly argv: readonly string[];
  readonly read: readonly string[];
  /** The words before `argv` that ask a guard server first, and the socket where they ask; absent where there is no such client. */
  readonly client?: { readonly argv: readonly string[]; readonly socket: string };
}

/**
 * The guard's program for one agent, and the socket at which its gateway has to serve the guard. Only in a sandbox: outside of it, any
 * user of the machine could take the socket's name.
 */
export function servedProgram(
  { client, ...program }: GuardProgram,
  confinement: Confinement | undefined,
): { readonly program: GuardProgram; readonly guardSocket?: string } {
  if (client === undefined || confinement === undefined) return { program };
  return { program: { ...program, argv: [...client.argv, ...program.argv] }, guardSocket: client.socket };
}

/** The guard of one attempt, in the terms of its vendor. `prepare` of the vendor's program makes it run. */
export interface InstalledGuard {
  /** The folder for the guard's settings and those of the vendor's program. */
  readonly folder: string;
  /** Paths that the agent must see and must not change. */
  readonly read: readonly string[];
  /** The hooks for settings in JSON; empty for a vendor with plugins. */
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
  readonly codexOverrides: readonly string[];
  /** The text of a plugin; empty for a vendor with hooks. */
  readonly plugin: string;
  /**
   * A script that ends with 2 and what is unmet on stderr if the stop guard tells it; absent without a stop guard. For a vendor whose
   * sessions no hook can send on.
   */
  readonly stopScript?: string;
  /** The installed command that judges a tool. */
  readonly command: readonly string[];
  readonly vendor: VendorKind;
  readonly task: GuardTask;
}

/** Milliseconds that one try of the guard may take: a busy machine starts Node slowly. */
const TRY_MS = 30_000;

/** Writes the guard's files into its folder and an empty report, and gives what the vendor's program has to be told. */
export async function installGuard(
  vendor: VendorKind,
  { argv, read }: GuardProgram,
  task: GuardTask & { readonly outbox: string | undefined },
): Promise<InstalledGuard> {
  const { folder, report } = task;
  const { settings, stop } = await writeSettings(task);
  const options = ["--settings", settings, "--report", report, ...option("--stop", stop), ...option("--nudge", task.nudge)];
  const made = hookSettings(vendor, argv, {
    options,
    events: task.nudge === undefined ? GUARD_EVENTS : [...GUARD_EVENTS, NUDGED_AT[vendor]],
  });
  const hooks = made.form === "json" ? made.hooks : {};
  const shell = hooks[EVENT_NAMES[vendor]["before-tool"] ?? ""]?.[0]?.hooks[0]?.command;
  return {
    folder,
    read: [folder, ...read],
    hooks,
    codexOverrides: vendor === "codex" ? codexOverrides(made) : [],
    plugin: made.form === "plugin" ? made.text : "",
    command: shell === undefined ? hookCommand(argv, { vendor, event: "before-tool", options }) : ["/bin/sh", "-c", shell],
    ...(stop !== undefined && EVENT_NAMES[vendor].stop === undefined && { stopScript: await writeStopScript(argv, stop, task) }),
    vendor,
    task,
  };
}

function option(name: string, file: string | undefined): readonly string[] {
  return file === undefined ? [] : [name, file];
}

/** Writes the script of `InstalledGuard.stopScript`; gives its path. */
async function writeStopScript(
  argv: readonly string[],
  stop: string,
  task: Pick<GuardTask, "folder" | "report">,
): Promise<string> {
  const script = join(task.folder, "stop-guard");
  await writeFile(script, `#!/bin/sh\nexec ${checkLine(argv, task, "--stop", stop)}\n`, { mode: 0o700 });
  return script;
}

/** A line of a shell script that asks `guard check` with these options, and reports to the run. */
function checkLine(argv: readonly string[], { report }: Pick<GuardTask, "report">, ...options: readonly string[]): string {
  return [...argv, "guard", "check", ...options, "--report", report].map(shellWord).join(" ");
}

/**
 * Writes a script for programs of a person's own. `"$LOOPDASH_GUARD" "git reset --hard"` ends with 2 and the alternative on stderr if the
 * guard blocks the command line, and `"$LOOPDASH_GUARD" --stop` with 2 and what is unmet on stderr if the stop guard tells it; else with 0.
 */
export async function installCommandGuard(
  { argv, read }: GuardProgram,
  task: GuardTask & { readonly outbox: string | undefined },
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly read: readonly string[] }> {
  const { settings, stop } = await writeSettings(task);
  const script = join(task.folder, "guard");
  const atStop = stop === undefined ? "exit 0" : `exec ${checkLine(argv, task, "--stop", stop)}`;
  const judge = `exec ${checkLine(argv, task, "--settings", settings)} -- "$@"`;
  const lines = ["#!/bin/sh", `if [ "$*" = --stop ]; then ${atStop}; fi`, judge];
  await writeFile(script, `${lines.join("\n")}\n`, { mode: 0o700 });
  return { env: { LOOPDASH_GUARD: script }, read: [task.folder, ...read] };
}

/** Writes the guard's settings and what its reminder looks at into a new folder; gives their files. */
async function writeSettings({
  outbox,
  ...task
}: GuardTask & { readonly outbox: string | undefined }): Promise<{ readonly settings: string; readonly stop?: string }> {
  await makeFresh(task);
  const [settings, stop] = [join(task.folder, "guard.json"), join(task.folder, "stop.json")];
  await writeFile(settings, `${JSON.stringify(task.settings)}\n`, { mode: 0o600 });
  if (task.stop === undefined) return { settings };
  await writeFile(stop, `${JSON.stringify({ ...task.stop, outbox })}\n`, { mode: 0o600 });
  return { settings, stop };
}

/** A new folder and an empty report: what a prepare command may have left there is removed. */
async function makeFresh({ folder, report }: Pick<GuardTask, "folder" | "report">): Promise<void> {
  for (const path of [folder, report]) await rm(path, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await (await open(report, "wx", 0o600)).close();
}

interface TryOptions {
  readonly executor: Executor;
  readonly env: Readonly<Record<string, string>>;
  readonly task: Pick<AgentTask, "logFile" | "marker" | "path" | "signal" | "worktree">;
  readonly confinement: Confinement | undefined;
}

/**
 * Has the installed command judge a command that it must block, where the agent is going to run. Tells the task's `onDead` if it does not
 * block, twice: a machine without memory or processes left may fail once.
 */
export async function tryGuard(guard: InstalledGuard, options: TryOptions): Promise<void> {
  const command = guardCanary(guard.task.settings);
  if (command === undefined) return;
  const payload = join(guard.folder, "canary.json");
  const text = canaryPayload(guard.vendor, { command, cwd: options.task.worktree });
  await writeFile(payload, `${JSON.stringify(text)}\n`, { mode: 0o600 });
  const first = await whyNotBlocked(guard, payload, options);
  const why = first === undefined ? undefined : await whyNotBlocked(guard, payload, options);
  if (why !== undefined && !options.task.signal.aborted) guard.task.onDead(why);
}

async function whyNotBlocked(
  { command, task: { report } }: InstalledGuard,
  payload: string,
  { executor, env, task, confinement }: TryOptions,
): Promise<string | undefined> {
  const { hosts: _, ...offline } = confinement ?? { write: [], read: [], mounts: [], sockets: [] };
  const result = await executor.run({
    // The script is constant: the paths are its arguments.
    argv: ["/bin/sh", "-c", 'in=$1; shift; exec "$@" < "$in"', "sh", payload, ...command],
    cwd: task.worktree,
    env: { ...env, ...(task.path === undefined ? {} : { PATH: task.path }) },
    logFile: join(dirname(task.logFile), "guard.log"),
    timeoutMs: TRY_MS,
    signal: task.signal,
    marker: task.marker,
    confinement: confinement && offline,
  });
  if (!isBlock(result)) return `its hook did not block a test command: ${describeExit(result)}`;
  return (await hasReported(report)) ? undefined : "its hook blocks, and cannot write its report";
}

function isBlock({ ending, exitCode, tail }: ExecResult): boolean {
  return ending === "exited" && isBlockByRule(exitCode, tail);
}

function describeExit({ ending, exitCode, signal, message, tail }: ExecResult): string {
  const end = ending === "exited" ? (signal ?? `exit ${exitCode}`) : ending;
  return plainText([end, message ?? tail.slice(-200)].filter((part) => part.trim() !== "").join(", "), 300);
}

async function hasReported(report: string): Promise<boolean> {
  try {
    return (await stat(report)).size > 0;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
