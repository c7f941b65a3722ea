import { chmod, lstat, opendir, rmdir, unlink } from "node:fs/promises";
import { runBriefly } from "./executor/brief-run.ts";
import { ifThere } from "./missing-files.ts";

/** Entries that are removed here; beyond this number, `rm` continues in a process of its own. */
const MOST_HERE = 5_000;
/** Levels of folders that are removed here. */
const DEEPEST_HERE = 100;
/** Files that are removed at the same time: enough to keep a disk busy, few enough to leave the event loop free. */
const AT_ONCE = 16;

/**
 * Removes a folder and all in it, or any other file there; a missing one is fine. Links are removed, never followed. Folders
 * without write permission (module caches of several languages are like that) are made writable. A folder that is large, nested
 * beyond the length of a path, or resists is left to `rm`, which works relative to open folders and takes no memory of ours. Not
 * by fs.rm: it starts on everything at once, and held the event loop for 300 ms on 20,000 files.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await remove(Buffer.from(path), { left: MOST_HERE }, 0);
  } catch {
    await removeByProgram(path);
  }
}

/** The reason that the removal is left to a program. */
class TooMuch extends Error {}

async function remove(path: Buffer, budget: { left: number }, depth: number): Promise<void> {
  const found = await ifThere(lstat(path));
  if (found === undefined) return;
  if (!found.isDirectory()) return void (await ifThere(unlink(path)));
  if (depth > DEEPEST_HERE) throw new TooMuch();
  // The owner may list, enter and change it.
  if ((found.mode & 0o700) !== 0o700) await chmod(path, 0o700);
  const folders: Buffer[] = [];
  let files: Promise<unknown>[] = [];
  // Names are bytes: on Linux they need not be UTF-8.
  for await (const each of await opendir(path, { encoding: "buffer" as BufferEncoding })) {
    budget.left -= 1;
    if (budget.left < 0) throw new TooMuch();
    const place = Buffer.concat([path, Buffer.from("/"), each.name as unknown as Buffer]);
    if (each.isDirectory()) folders.push(place);
    else files.push(ifThere(unlink(place)));
    if (files.length >= AT_ONCE) files = (await Promise.all(files)) && [];
  }
  await Promise.all(files);
  for (const folder of folders) await remove(folder, budget, depth + 1);
  await ifThere(rmdir(path));
}

async function removeByProgram(path: string): Promise<void> {
  if ((await run("rm", "-rf", "--", path)) === undefined) return;
  // It neither follows links that it meets nor stops at a folder that may not be read yet.
  await run("chmod", "-R", "u+rwx", "--", path);
  const problem = await run("rm", "-rf", "--", path);
  if (problem !== undefined) throw new Error(`${path} could not be removed: ${problem}`);
}

/** Runs a program of the system. Gives its error output. */
async function run(...argv: readonly string[]): Promise<string | undefined> {
  const { exitCode, stderr, problem } = await runBriefly(argv, { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } });
  return exitCode === 0 ? undefined : (stderr.split("\n", 1)[0] ?? "").slice(0, 300) || problem.slice(0, 300);
}
