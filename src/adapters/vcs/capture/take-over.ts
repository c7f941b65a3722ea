import { randomUUID } from "node:crypto";
import { copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../../domain/values/text.ts";
import { ifThere, type Store } from "../repository/store.ts";

/** The parts of a pack, in the order in which they may appear: git uses a pack once its index exists. */
const PARTS = [".pack", ".rev", ".idx"];

/** Matches leftovers of a writer as `git prune` knows them, with the writer's pid. */
const TEMPORARY = /^tmp_loopdash_(\d+)_/;

/** A folder for objects that are not yet the repository's. */
export async function makeQuarantine(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "pack"), { recursive: true, mode: 0o700 });
  return folder;
}

/** Moves the packs of a quarantine into the repository. If it is interrupted, git reads nothing of the rest. */
export async function takeOver(store: Store, quarantine: string): Promise<void> {
  const from = join(quarantine, "pack");
  const to = join(store.at.objects, "pack");
  const names = await readdir(from);
  const taken = PARTS.flatMap((end) => names.filter((name) => /^pack-[0-9a-f]+\.\w+$/.test(name) && name.endsWith(end)));
  await mkdir(to, { recursive: true });
  const ends = new Set(await readdir(to));
  for (const name of taken) if (!ends.has(name)) await moveFile(join(from, name), to, name);
}

async function moveFile(from: string, folder: string, name: string): Promise<void> {
  const temporary = join(folder, `tmp_loopdash_${process.pid}_${randomUUID()}`);
  try {
    await copyFile(from, temporary);
    const file = await open(temporary, "r");
    try {
      await file.chmod(0o444);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes files that an ended process had not yet moved. */
export async function sweepTemporary(objects: string): Promise<void> {
  const folder = join(objects, "pack");
  for (const name of (await ifThere(readdir(folder))) ?? []) {
    const pid = TEMPORARY.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasErrorCode(error, "EPERM");
  }
}
