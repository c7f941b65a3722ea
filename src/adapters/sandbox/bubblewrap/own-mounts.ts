import { existsSync } from "node:fs";
import { mountTable } from "../mounts/mount-table.ts";
import { TOOLS, works } from "./outer-namespace.ts";

/** Root may have mounts of its own without a user namespace; where it may not (a container), and for others, it takes one. */
const WAYS = [["--mount"], ["--user", "--map-current-user", "--mount"]] as const;

/**
 * What has to start bwrap, so that what is mounted outside while it runs does not appear inside. bwrap makes its mounts slaves
 * of those outside, not private ones; what is mounted outside in a folder that it shows would be there, and writable, for
 * a read-only mount says nothing of what is mounted on it later (mount_namespaces(7), "shared subtrees").
 *
 * Nothing where no mount is shared. Undefined where one is, and this system lets nobody cut it off: it forbids user
 * namespaces to all but bwrap, say.
 */
export async function ownMounts(bwrap: string): Promise<readonly string[] | undefined> {
  if (!mountTable().some(({ receives }) => receives)) return [];
  if (!existsSync(TOOLS.unshare)) return undefined;
  for (const way of WAYS) {
    const prefix = [TOOLS.unshare, ...way, "--propagation", "private", "--"];
    if (await works([...prefix, bwrap, "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--", "/bin/true"]))
      return prefix;
  }
  return undefined;
}
