import { closeSync, existsSync, statSync } from "node:fs";
import {
  type Confined,
  type Confinement,
  ConfinementRefused,
  type Launch,
  type Layer,
  type Sandbox,
} from "../../../ports/executor.ts";
import { systemCode } from "../../disk-error.ts";
import { findProgram } from "../find-program.ts";
import { insideEnvironment } from "../inside-environment.ts";
import { type Closed, confinementMounts } from "../mounts/confinement-mounts.ts";
import { defaultMounts, secretsIn } from "../mounts/hidden-paths.ts";
import { findHomes } from "../mounts/homes.ts";
import { openWork } from "../mounts/layers.ts";
import { arrange, isCovered, mountArguments, ruling, type SandboxMount } from "../mounts/mount.ts";
import { automounts } from "../mounts/mount-table.ts";
import { openSockets } from "../mounts/open-sockets.ts";
import { canOverlay, overlay } from "../mounts/read-overlays.ts";
import { isWithin, realPath, wayTo } from "../mounts/real-path.ts";
import { systemMounts } from "../mounts/system-folders.ts";
import { programMounts, toolMounts } from "../mounts/toolchains.ts";
import { type ControlGroup, type GroupHome, makeGroup, memoryMax } from "./control-group.ts";
import { layerTable, outerNamespace } from "./outer-namespace.ts";
import { seccompFilter } from "./seccomp.ts";
import { becoming, entering, processBounds } from "./starter.ts";
import { openStatusFile } from "./status-file.ts";
import { type UnlinkedFile, unlinkedFile } from "./unlinked-file.ts";

/**
 * The limit of processes and threads in one sandbox. If root runs loopdash, only a control group counts them: the limit of a
 * process (getrlimit(2)) does not bind root.
 */
export const PROCESSES_MAX = 4_096;

/** Options of a bubblewrap sandbox. All paths are absolute. */
export interface BubblewrapOptions {
  /** bwrap, 0.8 or newer. */
  readonly program: string;
  /** HOME: hidden, and an empty private folder inside. */
  readonly home: string;
  /** LOOPDASH_HOME: hidden, except for the parts that a confinement names. */
  readonly state?: string;
  /** Programs and folders that stay visible although the folder around them is hidden. */
  readonly tools?: readonly string[];
  /** Further hidden folders, for example the tracker's. */
  readonly hide?: readonly string[];
  /** The limit of processes and threads in one sandbox. */
  readonly processes?: number;
  /** If given, each sandbox gets its own control group, which bounds processes and memory. If not, see PROCESSES_MAX. */
  readonly groups?: GroupHome;
  /** The command that starts bwrap, so that later mounts outside do not appear inside; see ownMounts. */
  readonly ownMounts?: readonly string[];
  /** True if bwrap can lay a writable copy over a folder (0.10 and newer): package caches get one. */
  readonly overlays?: boolean;
  /** True if a writable layer can be laid over a folder; see canLayLayers. */
  readonly layers?: boolean;
  /** True if read-only folders are shown through overlays, so that no pipe, socket or lock in them is shared with the outside. */
  readonly readOverlays?: boolean;
}

/** The part of a sandbox that stays the same for every start. */
interface Walls {
  readonly options: BubblewrapOptions;
  /** HOME first, then other homes of this user; real paths. */
  readonly homes: readonly string[];
  readonly mounts: readonly SandboxMount[];
  readonly closed: Closed;
  readonly filterFor: (confinement: Confinement) => UnlinkedFile;
  /** The mounts of toolchains for a PATH, and for a program that can reach hosts or not. */
  readonly tools: (path: string, online: boolean) => readonly SandboxMount[];
  /** True if a folder can be shown through an overlay; tried once per folder. */
  readonly canOverlay: (top: string) => Promise<boolean>;
  /** A file with this text, made once per text: few texts differ. */
  readonly tableFile: (text: string) => UnlinkedFile;
}

/**
 * A sandbox by bubblewrap: its own user, pid, ipc, uts, network and cgroup namespaces, no capabilities and no way to gain any, a
 * seccomp filter, and an empty root that shows only system folders, toolchains and the paths that a confinement names. With
 * `readOverlays`, read-only folders are shown through overlays.
 *
 * The sandbox bounds memory if control groups can be made. On every system, the kernel ends processes of a sandbox before the
 * engine if memory runs out. The sandbox does not bound time. Without `ownMounts`, a mount that somebody makes outside during a
 * run, in a folder that is not hidden, appears inside with its outside rights.
 *
 * Throws on a processor without a known filter, and if the temporary folder takes no file.
 */
