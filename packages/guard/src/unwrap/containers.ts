import { readOptions } from "../options.ts";
import { absolutePath } from "../paths.ts";
import { type ContainerMount, elsewhere, inContainer, isUnknown, type ShellScope } from "../shell/scope.ts";

/** How a container is made. */
interface Container {
  readonly scope: ShellScope;
  /** The program that replaces the image's own. */
  readonly entrypoint: string | undefined;
}

/** Options of `docker run` that take a value. */
const VALUED = {
  letters: "vwepulhmc",
  names: (
    "volume workdir env env-file name user publish network net mount entrypoint platform label hostname memory cpus add-host tmpfs " +
    "gpus ulimit restart pull context volumes-from device pid ipc userns cap-add security-opt shm-size runtime"
  ).split(" "),
  stopsAtOperand: true,
};

/**
 * Reads the options of `docker run`. What happens in the container stays there, but for the folders and volumes that are mounted;
 * a container that may reach the machine otherwise counts as another machine.
 */
export function readContainer(args: readonly string[], scope: ShellScope): Container {
  const { values, longs } = readOptions(args, VALUED);
  const all = (...names: readonly string[]): readonly string[] => names.flatMap((name) => values.get(name) ?? []);
  const entrypoint = all("entrypoint").at(-1);
  const isOpen =
    longs.some((long) => /^(?:privileged|volumes-from|device|cap-add)$/.test(long)) ||
    all("pid", "ipc", "userns").includes("host");
  const isUnclear = all("v", "volume", "mount").some((value) => isUnknown(value) && !/[:,]/.test(value));
  if (isOpen || isUnclear) return { scope: elsewhere(scope), entrypoint };
  const mounts = [
    ...all("v", "volume").map((value) => parseVolume(value, scope)),
    ...all("mount").map((value) => parseMount(value, scope)),
  ];
  const cwd = all("w", "workdir").at(-1);
  const known = mounts.filter((mount) => mount !== undefined);
  return { scope: inContainer(scope, known, cwd !== undefined && !isUnknown(cwd) ? cwd : undefined), entrypoint };
}

/** `source:target[:options]`. Undefined if the container may only read it, and for a volume that ends with the container. */
function parseVolume(value: string, scope: ShellScope): ContainerMount | undefined {
  const [source = "", target, options = ""] = value.split(":");
  return target === undefined || isReadOnly(options) ? undefined : mounted(source, target, scope);
}

/** `type=bind,source=…,target=…[,readonly]`. */
function parseMount(value: string, scope: ShellScope): ContainerMount | undefined {
  const fields = new Map(value.split(",").map((field) => [field.replace(/=.*/s, ""), field.replace(/^[^=]*=?/, "")]));
  const source = fields.get("source") ?? fields.get("src");
  const target = fields.get("target") ?? fields.get("dst") ?? fields.get("destination");
  const isHarmless = fields.get("type") === "tmpfs" || fields.has("readonly") || fields.has("ro");
  return source === undefined || target === undefined || isHarmless ? undefined : mounted(source, target, scope);
}

function mounted(source: string, target: string, scope: ShellScope): ContainerMount {
  const isPath = /^[./~]/.test(source);
  return { source: isPath ? absolutePath(`${source}/`, scope) : undefined, target: target.replace(/(?<=.)\/+$/, "") };
}

function isReadOnly(options: string): boolean {
  return options.split(",").includes("ro");
}
