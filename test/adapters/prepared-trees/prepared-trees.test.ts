import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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