export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const walls = raise(options);
  const layers = options.layers === true;
  return { kind: "bubblewrap", layers, confine: (launch, confinement) => confine(walls, launch, confinement) };
}

function raise(options: BubblewrapOptions): Walls {
  const [forAll, forJudges] = [filterFile(false), filterFile(true)];
  const homes = findHomes(options.home);
  const state = options.state === undefined ? undefined : (realPath(options.state) ?? options.state);
  const hide = [...(options.hide ?? []), ...(state === undefined ? [] : [state])];
  const mounts = defaultMounts(homes, hide);
  const places = mounts.filter((mount) => isCovered(mount) || mount.kind === "masked").map((mount) => mount.at);
  const known = new Map<string, readonly SandboxMount[]>();
  const shown = systemMounts();
  return {
    options,
    homes,
    mounts: [...shown, ...mounts],
    canOverlay: once((top) => (options.readOverlays === true ? canOverlay([top]) : Promise.resolve(false))),
    tableFile: once((text) => unlinkedFile(Buffer.from(text))),
    filterFor: ({ isJudge }) => (isJudge === true ? forJudges : forAll),
    closed: { places: [...places, "/dev", "/proc", "/sys"], secrets: secretsIn(homes), state },
    tools: (path, online) => {
      const tools = [process.execPath, ...(options.tools ?? [])];
      const key = `${online} ${path}`;
      const found = known.get(key) ?? toolMounts({ homes, path, tools, copied: options.overlays === true, online });
      known.set(key, found);
      return found.filter((mount) => (state === undefined || !isWithin(state, mount.at)) && !isCopyOfNothing(mount));
    },
  };
}

function filterFile(forJudge: boolean): UnlinkedFile {
  const filter = seccompFilter(process.arch, { forJudge });
  if (filter === undefined) throw new Error(`there is no sandbox for ${process.arch} processors`);
  return unlinkedFile(filter);
}

/** Keeps the result of a function per key. */
function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** True for a cache that was removed after it was found. */
function isCopyOfNothing(mount: SandboxMount): boolean {
  return mount.kind === "bind" && mount.copied === true && !existsSync(mount.from);
}

async function confine(walls: Walls, launch: Launch, confinement: Confinement): Promise<Confined> {
  const { program, mounts, inside, start } = plan(walls, launch, confinement);
  const layers = confinement.layers ?? [];
  const except = layers.map(({ from }) => from);
  const { mounts: shown, table, live } = await overlay(mounts, walls.canOverlay, { except, live: confinement.live ?? [] });
  const write = mounts.flatMap((mount) => (mount.kind === "bind" && mount.write ? [mount.at] : []));
  const home = walls.homes.includes(realPath(walls.options.home) ?? "") ? walls.options.home : "/tmp/home";
  const env = insideEnvironment(launch.env, { home, write });
  const processes = walls.options.processes ?? PROCESSES_MAX;
  const group = createGroup(walls.options.groups, processes);
  const status = openStatusFile();
  const options = unlinkedFile(
    encodeArguments([
      ...NAMESPACES,
      ...mountArguments(shown),
      ...(home === walls.options.home ? [] : ["--dir", home]),
      ...READ_ONLY,
      ...env.set.flatMap(([name, value]) => ["--setenv", name, value]),
      ...BY_SHELL.flatMap((name) => restored(name, launch.env[name])),
      // loopdash finds processes outside by this variable. Inside, it would tell code under test where it runs (adversary case
      // F3).
      ...["--unsetenv", "LOOPDASH_FENCE", "--chdir", start, "--json-status-fd", "3", "--seccomp", "4"],
    ]),
  );
  const isOuter = layers.length > 0 || walls.options.readOverlays === true;
  const mounted = mountTableFile(walls, isOuter ? table : "", layers);
  const limits = processBounds(processes, confinement.limits ?? {}, isOuter);
  const first = [...entering(group?.enter), ...limits.script];
  return {
    argv: [
      ...(isOuter
        ? outerNamespace({ first, layers, table: mounted !== undefined, live })
        : [...(walls.options.ownMounts ?? []), ...becoming(first)]),
      // bwrap reads its options from a file: everybody inside sees a command line, which would tell code under test what is
      // mounted from where.
      ...[walls.options.program, "--args", "5", "--"],
      ...limits.command,
      inside(program),
      ...launch.argv.slice(1),
    ],
    files: [status, walls.filterFor(confinement), options, ...(mounted === undefined ? [] : [mounted])].map(({ path }) => path),
    cwd: "/",
    env: env.inherited,
    settle: async () => {
      const end = await status.settle();
      closeSync(options.fd);
      if (mounted !== undefined && layers.length > 0) closeSync(mounted.fd);
      await group?.remove();
      for (const layer of layers) openWork(layer);
      return end;
    },
  };
}

