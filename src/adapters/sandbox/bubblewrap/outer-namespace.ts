import { closeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { shellWord } from "@loopdash/values";
import { ConfinementRefused, type Layer } from "../../../ports/executor.ts";
import { runBriefly } from "../../executor/brief-run.ts";
import { kernelSetting } from "../why-not.ts";
import { becoming } from "./starter.ts";
import { unlinkedFile } from "./unlinked-file.ts";

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

/** The characters of a name that can be an option of overlayfs: no comma, colon or backslash. */
const NAME = /^[\w.-]+$/;

/**
 * The command that starts bwrap in its own user and mount namespace. There, overlayfs may be mounted without being root (Linux
 * 5.11 and newer), no outside mount appears, and inotify has its own limits: those of this user namespace and those below it
 * (namespaces(7), /proc/sys/user). With `table`, file 6 must be a table of file systems (fstab(5)); it may contain `layerTable`.
 * Throws ConfinementRefused for layers that cannot be mounted in this way.
 */
export function outerNamespace({
  first = [],
  table,
  live = [],
  layers = [],
}: {
  /** What the shell does there first. */
  readonly first?: readonly string[];
  readonly layers?: readonly Layer[];
  readonly table?: boolean;
  /** Mount points of the overlays of the table that are kept fresh: plain paths. */
  readonly live?: readonly string[];
}): string[] {
  const drop =
    process.getuid?.() === 0 ? [] : [TOOLS.setpriv, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--"];
  const { instances, watches } = inotifyMax();
  const script = [
    `{ echo ${instances} >/proc/sys/user/max_inotify_instances; echo ${watches} >/proc/sys/user/max_inotify_watches; } 2>/dev/null || :; `,
    ...first,
    ...(table === true ? [`cd ${shellWord(layersFolder(layers))}; ${TOOLS.mount} -a -T /proc/self/fd/6; exec 6<&-; `] : []),
    ...(live.length === 0
      ? []
      : [
          `${LASTING} /bin/sh -c ${shellWord(KEEP_FRESH)} ${shellWord(live.join(" "))} </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- & `,
        ]),
  ];
  const namespace = [TOOLS.unshare, "--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private", "--"];
  return [...namespace, ...becoming(script), ...drop];
}

/**
 * The lines of a table that mount layers. The names are relative to the folder of all their parts, because an option of overlayfs
 * cannot hold every path. `userxattr` lets a user namespace mount a layer, and it switches redirects off: a folder that lies in
 * `from` cannot be renamed (EXDEV), only copied (Documentation/filesystems/overlayfs.rst).
 */
export function layerTable(layers: readonly Layer[]): string {
  return layers
    .map(({ from, upper, work }) => [from, upper, work].map((path) => basename(path)))
    .map(([lower, upper, work]) => `none ${lower} overlay userxattr,lowerdir=${lower},upperdir=${upper},workdir=${work} 0 0\n`)
    .join("");
}

/** The folder in which all parts of the layers lie. */
function layersFolder(layers: readonly Layer[]): string {
  const parts = layers.flatMap(({ from, upper, work }) => [from, upper, work]);
  if (new Set(parts.map(dirname)).size > 1 || parts.some((path) => !NAME.test(basename(path)))) {
    const where = layers.map(({ from }) => from).join(", ");
    throw new ConfinementRefused(`no layer can be laid over ${where}: all parts must lie in one folder, under plain names`);
  }
  return dirname(parts[0] ?? "/");
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

/** True if a program can be started and succeeds within seconds; with `table` as its file 6. */
export async function works(argv: readonly string[], table?: string): Promise<boolean> {
  const file = table === undefined ? undefined : unlinkedFile(Buffer.from(table));
  const opening = file === undefined ? [] : ["/bin/sh", "-c", 'exec 6<"$1"; shift; exec "$@"', "sh", file.path];
  try {
    return (await runBriefly([...opening, ...argv], { env: {}, timeoutMs: TRIAL_MS })).exitCode === 0;
  } finally {
    if (file !== undefined) closeSync(file.fd);
  }
}
