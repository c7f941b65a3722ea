import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Layer } from "../../../ports/executor.ts";
import { systemCode } from "../../disk-error.ts";
import { layerTable, outerNamespace, TOOLS, works } from "../bubblewrap/outer-namespace.ts";

/** True if this kernel and this user can mount layers in `folder` (default: the temporary folder): one is mounted and checked. */
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
    const command = [...outerNamespace({ layers: [layer], table: true }), bwrap, ...bound, ...write];
    const isLaid = await works(command, layerTable([layer]));
    return isLaid && readFileSync(join(layer.from, "file"), "utf8") === "before" && existsSync(join(layer.upper, "file"));
  } finally {
    openWork(layer);
    rmSync(trial, { recursive: true, force: true });
  }
}

/** Makes the `work` folder of a layer removable: overlayfs leaves a folder in it that not even its owner may open. */
export function openWork({ work }: Layer): void {
  try {
    chmodSync(join(work, "work"), 0o700);
  } catch (error) {
    // Nothing was mounted, or somebody has removed it.
    if (systemCode(error) === undefined) throw error;
  }
}
