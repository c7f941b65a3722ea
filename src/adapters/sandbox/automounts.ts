import { readFileSync } from "node:fs";

/** Places where a file system is fresh inside anyway. */
const FRESH = /^\/(?:proc|sys|dev)(?:\/|$)/;

/**
 * Folders that are mounted when somebody first looks into them (autofs). They have to be hidden: what a confined process
 * causes to be mounted there is mounted outside and would appear inside as well, writable (mount_namespaces(7)).
 */
export function automounts(mountinfo: string = readFileSync("/proc/self/mountinfo", "utf8")): string[] {
  const lines = mountinfo.split("\n").filter((line) => / - autofs /.test(line));
  const places = lines.flatMap((line) => line.split(" ")[4] ?? []).map(unescaped);
  return [...new Set(places)].filter((place) => !FRESH.test(place));
}

/** Blanks, tabs, newlines and backslashes are written as octal numbers (proc_pid_mountinfo(5)). */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
