import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readShort } from "./admin-dirs.ts";
import { agentDir } from "./agent-view.ts";
import { type GitCall, gitEnvironment } from "./git-call.ts";
import { exists } from "./locate.ts";
import { isObjectId, objectId } from "./ref-names.ts";
import type { Store } from "./store.ts";

/** What one attempt may bring in, packed. Bytes. */
const MAX_PACK = 1024 * 1024 * 1024;

/** What a commit of a worker may hold: more than any repository has that git is known to bear. Files. */
const MAX_FILES = 1_000_000;

/** Whether a worker was confined in this worktree, so that what it committed is not in the repository yet. */
export function wasConfined(store: Store, path: string): Promise<boolean> {
  return exists(agentDir(store, path));
}

/** A branch as a confined worker left it: one in its own folder from there, any other from the repository. */
export async function readConfinedBranch(
  store: Store,
  of: { path: string; branchRef: string },
  ref: string,
): Promise<string | undefined> {
  if (dirname(ref) !== dirname(of.branchRef)) return store.readBranch(ref);
  const text = await readShort(join(agentDir(store, of.path), "refs", basename(ref)));
  return text !== undefined && isObjectId(text) ? text : undefined;
}

/**
 * Takes over what a confined worker committed: the objects that `tip` reaches and `from` does not are packed from its own
 * folder and unpacked into the repository, where git computes each id from the content, checks every object as fsck does
 * and refuses what is broken or not whole. The worker's list of further object folders is removed first: git would follow it.
 */
export async function harvest(
  store: Store,
  of: { readonly path: string; readonly tip: string; readonly from: string },
): Promise<void> {
  const objects = join(agentDir(store, of.path), "objects");
  await rm(join(objects, "info"), { recursive: true, force: true });
  const odd = (await readdir(objects, { recursive: true, withFileTypes: true })).find(
    (entry) => !entry.isFile() && !entry.isDirectory(),
  );
  if (odd !== undefined) throw new Error("the worker put something else than files among its objects");
  const revisions = `${objectId(of.tip)}\n^${objectId(of.from)}\n`;
  const { inert, objects: shared, shallow } = store.at;
  const call = {
    gitDir: join(store.scratch, "git"),
    objects: shared,
    config: inert,
    ...(shallow === undefined ? {} : { shallow }),
  };
  await pipeGit(
    store.scratch,
    { ...call, args: ["pack-objects", "--revs", "--stdout", "-q", "--thin", "--delta-base-offset"], input: revisions },
    { ...call, args: ["index-pack", "--stdin", "--fix-thin", "--strict", `--max-input-size=${MAX_PACK}`] },
    { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
  );
  await refuseTooMany(store, of.tip);
}

/**
 * A hundred objects can stand for more files than there is memory (a folder that holds another one ten times, and so on), and
 * whoever reads such a tree keeps them all. Here they are only counted.
 */
async function refuseTooMany(store: Store, commit: string): Promise<void> {
  let files = 0;
  const result = await store.tryContent(["ls-tree", "-r", "-z", "--name-only", objectId(commit)], {
    onOutput: (chunk) => {
      for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) files += 1;
      return files > MAX_FILES ? "stop" : "more";
    },
  });
  if (result.stopped) throw new Error(`what the worker committed cannot be taken: it holds more than ${MAX_FILES} files`);
}

/** Runs one git whose output another one reads. Both must succeed. */
async function pipeGit(cwd: string, from: GitCall, to: GitCall, more: Readonly<Record<string, string>>): Promise<void> {
  const producer = spawn("git", [...from.args], {
    cwd,
    env: { ...gitEnvironment(from), ...more },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const consumer = spawn("git", [...to.args], { cwd, env: gitEnvironment(to), stdio: ["pipe", "ignore", "pipe"] });
  const said = [producer, consumer].map((child) => {
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
    return () => text.trim();
  });
  producer.stdin.on("error", () => undefined);
  consumer.stdin.on("error", () => undefined);
  producer.stdout.pipe(consumer.stdin);
  producer.stdin.end(from.input);
  const [[packed], [taken]] = await Promise.all([once(producer, "close"), once(consumer, "close")]);
  if (packed === 0 && taken === 0) return;
  throw new Error(
    `what the worker committed cannot be taken: ${said
      .map((text) => text())
      .join(" ")
      .slice(0, 500)}`,
  );
}
