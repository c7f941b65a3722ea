import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../../domain/values/text.ts";
import type { SandboxMount } from "./mount.ts";
import { realPath, wayTo } from "./real-path.ts";

/** The sizes of a confined process's folders in memory: it must not use up the machine's memory. */
const BYTES = { tmp: 4 * 2 ** 30, home: 4 * 2 ** 30, shared: 2 ** 30, small: 64 * 2 ** 20 } as const;

/** Folders that are hidden as a whole: other people's files, other services' data and sockets, mail and logs. */
const HIDDEN_FOLDERS = [
  "/root",
  "/home",
  "/mnt",
  "/media",
  "/boot",
  "/etc/ssh",
  "/etc/ssl/private",
  "/etc/sudoers.d",
  "/etc/loopdash",
  "/etc/docker",
  "/etc/kubernetes",
  "/etc/rancher",
  "/etc/wireguard",
  "/etc/openvpn",
  "/etc/letsencrypt",
  "/etc/NetworkManager",
  "/var/backups",
  "/var/crash",
  "/var/db/sudo",
  "/var/lib/NetworkManager",
  "/var/lib/containerd",
  "/var/lib/containers",
  "/var/lib/docker",
  "/var/lib/incus",
  "/var/lib/kubelet",
  "/var/lib/libvirt",
  "/var/lib/lxc",
  "/var/lib/lxd",
  "/var/lib/machines",
  "/var/lib/mysql",
  "/var/lib/postgresql",
  "/var/lib/private",
  "/var/lib/rancher",
  "/var/lib/redis",
  "/var/lib/sss",
  "/var/lib/tailscale",
  "/var/log",
  "/var/mail",
  "/var/snap",
  "/var/spool",
  "/sys/class/net",
  "/sys/devices/virtual/dmi",
  "/sys/firmware",
  "/sys/fs/bpf",
  "/sys/kernel/debug",
  "/sys/kernel/tracing",
];

/** Files that only root can read; if root runs loopdash, an agent could read them too. */
const MASKED_FILES = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/krb5.keytab",
  "/proc/kcore",
  "/proc/keys",
  "/proc/key-users",
  "/proc/timer_list",
];

/** Names in a home folder that hold keys and logins. They stay hidden whatever a batch opens. `*` matches the rest of a name. */
const SECRETS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".git-credentials",
  ".netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".password-store",
  ".mozilla",
  ".thunderbird",
  ".terraform.d",
  ".vault-token",
  ".claude/.credentials.json*",
  ".codex/auth.json*",
  ".gemini/oauth_creds.json*",
  ".cargo/credentials*",
  ".gem/credentials",
  ".m2/settings*",
  ".gradle/gradle.properties",
  ".config/gcloud",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/git",
  ".config/op",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".local/share/keyrings",
];

/** The secrets that exist in these homes, by their real paths. */
export function secretsIn(homes: readonly string[]): readonly string[] {
  return homes.flatMap((home) => SECRETS.flatMap((name) => matching(home, name)).flatMap((path) => realPath(path) ?? []));
}

function matching(home: string, name: string): string[] {
  if (!name.endsWith("*")) return [join(home, name)];
  const [folder, start] = [join(home, name, ".."), name.slice(name.lastIndexOf("/") + 1, -1)];
  return entriesIn(folder)
    .filter((entry) => entry.name.startsWith(start))
    .map((entry) => join(folder, entry.name));
}

/** The entries of a folder; none if it does not exist or cannot be read. */
export function entriesIn(folder: string): Dirent[] {
  if (realPath(folder) === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasErrorCode(error, "EACCES", "ENOTDIR")) return [];
    throw error;
  }
}

/**
 * The default mounts of every confined process, in place of the outside folders. `homes` are real paths, that of HOME first;
 * `hide` are further folders and files.
 */
export function defaultMounts(homes: readonly string[], hide: readonly string[]): SandboxMount[] {
  const closed = [...MASKED_FILES, ...secretsIn(homes), ...HIDDEN_FOLDERS, ...homes.slice(1), ...hide];
  const places = closed.flatMap((path) => realPath(path) ?? []).filter((at) => at !== "/");
  const [home] = homes;
  return [
    ...places.map((at): SandboxMount => ({ at, kind: statSync(at).isDirectory() ? "hidden" : "masked" })),
    ...own("/tmp", "1777", BYTES.tmp),
    ...own("/var/tmp", "1777", BYTES.shared),
    ...own("/run", "0755", BYTES.small),
    // A real folder on some systems, a link to /run on most.
    ...own("/var/run", "0755", BYTES.small),
    { at: "/dev/shm", kind: "private", mode: "1777", bytes: BYTES.shared },
    ...(home === undefined ? [] : own(home, "0700", BYTES.home)),
  ];
}

/** A private folder, and the links by which `path` leads to it: programs write to /tmp also where that is a link. */
function own(path: string, mode: string, bytes: number): SandboxMount[] {
  if (realPath(path) === undefined) return [];
  const { real, links } = wayTo(path);
  if (real === "/") return [];
  return [
    ...links.map(({ at, target }): SandboxMount => ({ at, kind: "link", target })),
    { at: real, kind: "private", mode, bytes },
  ];
}
