import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PreparedRef, PreparedTrees } from "../../src/ports/prepared-trees.ts";

/** A place to try a store of preparations in. */
export interface PreparedStage extends Disposable {
  readonly folder: string;
  /** Opens the store anew, as another engine would. */
  open(maxBytes?: number): PreparedTrees;
}

export const REF: PreparedRef = { repo: "repository", key: "a".repeat(64) };

/** A checkout with its own git folder. */
export function aCheckout(folder: string, files: Readonly<Record<string, string>> = { "input.txt": "in\n" }): string {
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Keeps what `prepare` makes in a fresh checkout. */
export async function keepMade(stage: PreparedStage, store: PreparedTrees, prepare: (checkout: string) => void, ref = REF) {
  const checkout = aCheckout(join(stage.folder, `made-${Math.random()}`));
  const before = await store.snapshot(checkout);
  prepare(checkout);
  return store.keep(ref, { before, name: "app", tree: "t1", ms: 5 });
}

const install = (checkout: string): void => {
  mkdirSync(join(checkout, "node_modules", "a"), { recursive: true });
  writeFileSync(join(checkout, "node_modules", "a", "index.js"), "a", { mode: 0o755 });
  symlinkSync("a", join(checkout, "node_modules", "b"));
};

/** What every store of preparations promises. */
export function promisesOfPreparedTrees(open: () => PreparedStage): void {
  const staged = (): PreparedStage => {
    const stage = open();
    onTestFinished(() => stage[Symbol.dispose]());
    return stage;
  };

  describe("a store of preparations", () => {
    test("gives another checkout what was added, with modes and links", async () => {
      const stage = staged();
      const kept = await keepMade(stage, stage.open(), install);
      expect(kept).toMatchObject({ ok: true, tree: { roots: ["node_modules"], changesCommitted: false, files: 2 } });
      const to = aCheckout(join(stage.folder, "to"));
      const store = stage.open();
      expect(await store.find(REF)).toMatchObject({ name: "app", tree: "t1", ms: 5 });
      expect(await store.copyTo(REF, to)).toEqual({ ok: true });
      expect(readFileSync(join(to, "node_modules", "b", "index.js"), "utf8")).toBe("a");
      expect(statSync(join(to, "node_modules", "a", "index.js")).mode & 0o777).toBe(0o755);
    });

    test("gives copies that share nothing: a write into one reaches no other", async () => {
      const stage = staged();
      const store = stage.open();
      await keepMade(stage, store, install);
      const [one, two] = ["one", "two"].map((name) => aCheckout(join(stage.folder, name))) as [string, string];
      expect(await store.copyTo(REF, one)).toEqual({ ok: true });
      writeFileSync(join(one, "node_modules", "a", "index.js"), "spoilt");
      linkSync(join(one, "node_modules", "a", "index.js"), join(one, "other"));
      writeFileSync(join(one, "other"), "spoilt again");
      expect(await store.copyTo(REF, two)).toEqual({ ok: true });
      expect(readFileSync(join(two, "node_modules", "a", "index.js"), "utf8")).toBe("a");
      const [inode] = [one, two].map((each) => statSync(join(each, "node_modules", "a", "index.js")).ino);
      expect(statSync(join(two, "node_modules", "a", "index.js")).ino).not.toBe(inode);
    });

    test("keeps changes to files of the commit for their own tree, and says so", async () => {
      const stage = staged();
      const store = stage.open();
      const kept = await keepMade(stage, store, (checkout) => writeFileSync(join(checkout, "input.txt"), "changed"));
      expect(kept).toMatchObject({ ok: true, tree: { roots: ["input.txt"], changesCommitted: true } });
      const to = aCheckout(join(stage.folder, "to"));
      expect(await store.copyTo(REF, to)).toEqual({ ok: true });
      expect(readFileSync(join(to, "input.txt"), "utf8")).toBe("changed");
    });

    test("keeps nothing that cannot be given away as it is, and remembers why", async () => {
      const stage = staged();
      const store = stage.open();
      const kept = await keepMade(stage, store, (checkout) => writeFileSync(join(checkout, ".git", "config"), "[core]"));
      expect(kept).toEqual({ ok: false, why: "prepare changes the git folder of the checkout" });
      expect(store.whyNotKept(REF)).toBe("prepare changes the git folder of the checkout");
      expect(await store.find(REF)).toBeUndefined();
    });

    test("puts nothing behind a link of the checkout", async () => {
      const stage = staged();
      const store = stage.open();
      const deep = (checkout: string): void => {
        mkdirSync(join(checkout, "pkg"), { recursive: true });
        writeFileSync(join(checkout, "pkg", "made"), "made");
      };
      const from = aCheckout(join(stage.folder, "from"), { "pkg/input": "x" });
      const before = await store.snapshot(from);
      deep(from);
      await store.keep(REF, { before, name: "app", tree: "t1", ms: 5 });
      const to = aCheckout(join(stage.folder, "to"));
      mkdirSync(join(stage.folder, "elsewhere"));
      symlinkSync("../elsewhere", join(to, "pkg"));
      expect(await store.copyTo(REF, to)).toEqual({ ok: false, why: "the checkout has no folder for pkg/made" });
      expect(() => statSync(join(stage.folder, "elsewhere", "made"))).toThrow("ENOENT");
    });

    test("lets one make a preparation, and tells the others whom they wait for", async () => {
      const stage = staged();
      const [store, other] = [stage.open(), stage.open()];
      const { signal } = new AbortController();
      const { promise: going, resolve: go } = Promise.withResolvers<void>();
      const order: string[] = [];
      const one = store.withLock(REF, { by: "T-1", onWait: () => undefined, signal }, async () => {
        await going;
        order.push("T-1");
      });
      const onWait = (who: string): void => {
        order.push(`waits for ${who}`);
        if (order.length === 2) go();
      };
      const two = store.withLock(REF, { by: "T-2", onWait, signal }, async () => void order.push("T-2"));
      const three = other.withLock(REF, { by: "T-3", onWait, signal }, async () => void order.push("T-3"));
      await Promise.all([one, two, three]);
      expect(order.slice(0, 3).toSorted()).toEqual(["T-1", "waits for T-1", "waits for run test"]);
      expect(order.slice(3).toSorted()).toEqual(["T-2", "T-3"]);
    });

    test("makes room by dropping what was not used for longest", async () => {
      const stage = staged();
      const store = stage.open(80_000);
      const fill = (checkout: string): void => writeFileSync(join(checkout, "big"), "x".repeat(30_000));
      const refs = ["a", "b", "c"].map((digit) => ({ repo: "r", key: digit.repeat(64) }));
      for (const ref of refs) await keepMade(stage, store, fill, ref);
      expect((await store.list()).map(({ key }) => key[0])).toEqual(["c", "b"]);
      expect(await store.clear()).toBe(2);
      expect(await store.list()).toEqual([]);
    });
  });
}
