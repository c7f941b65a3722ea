import { mountTable } from "./mount-table.ts";

/** Folders that hold a fresh file system inside anyway. */
const FRESH = /^\/(?:proc|sys|dev)(?:\/|$)/;

/**
 * Folders that are mounted on first access (autofs). They must be hidden: a mount that a confined process causes is made outside
 * and would appear inside, writable (mount_namespaces(7)).
 */
export function automounts(mountinfo?: string): string[] {
  const places = mountTable(mountinfo).flatMap(({ at, type }) => (type === "autofs" ? [at] : []));
  return [...new Set(places)].filter((place) => !FRESH.test(place));
}
