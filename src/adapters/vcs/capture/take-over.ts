import { randomUUID } from "node:crypto";
import { copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "../repository/admin-dirs.ts";
import type { Store } from "../repository/store.ts";

/** The parts of a pack, in the order in which they may appear: git takes a pack for there once its index is. */
const PARTS = [".pack", ".rev", ".idx"];

/** As `git prune` knows leftovers of a writer that is gone, and we whose it was. */
const TEMPORARY = /^tmp_loopdash_(\d+)_/;

/** A folder for objects that are not the repository's yet. */
export async function makeQuarantine(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "pack"), { recursive: true, mode: 0o700 });
  return folder;
}

/** Makes the packs of a quarantine the repository's. What is cut off in between is nothing that git reads. */
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

/** Removes what a process that is gone had not taken over yet. */
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
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
