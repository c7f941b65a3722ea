import { existsSync, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { type Confined, type Confinement, ConfinementRefused, type Launch, type Sandbox } from "../../ports/sandbox.ts";
import { automounts } from "./automounts.ts";
import { type Closed, confinementMounts } from "./confinement-mounts.ts";
import { findProgram } from "./find-program.ts";
import { type HeldFile, heldFile } from "./held-file.ts";
import { insideEnvironment } from "./inside-environment.ts";
import { arrange, isCovered, type Mount, mountArguments, ruling } from "./mount.ts";
import { inheritedFiles } from "./open-files.ts";
import { openSockets } from "./open-sockets.ts";
import { defaultMounts, secretsIn } from "./places.ts";
import { isWithin, realPath, wayTo } from "./real-path.ts";
import { seccompFilter } from "./seccomp.ts";
import { openStatusFile } from "./status-file.ts";
import { programMounts, toolMounts } from "./toolchains.ts";

/** How many processes and threads may live in one sandbox. Not counted where loopdash is run by root (getrlimit(2)). */
export const PROCESSES_MAX = 4_096;

/** What a sandbox is made of. All paths are absolute. */
export interface BubblewrapOptions {
  /** bwrap, 0.8 or newer. */
  readonly program: string;
  /** HOME: hidden, and an empty private folder inside. */
  readonly home: string;
  /** LOOPDASH_HOME: hidden but for what a confinement names of it. */
  readonly state?: string;
  /** Programs and folders that must be seen although what surrounds them is hidden. */
  readonly tools?: readonly string[];
  /** Further folders that are hidden: the tracker's, say. */
  readonly hide?: readonly string[];
  /** At most so many processes and threads in one sandbox. */
  readonly processes?: number;
}

/** Everything of a sandbox that stays the same from start to start. */
interface Walls {
  readonly of: BubblewrapOptions;
  /** HOME first, then other homes of this user; real paths. */
  readonly homes: readonly string[];
  readonly mounts: readonly Mount[];
  readonly closed: Closed;
  readonly filter: HeldFile;
  readonly tools: (path: string) => readonly Mount[];
}

/**
 * A sandbox by bubblewrap: own user, pid, ipc, uts, network and cgroup namespaces, no capabilities and no new ones, a
 * seccomp filter, everything read-only, and hidden what a program that builds and tests does not need.
 *
 * It does not keep a process from using up memory or time, and what somebody with the right to do so mounts outside while
 * it runs, in a folder that is not hidden, appears inside with the rights that it has outside.
 *
 * Throws on a processor for which there is no filter, and where the temporary folder takes no file.
 */
export function createBubblewrap(of: BubblewrapOptions): Sandbox {
  const walls = raise(of);
  return { kind: "bubblewrap", confine: async (launch, confinement) => confine(walls, launch, confinement) };
}

function raise(of: BubblewrapOptions): Walls {
  const filter = seccompFilter();
  if (filter === undefined) throw new Error(`there is no sandbox for ${process.arch} processors`);
  const homes = homesOf(of.home);
  const state = of.state === undefined ? undefined : (realPath(of.state) ?? of.state);
  const hide = [...(of.hide ?? []), ...(state === undefined ? [] : [state])];
  const mounts = defaultMounts(homes, hide);
  const places = mounts.filter((mount) => isCovered(mount) || mount.kind === "masked").map((mount) => mount.at);
  const known = new Map<string, readonly Mount[]>();
  return {
    of,
    homes,
    mounts,
    filter: heldFile(filter),
    closed: { places: [...places, "/dev", "/proc", "/sys"], secrets: secretsIn(homes), state },
    tools: (path) => {
      const found = known.get(path) ?? toolMounts({ homes, path, tools: [process.execPath, ...(of.tools ?? [])] });
      known.set(path, found);
      return found.filter(({ at }) => state === undefined || !isWithin(state, at));
    },
  };
}

/** HOME and the home of the password file, which programs also ask for; not `/`, the home of users without one. */
function homesOf(home: string): string[] {
  const found = [home, passwordHome()].flatMap((each) => (each === undefined ? [] : (realPath(each) ?? [])));
  return [...new Set(found)].filter((each) => each !== "/");
}

function passwordHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch (error) {
    // A user without an entry there, as containers have them.
    if (error instanceof Error && "code" in error && error.code === "ERR_SYSTEM_ERROR") return undefined;
    throw error;
  }
}

