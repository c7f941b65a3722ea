/**
 * Keeps and copies preparations on a disk that is full: `<folder> <program>`. Prints what the store answers and what lies there, as
 * JSON. A process of its own, because only such a one sees the disk.
 */
import { closeSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";
import { createPreparedTrees } from "../../../src/adapters/prepared-trees/prepared-trees.ts";

const [folder = "", program = ""] = process.argv.slice(2);
const BIG = 6 * 2 ** 20;
const filler = join(folder, "filler");

const store = createPreparedTrees({
  ...{ folder: join(folder, "kept"), locks: createLocks(join(folder, "locks"), 2), run: "test", maxBytes: 2 ** 30 },
  thread: { program, args: ["__tree"] },
});

function aCheckout(name: string): string {
  const checkout = join(folder, "checkouts", name);
  mkdirSync(join(checkout, ".git"), { recursive: true });
  return checkout;
}

/** A checkout in which commands have made something, and its state before. */
async function made(name: string) {
  const checkout = aCheckout(name);
  const before = await store.snapshot(checkout);
  mkdirSync(join(checkout, "made"));
  writeFileSync(join(checkout, "made", "big"), Buffer.alloc(BIG, name));
  return { before, name, tree: "t1", ms: 5 };
}

/** Writes until there is no room for a single byte. */
function fill(): void {
  const file = openSync(filler, "w");
  try {
    for (let size = 2 ** 20; size >= 1; size /= 2) while (isWritten(file, size));
  } finally {
    closeSync(file);
  }
}

function isWritten(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}

const left = () => globSync(["kept/building/*", "checkouts/.*"], { cwd: folder });
const [one, two] = ["1", "2"].map((digit) => ({ repo: "r", key: digit.repeat(64) })) as [
  { repo: string; key: string },
  { repo: string; key: string },
];
const first = await store.keep(one, await made("one"));
const second = await made("two");
const to = aCheckout("to");
fill();
const copied = await store.copyTo(one, to);
const inCheckout = globSync("*", { cwd: to });
const kept = await store.keep(two, second);
const full = { copied, inCheckout, kept, whyNot: store.whyNotKept(two), found: await store.find(two), left: left() };
rmSync(filler);
const again = await store.copyTo(one, to);
const bytes = readFileSync(join(to, "made", "big"));
const isWhole = bytes.equals(Buffer.alloc(BIG, "one"));
console.log(JSON.stringify({ first: first.ok, ...full, again, isWhole, leftAtEnd: left() }));
