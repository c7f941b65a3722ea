import { mountTable } from "./mount-table.ts";

/** Places where a file system is fresh inside anyway. */
const FRESH = /^\/(?:proc|sys|dev)(?:\/|$)/;

/**
 * Folders that are mounted when somebody first looks into them (autofs). They have to be hidden: what a confined process
 * causes to be mounted there is mounted outside and would appear inside as well, writable (mount_namespaces(7)).
 */
export function automounts(mountinfo?: string): string[] {
  const places = mountTable(mountinfo).flatMap(({ at, type }) => (type === "autofs" ? [at] : []));
  return [...new Set(places)].filter((place) => !FRESH.test(place));
}
