import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ConfinementRefused, type Layer } from "../../ports/sandbox.ts";
import { systemCode } from "../disk-error.ts";

/** Programs of util-linux 2.37 and newer, which every Linux distribution installs. `unshare --keep-caps` came with 2.36. */
const TOOLS = { unshare: "/usr/bin/unshare", mount: "/usr/bin/mount", setpriv: "/usr/bin/setpriv" } as const;
const TRIAL_MS = 5_000;

/**
 * Mounts each layer (folder, then the names in it of what is shown, of `upper` and of `work`) and becomes the program that
 * follows. The names are relative: an option of overlayfs cannot hold every path. `userxattr` is what lets a user namespace
 * mount it, and it switches redirects off: a folder that lies in `from` cannot be renamed (EXDEV), only copied
 * (Documentation/filesystems/overlayfs.rst).
 */
const LAY = [
  "set -e; ",
  'while [ "$1" != -- ]; do ',
  `cd "$1"; ${TOOLS.mount} -t overlay overlay -o "userxattr,lowerdir=$2,upperdir=$3,workdir=$4" "$2"; `,
  'shift 4; done; shift; cd /; exec "$@"',
].join("");

/** What a name may hold that is an option of overlayfs: no comma, colon or backslash. */
const NAME = /^[\w.-]+$/;

/**
 * What starts bwrap with these layers: a user and mount namespace of its own, in which overlayfs may be mounted without
 * being root (Linux 5.11 and newer). Throws ConfinementRefused for layers that cannot be mounted in this way.
 */
export function layerStarter(layers: readonly Layer[]): string[] {
  const drop =
    process.getuid?.() === 0 ? [] : [TOOLS.setpriv, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--"];
  return [
    ...[TOOLS.unshare, "--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private", "--"],
    ...["/bin/sh", "-c", LAY, "loopdash-layers"],
    ...layers.flatMap(layerArguments),
    "--",
    ...drop,
  ];
}

function layerArguments({ from, upper, work }: Layer): string[] {
  const names = [from, upper, work].map((path) => basename(path));
  if (new Set([from, upper, work].map(dirname)).size !== 1 || names.some((name) => !NAME.test(name)))
    throw new ConfinementRefused(`no layer can be laid over ${from}: its parts must lie in one folder, under plain names`);
  return [dirname(from), ...names];
}

/** Whether this kernel and this user can lay layers in `folder` (default: the temporary folder): one is laid and looked at. */
export async function canLayLayers(bwrap: string, folder: string = tmpdir()): Promise<boolean> {
  if (!Object.values(TOOLS).every((tool) => existsSync(tool))) return false;
  let trial: string;
  try {
    trial = mkdtempSync(join(existsSync(folder) ? folder : tmpdir(), ".loopdash-layer-"));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
  const layer: Layer = { from: join(trial, "from"), at: "/", upper: join(trial, "upper"), work: join(trial, "work") };
  try {
    for (const path of [layer.from, layer.upper, layer.work]) mkdirSync(path);
    writeFileSync(join(layer.from, "file"), "before");
    const write = ["/bin/sh", "-c", 'echo after >"$1"', "sh", join(layer.from, "file")];
    const bound = ["--unshare-user", "--disable-userns", "--unshare-pid", "--bind", "/", "/", "--proc", "/proc", "--"];
    const isLaid = await works([...layerStarter([layer]), bwrap, ...bound, ...write]);
    return isLaid && readFileSync(join(layer.from, "file"), "utf8") === "before" && existsSync(join(layer.upper, "file"));
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

function works([program = "", ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { env: {}, timeout: TRIAL_MS, killSignal: "SIGKILL" }, (error) => resolve(error === null));
  });
}
