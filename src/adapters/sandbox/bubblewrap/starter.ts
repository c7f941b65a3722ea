import { existsSync, readFileSync } from "node:fs";
import { ConfinementRefused, type ProcessLimits } from "../../../ports/sandbox.ts";
import { inheritedFiles } from "./open-files.ts";

/**
 * What the kernel adds to a confined process's share of memory, in thousandths of all memory, when it looks for one to end
 * (proc_pid_oom_score_adj(5)): enough that it never takes the engine. Inside it cannot be taken back: /proc is read-only.
 */
const ENDED_FIRST = 500;

/** What this process was started with and would hand on. Only bash can close a file with a number of two digits. */
export function filesToClose(): { readonly shell: string; readonly files: readonly number[] } {
  const files = inheritedFiles();
  const shell = files.some((fd) => fd > 9) ? "/bin/bash" : "/bin/sh";
  if (existsSync(shell)) return { shell, files };
  throw new ConfinementRefused(`${shell} is needed to close the files ${files.join(", ")} that loopdash was started with`);
}

/** What `starter` does before it becomes bwrap. */
export interface StarterOf {
  readonly inherited: ReturnType<typeof filesToClose>;
  /** What bwrap is given as files 3 and 4. */
  readonly status: string;
  readonly filter: string;
  /** What bwrap reads its options from, as file 6. */
  readonly options: string;
  /** What is opened as file 5 for what comes before bwrap; none: nothing is. */
  readonly table: string | undefined;
  /** The file of a control group that a process enters by; none: it stays where it is. */
  readonly group: string | undefined;
}

/**
 * Closes what this process was started with, opens the files that bwrap is given by number, enters the control group, and
 * becomes bwrap. Where one of this fails, nothing is started. Only that the kernel ends it first is not insisted on: it may be
 * so already.
 */
export function starter(starterOf: StarterOf): string[] {
  const closing = starterOf.inherited.files.map((fd) => `exec ${fd}>&-; `).join("");
  const script = [
    `set -e; ${closing}`,
    `{ echo ${ENDED_FIRST} >/proc/self/oom_score_adj; } 2>/dev/null || :; `,
    '[ -z "$3" ] || echo 0 >"$3"; exec 3>"$1" 4<"$2"; [ -z "$4" ] || exec 5<"$4"; exec 6<"$5"; shift 5; exec "$@"',
  ].join("");
  // bash takes a socket as its input for a remote shell's, and would read ~/.bashrc (bash(1), INVOCATION).
  const quiet = starterOf.inherited.shell.endsWith("bash") ? ["--norc"] : [];
  return [
    starterOf.inherited.shell,
    ...quiet,
    "-c",
    script,
    "loopdash-sandbox",
    starterOf.status,
    starterOf.filter,
    starterOf.group ?? "",
    starterOf.table ?? "",
    starterOf.options,
  ];
}

/**
 * Of what a user may have in all its programs together, how much one sandbox may: bytes in message queues (mq_overview(7)) and
 * signals that wait (sigqueue(3)). The kernel counts them for each user, in every namespace.
 */
const SHARE_OF_USER = 4;

/**
 * Bounds processes, counted within the sandbox alone (its user namespace is new), and switches core dumps off: 1 is the
 * one value that also keeps a dump from being handed to a program outside (core(5)). Memory is not bounded in this way: a limit
 * of addresses (RLIMIT_AS) ends programs that reserve more than they use, WebAssembly in Node among them.
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