function confine(walls: Walls, launch: Launch, confinement: Confinement): Confined {
  const cwd = wayTo(launch.cwd);
  const argv0 = launch.argv[0] ?? "";
  const path = launch.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const program = findProgram(argv0, { cwd: cwd.real, path });
  if (program === undefined) throw new ConfinementRefused(`there is no program ${JSON.stringify(argv0)}`);
  const wanted = confinementMounts(confinement, walls.closed);
  const named = new Set(wanted.map(({ at }) => at));
  const mounts = arrange([
    ...walls.mounts,
    ...automounts()
      .filter((at) => !named.has(at))
      .map((at): Mount => ({ at, kind: "hidden" })),
    ...openSockets()
      .filter((at) => !named.has(at))
      .map((at): Mount => ({ at, kind: "masked" })),
    ...wanted,
    ...walls.tools(path),
    ...programMounts(program, walls.homes),
  ]);
  refuseUnseen(cwd.real, mounts);
  const inherited = filesToClose();
  const write = mounts.flatMap((mount) => (mount.kind === "bind" && mount.write ? [mount.at] : []));
  const home = walls.homes.includes(realPath(walls.of.home) ?? "") ? walls.of.home : "/tmp/home";
  const env = insideEnvironment(launch.env, { home, write });
  const status = openStatusFile();
  return {
    argv: [
      ...starter(inherited, status.path, walls.filter.path),
      walls.of.program,
      ...NAMESPACES,
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      ...mountArguments(mounts),
      // Where root runs loopdash, files below /proc/sys and others could be written and change the machine.
      ...["--remount-ro", "/proc"],
      ...(home === walls.of.home ? [] : ["--dir", home]),
      ...env.set.flatMap(([name, value]) => ["--setenv", name, value]),
      ...["--chdir", cwd.real, "--json-status-fd", "3", "--seccomp", "4", "--"],
      ...limited(walls.of.processes ?? PROCESSES_MAX),
      program,
      ...launch.argv.slice(1),
    ],
    cwd: "/",
    env: env.inherited,
    settle: status.settle,
  };
}

const NAMESPACES = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-net",
  "--unshare-cgroup-try",
  "--disable-userns",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
];

function refuseUnseen(cwd: string, mounts: readonly Mount[]): void {
  const rule = ruling(mounts, cwd);
  if (isCovered(rule) && rule.at !== cwd) throw new ConfinementRefused(`the working folder ${cwd} is hidden in the sandbox`);
  if (!statSync(cwd).isDirectory()) throw new ConfinementRefused(`the working folder ${cwd} is not a folder`);
}

/** What this process was started with and would hand on. Only bash can close a file with a number of two digits. */
function filesToClose(): { readonly shell: string; readonly files: readonly number[] } {
  const files = inheritedFiles();
  const shell = files.some((fd) => fd > 9) ? "/bin/bash" : "/bin/sh";
  if (existsSync(shell)) return { shell, files };
  throw new ConfinementRefused(`${shell} is needed to close the files ${files.join(", ")} that loopdash was started with`);
}

/**
 * Closes what this process was started with, opens the files that bwrap is given by number, and becomes bwrap. Where one of
 * this fails, nothing is started.
 */
function starter(of: ReturnType<typeof filesToClose>, status: string, filter: string): string[] {
  const closing = of.files.map((fd) => `exec ${fd}>&-; `).join("");
  const script = `set -e; ${closing}exec 3>"$1" 4<"$2"; shift 2; exec "$@"`;
  return [of.shell, "-c", script, "loopdash-sandbox", status, filter];
}

/**
 * Bounds processes, counted within the sandbox alone (its user namespace is new), and switches core dumps off: 1 is the
 * one value that also keeps a dump from being handed to a program outside (core(5)).
 */
function limited(processes: number): string[] {
  const prlimit = "/usr/bin/prlimit";
  if (!existsSync(prlimit)) return [];
  const limits = readFileSync("/proc/self/limits", "latin1");
  const atMost = (name: string): number => {
    const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, "m").exec(limits)?.[1];
    return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
  };
  const [most, core] = [Math.min(processes, atMost("Max processes")), Math.min(1, atMost("Max core file size"))];
  return [prlimit, `--nproc=${most}:${most}`, `--core=${core}:${core}`, "--"];
}
