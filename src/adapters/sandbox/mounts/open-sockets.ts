import { lstatSync, readFileSync } from "node:fs";
import { realPath } from "./real-path.ts";

/**
 * The Unix sockets of this machine that have a path, by real path. A process can talk to a socket through a read-only mount and
 * from another network namespace, so each visible one must be masked (unix(7)).
 */
export function openSockets(): string[] {
  const lines = readFileSync("/proc/net/unix", "utf8").split("\n").slice(1);
  // Seven fields, then the path, which may hold spaces.
  const paths = lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].flatMap((path) => realPath(path) ?? []).filter(isSocket);
}

/** True if there is a socket at a path. */
export function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}
