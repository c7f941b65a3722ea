import { type Confinement, ConfinementRefused } from "../../../ports/executor.ts";
import type { SandboxMount } from "./mount.ts";
import { isSocket } from "./open-sockets.ts";
import { isWithin, type Way, wayTo, wayToPlace } from "./real-path.ts";

/** Paths that no confinement may open. */
export interface Closed {
  /** Folders that a writable folder may not contain: they hold hidden files. */
  readonly places: readonly string[];
  /** Files and folders that are never shown, by name or through a folder around them. */
  readonly secrets: readonly string[];
  /** loopdash's own state: a confinement may name parts of it, not the whole. */
  readonly state: string | undefined;
}

/**
 * The mounts that a confinement asks for, with links followed. Throws ConfinementRefused for a path that does not exist, for one
 * that would open a closed path, and for one that leads through a link which the process itself could have made.
 */
export function confinementMounts(confinement: Confinement, closed: Closed): SandboxMount[] {
  const write = confinement.write.map((path) => ({ way: wayTo(path), write: true }));
  const read = confinement.read.map((path) => ({ way: wayTo(path), write: false }));
  const layers = (confinement.layers ?? []).map(({ from, at }) => ({ from, at, write: true }));
  const mounts = [...layers, ...confinement.mounts].map((each) => ({
    from: wayTo(each.from),
    at: wayToPlace(each.at),
    write: each.write,
  }));
  const sockets = confinement.sockets.map((path) => ({ way: wayTo(path), write: false }));
  for (const { way } of sockets) {
    if (!isSocket(way.real)) throw new ConfinementRefused(`${way.real} is not a Unix socket`);
  }
  const ways = [...write, ...read, ...sockets].map(({ way }) => way);
  const sources = [...ways, ...mounts.map(({ from }) => from)];
  const places = [...ways, ...mounts.map(({ at }) => at)];
  for (const { real } of sources) refuseClosed(real, closed);
  for (const each of [...write.map(({ way }) => way), ...mounts.filter((mount) => mount.write).map(({ from }) => from)]) {
    refuseWideWrite(each.real, closed);
  }
  const writable = [...write.map(({ way }) => way.real), ...mounts.filter((mount) => mount.write).map(({ from }) => from.real)];
  for (const way of [...sources, ...places]) refuseForeignLinks(way, writable);
  refuseTwice(mounts.map(({ at }) => at.real));
  return [
    ...places.flatMap((way) => way.links).map(({ at, target }): SandboxMount => ({ at, kind: "link", target })),
    ...[...write, ...read].map(bind),
    ...mounts.map(({ from, at, write }): SandboxMount => ({ at: at.real, kind: "bind", from: from.real, write })),
    ...sockets.map(bind),
  ];
}

function bind({ way, write }: { readonly way: Way; readonly write: boolean }): SandboxMount {
  return { at: way.real, kind: "bind", from: way.real, write };
}

function refuseClosed(path: string, { secrets, state }: Closed): void {
  if (path === state) throw new ConfinementRefused(`${path} holds the state of loopdash: name what is needed of it`);
  const secret = secrets.find((each) => isWithin(each, path));
  if (secret !== undefined) throw new ConfinementRefused(`${secret} holds keys or logins: it is shown to no confined program`);
}

function refuseWideWrite(path: string, { places, secrets, state }: Closed): void {
  const inside = [...places, ...secrets, ...(state === undefined ? [] : [state])].find((place) => isWithin(path, place));
  if (inside === undefined) return;
  const what = path === inside ? "is closed to confined programs" : `holds ${inside}, which is hidden from confined programs`;
  throw new ConfinementRefused(`${path} cannot be made writable: it ${what}`);
}

/** An earlier process may have made a link in a writable folder, to lead loopdash anywhere. */
function refuseForeignLinks(way: Way, writable: readonly string[]): void {
  const link = way.links.find(({ at }) => writable.some((folder) => isWithin(folder, at)));
  if (link === undefined) return;
  throw new ConfinementRefused(`${link.at} is a symbolic link in a folder that the program may write: it is not followed`);
}

function refuseTwice(places: readonly string[]): void {
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) throw new ConfinementRefused(`two things are to be mounted at ${twice}`);
}
