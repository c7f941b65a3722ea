import { existsSync } from "node:fs";
import { mountTable } from "../mounts/mount-table.ts";
import { TOOLS, works } from "./outer-namespace.ts";

/**
 * Root may have its own mounts without a user namespace. If it may not (a container), and for other users, a user namespace is
 * needed.
 */
const WAYS = [["--mount"], ["--user", "--map-current-user", "--mount"]] as const;

/**
 * The command that starts bwrap so that later outside mounts do not appear inside. bwrap makes its mounts slaves of the outside
 * ones, not private. A later outside mount in a folder that bwrap shows would appear inside and be writable: a read-only mount
 * says nothing of mounts made on it later (mount_namespaces(7), "shared subtrees").
 *
 * Empty if no mount is shared. Undefined if one is shared and this system lets nobody detach it, for example because it forbids
 * user namespaces to every program but bwrap.
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
