import { existsSync, readFileSync } from "node:fs";
import { ConfinementRefused, type ProcessLimits } from "../../../ports/sandbox.ts";
import { inheritedFiles } from "./open-files.ts";

/**
 * The kernel adds this much to a confined process's share of memory when it looks for a process to end, in thousandths of all
 * memory (proc_pid_oom_score_adj(5)): enough that it never takes the engine. A confined process cannot take it back: /proc is
 * read-only inside.
 */
const ENDED_FIRST = 500;

/** Descriptors that this process inherited and would pass on. Only bash can close a file with a two-digit number. */
export function filesToClose(): { readonly shell: string; readonly files: readonly number[] } {
  const files = inheritedFiles();
  const shell = files.some((fd) => fd > 9) ? "/bin/bash" : "/bin/sh";
  if (existsSync(shell)) return { shell, files };
  throw new ConfinementRefused(`${shell} is needed to close the files ${files.join(", ")} that loopdash was started with`);
}

/** Options of `starter`: what it does before it becomes bwrap. */
export interface StarterOptions {
  readonly inherited: ReturnType<typeof filesToClose>;
  /** The file that bwrap is given as files 3 and 4. */
  readonly status: string;
  readonly filter: string;
  /** The file 6, from which bwrap reads its options. */
  readonly options: string;
  /** The file 5, for the program that runs before bwrap; undefined: none is opened. */
  readonly table: string | undefined;
  /** The file of a control group through which a process enters it; undefined: the process stays in its group. */
  readonly group: string | undefined;
}

/**
 * Closes inherited descriptors, opens the files of bwrap by number, enters the control group, and becomes bwrap. If one of these
 * fails, nothing is started. The out-of-memory setting may fail: it may already be in place.
 */
export function starter(options: StarterOptions): string[] {
  const closing = options.inherited.files.map((fd) => `exec ${fd}>&-; `).join("");
  const script = [
    `set -e; ${closing}`,
    `{ echo ${ENDED_FIRST} >/proc/self/oom_score_adj; } 2>/dev/null || :; `,
    '[ -z "$3" ] || echo 0 >"$3"; exec 3>"$1" 4<"$2"; [ -z "$4" ] || exec 5<"$4"; exec 6<"$5"; shift 5; exec "$@"',
  ].join("");
  // bash takes a socket as input for that of a remote shell, and would read ~/.bashrc (bash(1), INVOCATION).
  const quiet = options.inherited.shell.endsWith("bash") ? ["--norc"] : [];
  return [
    options.inherited.shell,
    ...quiet,
    "-c",
    script,
    "loopdash-sandbox",
    options.status,
    options.filter,
    options.group ?? "",
    options.table ?? "",
    options.options,
  ];
}

/**
 * One sandbox may use this fraction (1/n) of what all programs of a user may have: bytes in message queues (mq_overview(7)) and
 * pending signals (sigqueue(3)). The kernel counts them per user, across namespaces.
 */
const SHARE_OF_USER = 4;

/**
 * Bounds processes, counted within the sandbox alone (its user namespace is new), and switches core dumps off: 1 is the only
 * value that also keeps a dump from a program outside (core(5)). Memory is not bounded in this way: a limit of addresses
 * (RLIMIT_AS) ends programs that reserve more than they use, for example WebAssembly in Node.
 */
export function limited(processes: number, bounds: ProcessLimits = {}): string[] {
  const prlimit = "/usr/bin/prlimit";
  if (!existsSync(prlimit)) return [];
  const limits = readFileSync("/proc/self/limits", "latin1");
  const atMost = (name: string): number => {
    const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, "m").exec(limits)?.[1];
    return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
  };
  const [most, core] = [Math.min(processes, atMost("Max processes")), Math.min(1, atMost("Max core file size"))];
  const share = (option: string, name: string): string[] => {
    const most = atMost(name);
    if (!Number.isFinite(most)) return [];
    const part = Math.floor(most / SHARE_OF_USER);
    return [`--${option}=${part}:${part}`];
  };
  const { memoryBytes, cpuSeconds, fileBytes } = bounds;
  const more = [
    ...share("msgqueue", "Max msgqueue size"),
    ...share("sigpending", "Max pending signals"),
    ...(memoryBytes === undefined ? [] : [`--as=${memoryBytes}:${memoryBytes}`]),
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}:${fileBytes}`]),
  ];
  return [prlimit, `--nproc=${most}:${most}`, `--core=${core}:${core}`, ...more, "--"];
}
