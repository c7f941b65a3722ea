import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { wrapCommandWithSandboxMacOS } from "@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js";
import { type Confined, type Confinement, ConfinementRefused, type Launch, type Sandbox } from "../../../ports/executor.ts";
import type { BubblewrapOptions } from "../bubblewrap/bubblewrap.ts";
import { findProgram } from "../find-program.ts";
import { insideEnvironment } from "../inside-environment.ts";
import { secretsIn } from "../mounts/hidden-paths.ts";
import { findHomes } from "../mounts/homes.ts";
import { isWithin, realPath, wayTo } from "../mounts/real-path.ts";
import { programMounts, toolMounts } from "../mounts/toolchains.ts";
import { HIDDEN_ON_MACOS, isShown, type SeatbeltConfig, seatbeltConfig } from "./seatbelt-config.ts";

/** Options of a sandbox on macOS; see BubblewrapOptions. */
export type SeatbeltOptions = Pick<BubblewrapOptions, "home" | "state" | "tools" | "hide">;

/** Programs that run before the sandbox exists are looked up in system folders only. */
const SYSTEM_PATH = "/usr/bin:/bin";
/** Leaves a marker that it has started, then becomes the program that follows. */
const INSIDE = ': >"$1" && shift && exec "$@"';
/** env(1) would take a program whose path contains `=` for a setting. */
const PROGRAM = ["/bin/sh", "-c", 'exec "$0" "$@"'] as const;

interface Walls {
  readonly homes: readonly string[];
  readonly hidden: readonly string[];
  readonly secrets: readonly string[];
  readonly state: string | undefined;
  readonly tools: readonly string[];
}

/**
 * A sandbox by macOS's own (sandbox-exec(1)), with a profile that `@anthropic-ai/sandbox-runtime` writes: the network is closed
 * except for named sockets, and files are closed as on Linux as far as names can express it.
 *
 * UNTESTED: nobody has run this on macOS yet. Tests cover the configuration, and on Linux the way in which a program is started.
 * Weaker than on Linux: outside processes are visible, daemons that leave their process group live on (confined), memory and
 * processes have no bounds, and git inside makes no commits, because its objects cannot be kept apart; loopdash commits an
 * agent's work instead.
 */
export function createSeatbelt(options: SeatbeltOptions): Sandbox {
  const homes = findHomes(options.home);
  const state = options.state === undefined ? undefined : (realPath(options.state) ?? options.state);
  const hide = [...(options.hide ?? []).flatMap((path) => realPath(path) ?? []), ...(state === undefined ? [] : [state])];
  const walls: Walls = {
    homes,
    hidden: [...HIDDEN_ON_MACOS, ...homes, ...hide],
    secrets: secretsIn(homes),
    state,
    tools: [process.execPath, ...(options.tools ?? [])],
  };
  return { kind: "seatbelt", layers: false, confine: async (launch, confinement) => confine(walls, launch, confinement) };
}

function confine(walls: Walls, launch: Launch, confinement: Confinement): Confined {
  const cwd = wayTo(launch.cwd).real;
  const argv0 = launch.argv[0] ?? "";
  const path = launch.env["PATH"] ?? SYSTEM_PATH;
  const program = findProgram(argv0, { cwd, path });
  if (program === undefined) throw new ConfinementRefused(`there is no program ${JSON.stringify(argv0)}`);
  const tools = toolPaths(walls, program, path);
  const own = ownFolder(walls.homes[0], tools);
  const remove = () => rmSync(own, { recursive: true, force: true });
  try {
    const config = programConfig(walls, confinement, { own, tools });
    if (!isShown(config, cwd)) throw new ConfinementRefused(`the working folder ${cwd} is hidden in the sandbox`);
    if (!statSync(cwd).isDirectory()) throw new ConfinementRefused(`the working folder ${cwd} is not a folder`);
    const write = config.filesystem.allowWrite.map((name) => name.path);
    const places = { home: join(own, "home"), temporary: join(own, "tmp"), write };
    const env = insideEnvironment(launch.env, places);
    const set = [["PATH", path] as const, ["TMPDIR", places.temporary] as const, ...env.set];
    const settings = set.map(([name, value]) => `${name}=${value}`);
    const begun = join(own, "begun");
    const inside = [begun, "/usr/bin/env", ...settings, ...PROGRAM, program, ...launch.argv.slice(1)];
    return {
      argv: ["/bin/sh", "-c", startLine(config), "loopdash-sandbox", ...inside],
      cwd,
      env: { ...env.inherited, PATH: SYSTEM_PATH },
      settle: async () => {
        const reported = existsSync(begun);
        remove();
        return { reported, empty: true };
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function toolPaths(walls: Walls, program: string, path: string): string[] {
  const { homes, state, tools } = walls;
  const mounts = [...toolMounts({ homes, path, tools, copied: false }), ...programMounts(program, homes)];
  const places = mounts.flatMap((mount) => (mount.kind === "bind" ? [mount.at] : []));
  return places.filter((place) => state === undefined || !isWithin(state, place));
}

/** A home and a temporary folder for one start. Links lead to the toolchains of the real home. */
function ownFolder(home: string | undefined, tools: readonly string[]): string {
  const own = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-own-")));
  for (const name of ["home", "tmp"]) mkdirSync(join(own, name));
  const inHome = tools.filter((tool) => home !== undefined && isWithin(home, tool) && tool !== home);
  for (const tool of inHome.toSorted()) {
    const link = join(own, "home", relative(home ?? "/", tool));
    if (realPath(dirname(link)) !== undefined && realPath(link) !== undefined) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(tool, link);
  }
  return own;
}

function programConfig(
  walls: Walls,
  confinement: Confinement,
  options: { own: string; tools: readonly string[] },
): SeatbeltConfig {
  const { hidden, secrets, state } = walls;
  const places = [...hidden, "/dev", "/System", "/private"];
  return seatbeltConfig(confinement, { hidden, closed: { places, secrets, state }, ...options });
}

/**
 * The text for sh: the library's, which quotes its parts, and nothing else that varies. The program comes as arguments. Inherited
 * files with one-digit numbers are closed; Node closes its own.
 */
function startLine({ filesystem, network }: SeatbeltConfig): string {
  const paths = (names: SeatbeltConfig["filesystem"]["denyRead"]) => names.map(({ path }) => path);
  const wrapped = wrapCommandWithSandboxMacOS({
    command: INSIDE,
    commandId: "loopdash",
    binShell: "/bin/sh",
    needsNetworkRestriction: true,
    allowUnixSockets: [...network.allowUnixSockets],
    readConfig: {
      denyOnly: [],
      literalDenyOnly: paths(filesystem.denyRead),
      literalAllowWithinDeny: paths(filesystem.allowRead),
    },
    writeConfig: {
      allowOnly: [],
      literalAllowOnly: paths(filesystem.allowWrite),
      denyWithinAllow: [],
      literalDenyWithinAllow: paths(filesystem.denyWrite),
    },
  });
  return `exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec ${wrapped} loopdash-sandbox "$@"`;
}
