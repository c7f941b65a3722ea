import { readFileSync } from "node:fs";
import { systemCode } from "../disk-error.ts";

/** The reason why a program cannot be confined here, and the remedy. */
export interface WhyNot {
  readonly why: string;
  readonly todo: string;
}

/** Kernel settings that forbid user namespaces to ordinary users: the forbidding value, and how to change it. */
const SETTINGS = [
  { name: "kernel.unprivileged_userns_clone", forbids: "0", allow: "1" },
  { name: "kernel.apparmor_restrict_unprivileged_userns", forbids: "1", allow: "0" },
  { name: "user.max_user_namespaces", forbids: "0", allow: "15000" },
] as const;

/** Messages of bwrap when it may not create or set up a namespace. */
const NAMESPACES = /new namespace|[ug]id.?map|RTM_NEW|make \/ slave/i;

export const NOT_INSTALLED: WhyNot = {
  why: "bubblewrap is not installed: there is no bwrap on the PATH",
  todo: "Run: sudo apt install bubblewrap (Fedora: sudo dnf install bubblewrap; Arch: sudo pacman -S bubblewrap).",
};

/** Explains a failure of bwrap from its output and from kernel settings (read by name; undefined if unknown). */
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

/** A kernel setting by its sysctl(8) name, or undefined if this kernel does not have it. */
export function kernelSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
