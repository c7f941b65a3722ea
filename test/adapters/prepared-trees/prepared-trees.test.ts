import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";
import { createPreparedTrees } from "../../../src/adapters/prepared-trees/prepared-trees.ts";
import { aCheckout, keepMade, type PreparedStage, promisesOfPreparedTrees, REF } from "../../contract/prepared-trees.ts";
import { PROGRAM } from "../../e2e/stage.ts";

function openStage(): PreparedStage {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-prepared-"));
  return {
    folder,
    open: (maxBytes = 2 ** 30) =>
      createPreparedTrees({
        ...{ folder: join(folder, "kept"), locks: createLocks(join(folder, "locks"), 2), run: "test", maxBytes },
        thread: { program: PROGRAM, args: ["__tree"] },
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

promisesOfPreparedTrees(openStage);

/** In Latin-1. */
const E_ACUTE = Buffer.from([0xe9]);

const CHANGED = { ok: false, why: "the kept preparation was changed since it was made" };

describe("preparations in folders", () => {
  function staged(): PreparedStage {
    const stage = openStage();
    onTestFinished(() => stage[Symbol.dispose]());
    return stage;
  }
  const make = (checkout: string): void => {
    mkdirSync(join(checkout, "made"));
    writeFileSync(join(checkout, "made", "file"), "made");
  };

  test("drop an entry in which a file was written, even if its content, size and times were put back", async () => {
    const stage = staged();
    const store = stage.open();
    await keepMade(stage, store, make);
    const [file = ""] = globSync("kept/*/*/tree/made/file", { cwd: stage.folder }).map((path) => join(stage.folder, path));
    const before = readFileSync(file);
    writeFileSync(file, "evil");
    writeFileSync(file, before);
    utimesSync(file, 1, 1);
    const to = aCheckout(join(stage.folder, "to"));
    expect(await store.copyTo(REF, to)).toEqual(CHANGED);
    expect(globSync("made", { cwd: to })).toEqual([]);
    expect(await store.find(REF)).toBeUndefined();
  });

  test("drop an entry to which a file was added", async () => {
    const stage = staged();
    const store = stage.open();
    await keepMade(stage, store, make);
    const [folder = ""] = globSync("kept/*/*/tree/made", { cwd: stage.folder });
    writeFileSync(join(stage.folder, folder, "more"), "evil");
    expect(await store.copyTo(REF, aCheckout(join(stage.folder, "to")))).toEqual(CHANGED);
  });

  test("keep a new folder with names that are not UTF-8, and see a change behind one", async () => {
    const stage = staged();
    const store = stage.open();
    const inside = (checkout: string) => Buffer.concat([Buffer.from(join(checkout, "fixtures", "caf")), E_ACUTE]);
    const kept = await keepMade(stage, store, (checkout) => {
      mkdirSync(inside(checkout), { recursive: true });
      writeFileSync(Buffer.concat([inside(checkout), Buffer.from("/file")]), "made");
    });
    expect(kept).toMatchObject({ ok: true, tree: { roots: ["fixtures"], files: 1 } });
    const to = aCheckout(join(stage.folder, "to"));
    expect(await store.copyTo(REF, to)).toEqual({ ok: true });
    expect(readFileSync(Buffer.concat([inside(to), Buffer.from("/file")]), "utf8")).toBe("made");
    const [tree = ""] = globSync("kept/*/*/tree", { cwd: stage.folder }).map((path) => join(stage.folder, path));
    writeFileSync(Buffer.concat([inside(tree), Buffer.from("/file")]), "evil");
    expect(await store.copyTo(REF, aCheckout(join(stage.folder, "another")))).toEqual(CHANGED);
  });

  test("say why they do not keep a file whose own name is not UTF-8, and ignore one that the commit has", async () => {
    const stage = staged();
    const store = stage.open();
    const name = (checkout: string) => Buffer.concat([Buffer.from(join(checkout, "caf")), E_ACUTE]);
    const before = aCheckout(join(stage.folder, "before"));
    writeFileSync(name(before), "of the commit");
    const snapshot = await store.snapshot(before);
    make(before);
    const made = { before: snapshot, name: "app", tree: "t1", ms: 5 };
    expect(await store.keep(REF, made)).toMatchObject({ ok: true, tree: { roots: ["made"] } });
    const kept = await keepMade(stage, store, (checkout) => writeFileSync(name(checkout), "made"));
    expect(kept).toEqual({ ok: false, why: "prepare makes or changes caf\uFFFD, whose name is not UTF-8" });
  });

  test("say why they do not keep folders beyond the length of a path", async () => {
    const stage = staged();
    const store = stage.open();
    const name = "d".repeat(250);
    const kept = await keepMade(stage, store, (checkout) => {
      // No path reaches the whole, so one half is moved into the other.
      const [upper, lower] = ["upper", "lower"].map((half) => join(checkout, half, ...Array<string>(9).fill(name)));
      for (const half of [upper, lower]) mkdirSync(half ?? "", { recursive: true });
      renameSync(join(checkout, "lower"), join(upper ?? "", "lower"));
    });
    expect(kept).toEqual({ ok: false, why: "there are folders within folders beyond the length of a path" });
    expect(globSync("kept/building/*", { cwd: stage.folder })).toEqual([]);
  });

  test("do not believe an entry whose description leads out of the checkout", async () => {
    const stage = staged();
    const store = stage.open();
    await keepMade(stage, store, make);
    const [entry = ""] = globSync("kept/*/*/entry.json", { cwd: stage.folder }).map((path) => join(stage.folder, path));
    const said = JSON.parse(readFileSync(entry, "utf8")) as Record<string, unknown>;
    writeFileSync(entry, JSON.stringify({ ...said, removed: ["../../outside"] }));
    expect(await store.find(REF)).toBeUndefined();
  });

  test("remove what an engine that died left of an entry", async () => {
    const stage = staged();
    const store = stage.open();
    await keepMade(stage, store, make);
    const [kept = ""] = globSync("kept/*/*", { cwd: stage.folder, exclude: (path) => path.includes("building") });
    expect(kept).not.toBe("");
    mkdirSync(join(stage.folder, "kept", "building", "half"), { recursive: true });
    await store.clear();
    expect(globSync("kept/building/*", { cwd: stage.folder })).toEqual([]);
  });

  test("remove it when the next entry is kept, whatever its key, and leave what another engine builds", async () => {
    const stage = staged();
    const other = { repo: "other", key: "b".repeat(64) };
    const live = `${createHash("sha256").update(other.repo).digest("hex").slice(0, 32)}-${other.key.slice(0, 32)}-building`;
    for (const name of [`${"c".repeat(32)}-${"d".repeat(32)}-dead`, "removed-dead", live]) {
      mkdirSync(join(stage.folder, "kept", "building", name, "tree"), { recursive: true });
      writeFileSync(join(stage.folder, "kept", "building", name, "tree", "big"), "x".repeat(50_000));
    }
    const { promise: built, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const options = { by: "T-2", onWait: () => undefined, signal: new AbortController().signal };
    const elsewhere = stage.open().withLock(other, options, () => {
      begin();
      return built;
    });
    await begun;
    expect(await keepMade(stage, stage.open(80_000), make)).toMatchObject({ ok: true });
    expect(globSync("kept/building/*", { cwd: stage.folder })).toEqual([`kept/building/${live}`]);
    end();
    await elsewhere;
  });
});
