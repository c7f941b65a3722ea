import { basename, dirname } from "node:path";
import { ConfinementRefused, type Layer } from "../../../ports/sandbox.ts";
import { runBriefly } from "../../executor/brief-run.ts";
import { kernelSetting } from "../why-not.ts";

/** Programs of util-linux 2.38 and newer, which every Linux distribution installs. `X-mount.mkdir` for all users came with 2.38. */
export const TOOLS = { unshare: "/usr/bin/unshare", mount: "/usr/bin/mount", setpriv: "/usr/bin/setpriv" } as const;

/** One sandbox may use this fraction (1/n) of the user's inotify instances and watches. */
const SHARES = { instances: 16, watches: 8 } as const;
const FEWEST_INSTANCES = 4;
const TRIAL_MS = 5_000;
/** The values of a kernel that does not tell them: fs.inotify of Linux 5.10 and older. */
const USUAL = { instances: 128, watches: 8_192 } as const;

/** Ends a program when its parent ends: bwrap, which the script below becomes. */
const LASTING = `${TOOLS.setpriv} --pdeathsig KILL --`;

/**
 * Remounts places every second, which makes overlayfs forget what it knows of names below them (reconfigure_super in fs/super.c).
 */
const KEEP_FRESH = `while ${LASTING} /bin/sleep 1; do for at in $0; do ${TOOLS.mount} -o remount,ro "$at" || exit; done; done`;

/**
 * Sets the limits of inotify instances and watches for this user namespace and those below it (namespaces(7), /proc/sys/user).
 * Mounts the table of file systems that is open as file 5, and remounts the changing places while the program lives. Mounts each
 * layer (folder, then the names in it of the shown folder, of `upper` and of `work`), and becomes the program that follows. The
 * names are relative, because an option of overlayfs cannot hold every path. `userxattr` lets a user namespace mount a layer, and
 * it switches redirects off: a folder that lies in `from` cannot be renamed (EXDEV), only copied
 * (Documentation/filesystems/overlayfs.rst).
 */
const SET_UP = [
  "set -e; ",
  '{ echo "$1" >/proc/sys/user/max_inotify_instances; echo "$2" >/proc/sys/user/max_inotify_watches; } 2>/dev/null || :; ',
  `if [ "$3" = table ]; then ${TOOLS.mount} -a -T /proc/self/fd/5; exec 5<&-; fi; `,
  `if [ "$4" != "" ]; then ${LASTING} /bin/sh -c "$5" "$4" </dev/null >/dev/null 2>&1 3>&- 4>&- 6>&- & fi; shift 5; `,
  'while [ "$1" != -- ]; do ',
  `cd "$1"; ${TOOLS.mount} -t overlay overlay -o "userxattr,lowerdir=$2,upperdir=$3,workdir=$4" "$2"; `,
  'shift 4; done; shift; cd /; unset OLDPWD; exec "$@"',
].join("");

/** The characters of a name that can be an option of overlayfs: no comma, colon or backslash. */
const NAME = /^[\w.-]+$/;

/**
 * The command that starts bwrap in its own user and mount namespace. There, overlayfs may be mounted without being root (Linux
 * 5.11 and newer), no outside mount appears, and inotify has its own limits. With `table`, file 5 must be a table of file systems
 * (fstab(5)). Throws ConfinementRefused for layers that cannot be mounted in this way.
 */
export function outerNamespace({
  table,
  live,
  layers,
}: {
  readonly layers?: readonly Layer[];
  readonly table?: boolean;
  /** Mount points of the overlays of the table that are kept fresh: plain paths. */
  readonly live?: readonly string[];
}): string[] {
  const drop =
    process.getuid?.() === 0 ? [] : [TOOLS.setpriv, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--"];
  const { instances, watches } = inotifyMax();
  return [
    ...[TOOLS.unshare, "--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private", "--"],
    ...["/bin/sh", "-c", SET_UP, "loopdash-namespace", String(instances), String(watches)],
    table === true ? "table" : "",
    (live ?? []).join(" "),
    KEEP_FRESH,
    ...(layers ?? []).flatMap(layerArguments),
    "--",
    ...drop,
  ];
}

/**
 * The inotify limits of one sandbox. The kernel counts for the user as a whole, so many sandboxes together must leave something
 * to the user's own programs.
 */
export function inotifyMax(setting: (name: string) => string | undefined = kernelSetting): {
  readonly instances: number;
  readonly watches: number;
} {
  const all = (name: keyof typeof USUAL): number => Number(setting(`fs.inotify.max_user_${name}`) ?? USUAL[name]);
  return {
    instances: Math.max(FEWEST_INSTANCES, Math.floor(all("instances") / SHARES.instances)),
    watches: Math.floor(all("watches") / SHARES.watches),
  };
}

/** True if a sandbox's inotify limit can be set here: one is set and read. */
export function boundsInotify(): Promise<boolean> {
  const { instances } = inotifyMax();
  // Reads the file at once: it has no second byte for a shell that reads byte by byte, as `read` of dash does.
  const read = ["/bin/sh", "-c", '[ "$(/bin/cat /proc/sys/user/max_inotify_instances)" = "$1" ]', "sh", String(instances)];
  return works([...outerNamespace({}), ...read]);
}

/** True if a program can be started and succeeds within seconds. */
export async function works(argv: readonly string[]): Promise<boolean> {
  return (await runBriefly(argv, { env: {}, timeoutMs: TRIAL_MS })).exitCode === 0;
}

function layerArguments({ from, upper, work }: Layer): string[] {
  const names = [from, upper, work].map((path) => basename(path));
  if (new Set([from, upper, work].map(dirname)).size !== 1 || names.some((name) => !NAME.test(name)))
    throw new ConfinementRefused(`no layer can be laid over ${from}: its parts must lie in one folder, under plain names`);
  return [dirname(from), ...names];
}
