import { existsSync, readdirSync, readFileSync } from "node:fs";
import { shellWord } from "@loopdash/values";
import { hasErrorCode } from "../../../domain/values/text.ts";
import { ConfinementRefused, type ProcessLimits } from "../../../ports/executor.ts";
import { runBriefly } from "../../executor/brief-run.ts";

/**
 * The kernel adds this much to a confined process's share of memory when it looks for a process to end, in thousandths of all
 * memory (proc_pid_oom_score_adj(5)): enough that it never takes the engine. A confined process cannot take it back: /proc is
 * read-only inside.
 */
const ENDED_FIRST = 500;

const BASH = "/bin/bash";
const PRLIMIT = "/usr/bin/prlimit";
const TRIAL_MS = 5_000;

/** The shell that prepares a sandbox: bash if there is one, because it alone sets every limit. */
export function shellProgram(): string {
  return existsSync(BASH) ? BASH : "/bin/sh";
}

/** The command of a shell that runs a script, and becomes the program that follows. */
export function becoming(script: readonly string[]): string[] {
  const shell = shellProgram();
  // bash takes a socket as input for that of a remote shell, and would read ~/.bashrc (bash(1), INVOCATION).
  const quiet = shell === BASH ? ["--norc"] : [];
  return [shell, ...quiet, "-c", `set -e; ${script.join("")}cd /; unset OLDPWD; exec "$@"`, "loopdash-sandbox"];
}

/**
 * The part of the script that runs in every case: closes the descriptors that this process inherited and would pass on, and enters
 * the control group through this file. If one of these fails, nothing is started. The out-of-memory setting may fail: it may already
 * be in place.
 */
export function entering(group: string | undefined): string[] {
  const files = inheritedFiles();
  if (files.some((fd) => fd > 9) && shellProgram() !== BASH)
    throw new ConfinementRefused(`${BASH} is needed to close the files ${files.join(", ")} that loopdash was started with`);
  return [
    ...files.map((fd) => `exec ${fd}>&-; `),
    `{ echo ${ENDED_FIRST} >/proc/self/oom_score_adj; } 2>/dev/null || :; `,
    ...(group === undefined ? [] : [`echo 0 >${shellWord(group)}; `]),
  ];
}

/**
 * One sandbox may use this fraction (1/n) of what all programs of a user may have: bytes in message queues (mq_overview(7)) and
 * pending signals (sigqueue(3)). The kernel counts them per user, across namespaces.
 */
const SHARE_OF_USER = 4;

/** An option of prlimit(1), the letter of bash's `ulimit` and the bytes of its unit, and the limit. */
type Limit = readonly [option: string, letter: string, unit: number, most: number];

/** The limits of a sandbox. */
interface Limits {
  /** Shell text that sets limits, for a shell in a user namespace of the sandbox's own. */
  readonly script: readonly string[];
  /** The command that sets the rest and becomes the program; empty if nothing is left. */
  readonly command: readonly string[];
}

/**
 * Bounds processes, counted within the sandbox alone (its user namespace is new), and switches core dumps off: 1 is the only
 * value that also keeps a dump from a program outside (core(5)). Memory is not bounded in this way: a limit of addresses
 * (RLIMIT_AS) ends programs that reserve more than they use, for example WebAssembly in Node.
 *
 * `inOwnNamespace`: a shell runs in a user namespace of the sandbox's own. Elsewhere its limits would count all processes of the
 * user, so a program within the sandbox sets them. The limit of dumps has a byte as its unit, which no shell has.
 */
export function processBounds(processes: number, bounds: ProcessLimits, inOwnNamespace: boolean): Limits {
  const system = readFileSync("/proc/self/limits", "latin1");
  const atMost = (name: string): number => {
    const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, "m").exec(system)?.[1];
    return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
  };
  const part = (name: string) => Math.floor(atMost(name) / SHARE_OF_USER);
  const limits: readonly Limit[] = [
    ["nproc", "u", 1, Math.min(processes, atMost("Max processes"))],
    ["msgqueue", "q", 1, part("Max msgqueue size")],
    ["sigpending", "i", 1, part("Max pending signals")],
    ["as", "v", 1024, bounds.memoryBytes ?? Number.POSITIVE_INFINITY],
    ["cpu", "t", 1, bounds.cpuSeconds ?? Number.POSITIVE_INFINITY],
    ["fsize", "f", 1024, bounds.fileBytes ?? Number.POSITIVE_INFINITY],
  ];
  const wanted = limits.filter(([, , , most]) => Number.isFinite(most));
  const byShell = inOwnNamespace && shellProgram() === BASH;
  const options = byShell ? [] : wanted.map(([option, , , most]) => `--${option}=${most}:${most}`);
  const core = Math.min(DUMP_BYTES, atMost("Max core file size"));
  if (!new RegExp(`^Max core file size\\s+${core}\\s+${core}\\s`, "m").test(system)) options.push(`--core=${core}:${core}`);
  return {
    script: byShell ? wanted.map(([, letter, unit, most]) => `ulimit -${letter} ${Math.floor(most / unit)}; `) : [],
    command: options.length === 0 || !existsSync(PRLIMIT) ? [] : [PRLIMIT, ...options, "--"],
  };
}

const DUMP_BYTES = 1;

/** Switches core dumps off for this process and all that it starts from now on. A failure costs each sandbox a program more. */
export async function refuseDumps(): Promise<void> {
  if (!existsSync(PRLIMIT)) return;
  const limit = `--core=${DUMP_BYTES}:${DUMP_BYTES}`;
  await runBriefly([PRLIMIT, `--pid=${process.pid}`, limit], { env: {}, timeoutMs: TRIAL_MS });
}

/** O_CLOEXEC in /proc/pid/fdinfo, octal (proc_pid_fdinfo(5)). */
const CLOSED_ON_EXEC = 0o2_000_000;

/**
 * The file descriptors that a program started by this process would inherit, beyond the three standard ones. Node opens none of
 * that kind, but terminals and editors leave such descriptors to the programs that they start. An open descriptor of an outside
 * folder would let a confined process escape.
 */
function inheritedFiles(): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  let info: string;
  try {
    info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
  } catch (error) {
    // This descriptor was the one that read the list.
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags === undefined || (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
}
