import { type Confinement, ConfinementRefused } from "../../../ports/sandbox.ts";
import { type Closed, confinementMounts } from "../mounts/confinement-mounts.ts";
import type { Mount } from "../mounts/mount.ts";
import { isWithin, realPath } from "../mounts/real-path.ts";

/** What applies a profile on macOS. */
export const SEATBELT = "/usr/bin/sandbox-exec";

/** Folders of macOS that are hidden as a whole: other people's files, temporary files, what logs and keychains may tell. */
export const HIDDEN_ON_MACOS = [
  "/Users",
  "/Volumes",
  "/Network",
  "/Library/Keychains",
  "/Library/Logs",
  "/private/etc/ssh",
  "/private/etc/sudoers.d",
  "/private/tmp",
  "/private/var/db/sudo",
  "/private/var/folders",
  "/private/var/log",
  "/private/var/mail",
  "/private/var/root",
  "/private/var/tmp",
] as const;

/** A path that is never read as a pattern. */
interface Name {
  readonly path: string;
  readonly literal: true;
}

/** The part of the configuration of `@anthropic-ai/sandbox-runtime` that is used here. */
export interface SeatbeltConfig {
  readonly network: {
    /** Empty: nothing is reached but by a socket. */
    readonly allowedDomains: readonly [];
    readonly deniedDomains: readonly [];
    readonly allowUnixSockets: readonly string[];
  };
  readonly filesystem: {
    readonly denyRead: readonly Name[];
    readonly allowRead: readonly Name[];
    readonly allowWrite: readonly Name[];
    readonly denyWrite: readonly Name[];
  };
}

/** What is the same from start to start, and what is a start's own. Real paths. */
export interface SeatbeltWalls {
  /** Folders that are not to be read. */
  readonly hidden: readonly string[];
  readonly closed: Closed;
  /** Programs and folders that are shown although they lie in something hidden. */
  readonly tools: readonly string[];
  /** A private folder, which may be written. */
  readonly own: string;
}

/**
 * What a confinement says, in words of the library. A profile knows names only and puts nothing in the place of another:
 * the place of a mount is closed, to reading as well where it is a read-only one, and what is mounted can be reached where it
 * lies. Throws ConfinementRefused for what no profile can say.
 */
export function seatbeltConfig(confinement: Confinement, walls: SeatbeltWalls): SeatbeltConfig {
  if ((confinement.hosts ?? []).length > 0) {
    throw new ConfinementRefused("hosts cannot be opened on macOS: a gateway's port there would be open to every program");
  }
  const mounts = confinementMounts(confinement, walls.closed).filter((mount) => mount.kind === "bind");
  const placed = mounts.filter(({ at, from }) => at !== from);
  const sockets = confinement.sockets.flatMap((path) => realPath(path) ?? []);
  const write = [...pathsOf(mounts, true), walls.own];
  const read = pathsOf(mounts, false);
  const replaced = placed.map(({ at }) => at);
  const covered = placed.filter((mount) => !mount.write).map(({ at }) => at);
  const hidden = [...new Set([...walls.hidden, ...walls.closed.secrets, ...covered])];
  const tools = walls.tools.filter((tool) => hidden.some((folder) => isWithin(folder, tool) && folder !== tool));
  const shown = [...new Set([...write, ...read, ...tools])];
  refuseNested(hidden, shown, "be hidden");
  const closed = [...read, ...replaced].filter((path) => write.some((folder) => isWithin(folder, path)));
  refuseNested(closed, write, "be read-only");
  return {
    network: { allowedDomains: [], deniedDomains: [], allowUnixSockets: sockets },
    filesystem: {
      denyRead: hidden.map(named),
      allowRead: shown.filter((path) => !hidden.includes(path) || write.includes(path)).map(named),
      allowWrite: [...new Set(write)].map(named),
      denyWrite: [...new Set(closed)].map(named),
    },
  };
}

/** What lies where it is shown, and what is mounted elsewhere, where it lies. */
function pathsOf(mounts: readonly Extract<Mount, { kind: "bind" }>[], write: boolean): string[] {
  return mounts.filter((mount) => mount.write === write).map(({ from }) => from);
}

function named(path: string): Name {
  return { path, literal: true };
}

/** A profile keeps two levels apart, not three: what is open in what is closed in what is open. */
function refuseNested(closed: readonly string[], open: readonly string[], what: string): void {
  for (const each of closed) {
    const around = open.find((path) => isWithin(path, each) && path !== each);
    const within = open.find((path) => isWithin(each, path) && path !== each);
    if (around === undefined || within === undefined) continue;
    throw new ConfinementRefused(`${each} cannot ${what} on macOS while ${within} in it and ${around} around it are open`);
  }
}

/** Whether a path can be read under a configuration: the innermost name that it lies in decides. */
export function isShown({ filesystem }: SeatbeltConfig, path: string): boolean {
  const innermost = (names: readonly Name[]) =>
    Math.max(-1, ...names.filter((name) => isWithin(name.path, path)).map((name) => name.path.length));
  const [open, closed] = [innermost(filesystem.allowRead), innermost(filesystem.denyRead)];
  return closed === -1 || open >= closed;
}
