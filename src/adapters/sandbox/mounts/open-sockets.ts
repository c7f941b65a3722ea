import { lstatSync, readFileSync } from "node:fs";
import { realPath } from "./real-path.ts";

/**
 * The Unix sockets of this machine that have a place in the file system, by real path. A socket can be talked to through a
 * read-only mount and from another network namespace, so each that stays visible has to be masked (unix(7)).
 */
export function openSockets(): string[] {
  const lines = readFileSync("/proc/net/unix", "utf8").split("\n").slice(1);
  // Seven fields, then the path, which may hold spaces.
  const paths = lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].flatMap((path) => realPath(path) ?? []).filter(isSocket);
}

/** Whether there is a socket at a path. */
export function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}
