import { lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { Mount } from "./mount.ts";
import { realPath } from "./real-path.ts";

/**
 * What programs of the system are made of and read (hier(7)); on systems with one `/usr` most of these are links into it. Not
 * `/opt` and `/srv`, whose programs come by the PATH, and not `/var`, where services keep their data.
 */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  // Processors, memory and control groups, by which programs find how much they may use.
  "/sys",
  // NixOS and Guix: what programs are made of, and by which names they are found. Not the sockets of their builders.
  "/nix/store",
  "/nix/var/nix/profiles",
  "/run/current-system",
  "/gnu/store",
  "/var/guix/profiles",
  // Certificates on openSUSE and SLES, where /etc/ssl leads here.
  "/var/lib/ca-certificates",
  // Without it whatever draws text reads every font first.
  "/var/cache/fontconfig",
  // Formats of TeX on Debian; without them it does not start.
  "/var/lib/texmf",
  // A link on most systems, to a folder that is empty inside.
  "/var/run",
];

/** What every confined process finds of the system: folders that it may read, links as they are outside, `/proc` and `/dev`. */
export function systemMounts(): Mount[] {
  const folders = SYSTEM.flatMap((path): Mount[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (found.isSymbolicLink()) return [{ at: path, kind: "link", target: readlinkSync(path) }];
    // Only the last part of the path may be a link here; where a folder above it is one, what it leads to is shown.
    const real = realPath(path);
    return real === undefined || dirname(real) !== dirname(path) ? [] : [{ at: path, kind: "bind", from: path, write: false }];
  });
  return [{ at: "/proc", kind: "proc" }, { at: "/dev", kind: "dev" }, ...folders];
}
