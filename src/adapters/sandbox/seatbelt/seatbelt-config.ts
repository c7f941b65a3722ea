import { type Confinement, ConfinementRefused } from "../../../ports/executor.ts";
import { type Closed, confinementMounts } from "../mounts/confinement-mounts.ts";
import type { SandboxMount } from "../mounts/mount.ts";
import { isWithin, realPath } from "../mounts/real-path.ts";

/** The program that applies a profile on macOS. */
export const SEATBELT = "/usr/bin/sandbox-exec";

/** Folders of macOS that are hidden as a whole: other people's files, temporary files, logs and keychains. */
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
    /** Empty: the network is reached only through sockets. */
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

/** The fixed and the per-start part of a sandbox. Real paths. */
export interface SeatbeltWalls {
  /** Folders that may not be read. */
  readonly hidden: readonly string[];
  readonly closed: Closed;
  /** Programs and folders that are shown although they lie in a hidden folder. */
  readonly tools: readonly string[];
  /** A private writable folder. */
  readonly own: string;
}

/**
 * Translates a confinement into the library's configuration. A profile knows names only and cannot replace one path with another:
 * the place of a mount is closed (for reading as well if the mount is read-only), and the mounted folder is reached at its own
 * path. Throws ConfinementRefused for a confinement that no profile can express.
 */
export function seatbeltConfig(confinement: Confinement, walls: SeatbeltWalls): SeatbeltConfig {
  if ((confinement.hosts ?? []).length > 0) {
    throw new ConfinementRefused("hosts cannot be opened on macOS: a gateway's port there would be open to every program");
  }
  const mounts = confinementMounts(confinement, walls.closed).filter((mount) => mount.kind === "bind");
  const placed = mounts.filter(({ at, from }) => at !== from);
  const sockets = confinement.sockets.flatMap((path) => realPath(path) ?? []);
  const write = [...mountSources(mounts, true), walls.own];
  const read = mountSources(mounts, false);
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

/** The paths of mounts in place, and the sources of mounts shown elsewhere. */
function mountSources(mounts: readonly Extract<SandboxMount, { kind: "bind" }>[], write: boolean): string[] {
  return mounts.filter((mount) => mount.write === write).map(({ from }) => from);
}

function named(path: string): Name {
  return { path, literal: true };
}

/** A profile can nest two levels, not three: an open path in a closed one in an open one is refused. */
function refuseNested(closed: readonly string[], open: readonly string[], what: string): void {
  for (const each of closed) {
    const around = open.find((path) => isWithin(path, each) && path !== each);
    const within = open.find((path) => isWithin(each, path) && path !== each);
    if (around === undefined || within === undefined) continue;
    throw new ConfinementRefused(`${each} cannot ${what} on macOS while ${within} in it and ${around} around it are open`);
  }
}

/** True if a path can be read under a configuration: the innermost name that contains it decides. */
export function isShown({ filesystem }: SeatbeltConfig, path: string): boolean {
  const innermost = (names: readonly Name[]) =>
    Math.max(-1, ...names.filter((name) => isWithin(name.path, path)).map((name) => name.path.length));
  const [open, closed] = [innermost(filesystem.allowRead), innermost(filesystem.denyRead)];
  return closed === -1 || open >= closed;
}