/** The table of what is mounted before bwrap starts; undefined if nothing is. Layers have names of their own each time. */
function mountTableFile(walls: Walls, table: string, layers: readonly Layer[]): UnlinkedFile | undefined {
  if (layers.length > 0) return unlinkedFile(Buffer.from(`${table}${layerTable(layers)}`));
  return table === "" ? undefined : walls.tableFile(table);
}

/** Variables that the shell before bwrap sets by itself (bash(1), "Shell Variables"). */
const BY_SHELL = ["_", "SHLVL"] as const;

function restored(name: string, value: string | undefined): string[] {
  return value === undefined ? ["--unsetenv", name] : ["--setenv", name, value];
}

/** Arguments in the form in which bwrap reads them from a file. */
function encodeArguments(words: readonly string[]): Buffer {
  return Buffer.from(words.map((word) => `${word}\0`).join(""));
}

/** The mounts, and the folder in which the program starts. Throws ConfinementRefused if they cannot be kept. */
function plan(walls: Walls, launch: Launch, confinement: Confinement) {
  const cwd = wayTo(launch.cwd);
  const argv0 = launch.argv[0] ?? "";
  const path = launch.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const program = findProgram(argv0, { cwd: cwd.real, path });
  if (program === undefined) throw new ConfinementRefused(`there is no program ${JSON.stringify(argv0)}`);
  const layers = confinement.layers ?? [];
  if (layers.length > 0 && walls.options.layers !== true)
    throw new ConfinementRefused("this system cannot lay a folder over another");
  const wanted = confinementMounts(confinement, walls.closed);
  const inside = shownAt([...confinement.mounts, ...layers]);
  // In a writable folder, an earlier process may have replaced the program with a link, to be shown any file.
  const isOwn = wanted.some((mount) => mount.kind === "bind" && mount.write && isWithin(mount.from, program));
  const tools = [
    ...walls.tools(path, (confinement.hosts ?? []).length > 0),
    ...(isOwn ? [] : programMounts(program, walls.homes)),
  ];
  const mounts = arrange([...aroundIt(walls, wanted), ...tools]);
  const start = inside(cwd.real);
  refuseUnseen({ outside: cwd.real, inside: start }, mounts);
  return { program, mounts, inside, start };
}

/**
 * If root runs loopdash, files below /proc/sys could be written and change the machine. Nothing can be made beside the folders
 * shown.
 */
const READ_ONLY = ["--remount-ro", "/proc", "--remount-ro", "/"];

/** The requested mounts on top of the default ones; sockets that exist outside right now are closed as well. */
function aroundIt(walls: Walls, wanted: readonly SandboxMount[]): SandboxMount[] {
  const named = new Set(wanted.map(({ at }) => at));
  const closed = (places: readonly string[], kind: "hidden" | "masked") =>
    places.filter((at) => !named.has(at)).map((at): SandboxMount => ({ at, kind }));
  return [...walls.mounts, ...closed(automounts(), "hidden"), ...closed(openSockets(), "masked"), ...wanted];
}

function createGroup(home: GroupHome | undefined, processes: number): ControlGroup | undefined {
  if (home === undefined) return undefined;
  try {
    return makeGroup(home, { processes, bytes: memoryMax() });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new ConfinementRefused(`no control group can be made any more in ${home.folder}: ${code}`);
  }
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

/** The inside path of an outside path: it differs if a mount or a layer shows a surrounding folder elsewhere. */
function shownAt(shown: readonly Pick<Layer, "from" | "at">[]): (path: string) => string {
  const byDepth = shown.toSorted((a, b) => b.from.length - a.from.length);
  return (path) => {
    const mount = byDepth.find(({ from }) => isWithin(from, path));
    return mount === undefined ? path : mount.at + path.slice(mount.from.length);
  };
}

function refuseUnseen(cwd: { readonly outside: string; readonly inside: string }, mounts: readonly SandboxMount[]): void {
  const rule = ruling(mounts, cwd.inside);
  if (isCovered(rule) && rule.at !== cwd.inside)
    throw new ConfinementRefused(`the working folder ${cwd.inside} is hidden in the sandbox`);
  if (!statSync(cwd.outside).isDirectory()) throw new ConfinementRefused(`the working folder ${cwd.outside} is not a folder`);
}
