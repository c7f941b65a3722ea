import { createHash } from "node:crypto";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGit } from "../../../src/adapters/vcs/git/run-git.ts";
import { cleanUp, git, newRepo, setUp, tempDir, trap, write } from "./real-repo.ts";

cleanUp();

/** The bytes of a chunk of a commit-graph file, by gitformat-commit-graph(5): an id of four letters and an offset each. */
function chunkOf(graph: Buffer, id: string): { readonly at: number; readonly end: number } {
  for (let entry = 8; ; entry += 12) {
    if (entry > 200) throw new Error(`no chunk ${id}`);
    if (graph.toString("latin1", entry, entry + 4) !== id) continue;
    return { at: Number(graph.readBigUInt64BE(entry + 4)), end: Number(graph.readBigUInt64BE(entry + 16)) };
  }
}

/** Writes the cache of a repository's history, in which `child` has the parent `parent`, which it has not. */
function forgeGraph(user: string, child: string, parent: string): void {
  git(user, "commit-graph", "write", "--reachable");
  const file = join(user, ".git/objects/info/commit-graph");
  const graph = readFileSync(file);
  const { at, end } = chunkOf(graph, "OIDL");
  const ids = Array.from({ length: (end - at) / 20 }, (_, i) => graph.toString("hex", at + i * 20, at + i * 20 + 20));
  const entry = chunkOf(graph, "CDAT").at + ids.indexOf(child) * 36;
  graph.writeUInt32BE(ids.indexOf(parent), entry + 20);
  const body = graph.subarray(0, -20);
  rmSync(file, { force: true });
  writeFileSync(file, Buffer.concat([body, createHash("sha1").update(body).digest()]));
}

test("a forged cache of the history does not make the base contain what never landed", async () => {
  const of = await setUp();
  git(of.user, "switch", "-q", "-c", "side");
  write(of.user, "b.txt", "never landed\n");
  git(of.user, "commit", "-qam", "side");
  git(of.user, "switch", "-q", "main");
  for (const text of ["2\n", "3\n", "4\n"]) {
    write(of.user, "a.txt", text);
    git(of.user, "commit", "-qam", text.trim());
  }
  // The tip itself is always read.
  const [side, below] = [git(of.user, "rev-parse", "side"), git(of.user, "rev-parse", "main~1")];
  expect(await of.repo.contains(side)).toBe(false);
  forgeGraph(of.user, below, side);
  // Whoever believes the cache is told otherwise.
  expect(git(of.user, "merge-base", "side", "main")).toBe(side);
  expect(await of.repo.contains(side)).toBe(false);
  expect(await of.repo.contains(of.first)).toBe(true);
});

test("a missing object is fetched from nowhere, whatever the repository allows for itself", async () => {
  const root = tempDir();
  const bait = trap(root);
  const user = newRepo(root);
  const missing = git(user, "rev-parse", "main:a.txt");
  const object = join(user, ".git/objects", missing.slice(0, 2), missing.slice(2));
  chmodSync(object, 0o600);
  rmSync(object);
  for (const [key, value] of [
    ["core.repositoryFormatVersion", "1"],
    ["extensions.partialClone", "evil"],
    ["remote.evil.promisor", "true"],
    ["remote.evil.url", `ext::touch ${join(root, "SPRUNG")}`],
    ["protocol.ext.allow", "always"],
  ] as const)
    git(user, "config", key, value);
  const call = { gitDir: join(user, ".git"), args: ["cat-file", "-e", missing] };
  expect(await runGit(root, call)).toMatchObject({ status: 1 });
  expect(bait.sprung()).toBe(false);
  expect(() => git(user, "cat-file", "-e", missing)).toThrow();
  expect(bait.sprung()).toBe(true);
});
