import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { withPatchedFs } from "../../helpers/patched-fs.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const scratch = scratchFolder();
const THREAD = { program: join(import.meta.dirname, "reading-thread.child.ts"), args: [] };
const IDS = ["A-1", "A-2", "A-3"].map((id) => TicketId.parse(id));
const [A1] = IDS as [TicketId];

/** A folder of tickets whose reader is a thread. */
function opened() {
  const folder = scratch();
  for (const id of IDS) writeFileSync(join(folder, `${id}.md`), `---\nid: ${id}\n---\n# Ticket ${id}\n\nWords.\n`);
  const tracker = createFolderTracker({ folder, ids: IDS, thread: THREAD });
  onTestFinished(tracker.watch(() => undefined));
  return { folder, tracker };
}

/** The files of the folder that this thread, which is the engine's event loop, opens or looks at meanwhile. */
async function filesReadHere(folder: string, act: () => Promise<unknown>): Promise<readonly string[]> {
  const seen = new Set<string>();
  const noted = <F extends (...args: never[]) => unknown>(real: F): F =>
    ((...args: Parameters<F>) => {
      const path = String(args[0]);
      if (dirname(path) === folder && path.endsWith(".md")) seen.add(basename(path));
      return real(...args);
    }) as F;
  await withPatchedFs("open", noted, () => withPatchedFs("lstat", noted, act as () => Promise<void>));
  return [...seen].toSorted();
}

describe("the event loop of the engine reads no file of the folder", () => {
  test("for a snapshot", async () => {
    const { folder, tracker } = opened();
    expect(await filesReadHere(folder, () => tracker.snapshot())).toEqual([]);
    expect((await tracker.snapshot()).map(({ id, state }) => [id, state.as])).toEqual(IDS.map((id) => [id, "open"]));
  });

  test("to know which names are taken", async () => {
    const { folder, tracker } = opened();
    expect(await filesReadHere(folder, () => tracker.taken())).toEqual([]);
    expect(await tracker.taken()).toEqual(expect.arrayContaining([...IDS]));
  });

  test("but the one that it writes: the first write of a resumed engine", async () => {
    const { folder, tracker } = opened();
    expect(await filesReadHere(folder, () => tracker.set(A1, { as: "done" }, "merged"))).toEqual(["A-1.md"]);
    expect(readFileSync(join(folder, "A-1.md"), "utf8")).toContain("state: done");
  });

  test("but the one that it files", async () => {
    const { folder, tracker } = opened();
    const found = { id: TicketId.parse("A-9"), title: "Found", body: "", repo: RepoId.parse("app"), note: "found" };
    expect(await filesReadHere(folder, () => tracker.file(found))).toEqual(["A-9.md"]);
    expect((await tracker.snapshot()).map(({ id }) => id)).toEqual([...IDS, "A-9"]);
  });
});

test("a file that was renamed is found by its new name", async () => {
  const { folder, tracker } = opened();
  await tracker.snapshot();
  renameSync(join(folder, "A-1.md"), join(folder, "B.md"));
  await tracker.set(A1, { as: "done" }, "merged");
  expect(readFileSync(join(folder, "B.md"), "utf8")).toContain("state: done");
});

test("a folder that is not there is an error that a person can fix, from the thread, too", async () => {
  const tracker = createFolderTracker({ folder: join(scratch(), "none"), ids: IDS, thread: THREAD });
  await expect(tracker.snapshot()).rejects.toThrow(UserError);
  await expect(tracker.snapshot()).rejects.toThrow("there is no such folder");
});

test("readings that are asked for together take turns", async () => {
  const { tracker } = opened();
  const [a, b, c] = await Promise.all([tracker.snapshot(), tracker.read(), tracker.taken()]);
  expect([a.length, b.tickets.size, c.length]).toEqual([3, 3, 6]);
});
