import { readFileSync } from "node:fs";
import { systemCode } from "../disk-error.ts";

/** Why a program cannot be confined here, and what to do about it. */
export interface WhyNot {
  readonly why: string;
  readonly todo: string;
}

/** Settings of the kernel that forbid user namespaces to ordinary users: the value that does, and how it is changed. */
const SETTINGS = [
  { name: "kernel.unprivileged_userns_clone", forbids: "0", allow: "1" },
  { name: "kernel.apparmor_restrict_unprivileged_userns", forbids: "1", allow: "0" },
  { name: "user.max_user_namespaces", forbids: "0", allow: "15000" },
] as const;

/** How bwrap's own messages read where it may not make or set up a namespace. */
const NAMESPACES = /new namespace|[ug]id.?map|RTM_NEW|make \/ slave/i;

export const NOT_INSTALLED: WhyNot = {
  why: "bubblewrap is not installed: there is no bwrap on the PATH",
  todo: "Run: sudo apt install bubblewrap (Fedora: sudo dnf install bubblewrap; Arch: sudo pacman -S bubblewrap).",
};

/** Says why bwrap failed, from what it printed and from settings of the kernel (read by name; undefined where unknown). */
export function whyItFailed(output: string, setting: (name: string) => string | undefined): WhyNot {
  const forbidding = SETTINGS.find(({ name, forbids }) => setting(name) === forbids);
  const isAboutNamespaces = NAMESPACES.test(output);
  const said = output.trim().split("\n", 1)[0] ?? "";
  if (forbidding !== undefined && isAboutNamespaces) {
    const profile = forbidding.name.includes("apparmor") ? ", or install an AppArmor profile that allows it for bwrap" : "";
    return {
      why: `this system forbids user namespaces: ${forbidding.name} is ${forbidding.forbids} (${said})`,
      todo: `Run: sudo sysctl -w ${forbidding.name}=${forbidding.allow} (and put it in /etc/sysctl.d to keep it)${profile}.`,
    };
  }
  if (isAboutNamespaces) {
    return {
      why: `this system does not let bwrap make namespaces (${said})`,
      todo: "Inside a container, start that with user namespaces allowed (Docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined).",
    };
  }
  return { why: `bwrap does not work here: ${said}`, todo: "Run bwrap by hand to see why: bwrap --ro-bind / / true." };
}

/** A setting of the kernel by its sysctl(8) name, or undefined where this kernel has none of it. */
export function kernelSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
