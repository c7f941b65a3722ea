import { lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { SandboxMount } from "./mount.ts";
import { realPath } from "./real-path.ts";

/**
 * Folders of the system's programs and their data (hier(7)); on systems with a merged `/usr`, most of these are links into it.
 * Not `/opt` and `/srv`, whose programs are found through the PATH, and not `/var`, where services keep their data.
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
  // Processors, memory and control groups: programs read here how much they may use.
  "/sys",
  // NixOS and Guix: the files of programs and the names by which they are found. Not the sockets of their builders.
  "/nix/store",
  "/nix/var/nix/profiles",
  "/run/current-system",
  "/gnu/store",
  "/var/guix/profiles",
  // Certificates on openSUSE and SLES, where /etc/ssl leads here.
  "/var/lib/ca-certificates",
  // Without it, every program that draws text reads every font first.
  "/var/cache/fontconfig",
  // Formats of TeX on Debian; without them it does not start.
  "/var/lib/texmf",
  // A link on most systems, to a folder that is empty inside.
  "/var/run",
];

/** The part of the system that every confined process sees: readable folders, links as outside, `/proc` and `/dev`. */
export function systemMounts(): SandboxMount[] {
  const folders = SYSTEM.flatMap((path): SandboxMount[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (found.isSymbolicLink()) return [{ at: path, kind: "link", target: readlinkSync(path) }];
    // Only the last part of the path may be a link here; for a link further up, its target is shown.
    const real = realPath(path);
    return real === undefined || dirname(real) !== dirname(path) ? [] : [{ at: path, kind: "bind", from: path, write: false }];
  });
  return [{ at: "/proc", kind: "proc" }, { at: "/dev", kind: "dev" }, ...folders];
}
