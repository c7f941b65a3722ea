import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createLocks } from "../src/adapters/locks/sqlite-locks.ts";
import { createPreparedTrees } from "../src/adapters/prepared-trees/prepared-trees.ts";
import type { PreparedRef, PreparedTrees } from "../src/ports/prepared-trees.ts";
import { alternate } from "./alternate.ts";
import { mustRun } from "./children.ts";
import { type Bench, type Figure, ratioFigure } from "./figure.ts";

const PROGRAM = join(resolve(import.meta.dirname, ".."), "dist", "loopdash.js");
/** Files of the tree, and how many lie in one folder. */
const FILES = 60_000;
const PER_FOLDER = 100;
const ROUNDS = 7;
/** The source of a module of some 2 KiB. */
const TEXT = "export const value = 1;\n".repeat(80);

/** The private copy of a kept preparation, against the fastest copy that the file system offers. */
export const prepared: Bench = {
  name: "prepared",
  about: "a worktree gets the copy of a prepared tree",
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), "loopdash-bench-prepared-"));
    try {
      return [await copying(folder, { files: quick ? FILES / 20 : FILES, rounds: quick ? 3 : ROUNDS, log })];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function copying(
  folder: string,
  { files, log, rounds }: { readonly files: number; readonly rounds: number; readonly log: (line: string) => void },
): Promise<Figure> {
  const store = createPreparedTrees({
    ...{ folder: join(folder, "kept"), locks: createLocks(join(folder, "locks")), run: "bench", maxBytes: 2 ** 40 },
    thread: { program: PROGRAM, args: ["__tree"] },
  });
  const ref = { repo: "bench", key: "0".repeat(64) };
  const checkout = aCheckout(folder, "made");
  const before = await store.snapshot(checkout);
  const modules = join(checkout, "node_modules");
  for (let n = 0; n < files; n += 1) {
    const parent = join(modules, `package-${Math.floor(n / PER_FOLDER)}`);
    if (n % PER_FOLDER === 0) mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, `${n}.js`), TEXT);
  }
  const made = await store.keep(ref, { before, name: "bench", tree: "0", ms: 0 });
  if (!made.ok) throw new Error(made.why);
  // Copies of one round are removed before the next: a full disk is slower.
  const inRoom = async (name: string, copy: (to: string) => Promise<void>): Promise<number> => {
    const to = aCheckout(folder, name);
    try {
      return await timed(() => copy(to));
    } finally {
      rmSync(to, { recursive: true });
    }
  };
  const plain = (name: string) => inRoom(name, (to) => fastest(join(folder, "kept"), join(to, "copy")));
  const kept = (name: string) => inRoom(name, (to) => given(store, ref, to));
  // The first copy warms the cache of the file system for both.
  await plain("warm");
  const [floor = Number.NaN, value = Number.NaN] = await alternate(rounds, [
    (round) => plain(`floor-${round}`),
    (round) => kept(`copy-${round}`),
  ]);
  log(`medians of ${rounds} rounds with ${files} files: ${floor.toFixed(0)} ms and ${value.toFixed(0)} ms`);
  return ratioFigure({
    item: "prepared",
    what: `a private copy of ${files} prepared files, with the look that nobody changed them`,
    value,
    unit: "ms",
    floor: { what: "cp --reflink=auto", value: floor },
    max: 1.5,
    note: `medians of ${rounds} alternating rounds`,
  });
}

async function given(store: PreparedTrees, ref: PreparedRef, to: string): Promise<void> {
  const copied = await store.copyTo(ref, to);
  if (!copied.ok) throw new Error(copied.why);
}

async function fastest(from: string, to: string): Promise<void> {
  const argv = ["cp", "-R", "-P", "--preserve=mode,timestamps,links", "--reflink=auto", "--", from, to] as const;
  await mustRun({ argv, cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function aCheckout(folder: string, name: string): string {
  const checkout = join(folder, name);
  mkdirSync(join(checkout, ".git"), { recursive: true });
  writeFileSync(join(checkout, ".git", "HEAD"), "ref: refs/heads/main\n");
  return checkout;
}
