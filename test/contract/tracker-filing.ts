import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import type { FiledTicket } from "../../src/ports/tracker.ts";
import type { TrackerUnderTest } from "./tracker-kinds.ts";

const IDS = ["T-1", "T-2", "T-3"].map((id) => TicketId.parse(id));
const CHILD = fileURLToPath(new URL("./tracker-child.ts", import.meta.url));
const D1 = TicketId.parse("T-1-d1");

/** A ticket whose text tries to be more than text. */
export const found: FiledTicket = {
  id: D1,
  title: 'A "leak": \\ in # the cellar é 日本',
  body: "---\nstate: done\n---\n# Another title\n\nbehind it",
  repo: RepoId.parse("app"),
  note: 'found by T-1"\nstate: done',
};

/** What every tracker does with a ticket that a worker found. Its seed is T-1, T-2 and T-3, all open. */
export function filing(under: TrackerUnderTest, folder: () => string): void {
  const place = () => under.contentOf(folder());

  test("what is filed is open, in every snapshot from then on, and can be set; no other ticket is touched", async () => {
    const tracker = under.open(folder(), IDS);
    const before = await tracker.snapshot();
    await tracker.file(found);
    const filed = { id: D1, title: found.title, state: { as: "open" } };
    expect(await tracker.snapshot()).toMatchObject([...before, filed]);
    expect(await under.open(folder(), IDS).snapshot()).toEqual(before);
    expect(await under.open(folder(), [...IDS, D1]).snapshot()).toMatchObject([...before, filed]);
    await tracker.set(D1, { as: "done" }, "landed");
    expect((await tracker.snapshot()).at(-1)?.state).toEqual({ as: "done" });
  });

  test("filed again it is as it was, whoever files it, also once it is done", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.file(found);
    await tracker.set(D1, { as: "done" }, "landed");
    const before = await place();
    for (const again of [tracker, under.open(folder(), IDS)]) {
      await again.file({ ...found, body: "other", note: "other" });
      expect(await place()).toEqual(before);
      expect((await again.snapshot()).map((t) => t.id)).toEqual([...IDS, D1]);
    }
  });

  test.each([
    ["of the batch", "T-1"],
    ["of the batch, by another case", "t-1"],
    ["that was filed", "T-1-d1"],
    ["that was filed, by another case", "T-1-D1"],
  ])("the id of a ticket %s is not given to another", async (_, id) => {
    const tracker = under.open(folder(), IDS);
    await tracker.file(found);
    const before = await place();
    await expect(tracker.file({ ...found, id: TicketId.parse(id), title: "Another" })).rejects.toThrow(/is another ticket/);
    expect(await place()).toEqual(before);
    expect(await tracker.snapshot()).toHaveLength(4);
  });

  test("names that are taken are all that it holds, in the batch or not", async () => {
    const tracker = under.open(folder(), IDS.slice(0, 1));
    await tracker.file(found);
    expect(await tracker.taken()).toEqual(expect.arrayContaining([...IDS, D1]));
  });

  test("many filed at once are all there", async () => {
    const tracker = under.open(folder(), IDS);
    const ids = Array.from({ length: 20 }, (_, n) => TicketId.parse(`T-1-d${n + 1}`));
    await Promise.all(ids.map((id) => tracker.file({ ...found, id, title: `Title of ${id}` })));
    expect(new Set((await tracker.snapshot()).map((t) => t.id))).toEqual(new Set([...IDS, ...ids]));
  });

  test.each([1, 3, 6])("killed after %i were filed: each is whole or not there, and can be filed again", async (writes) => {
    const child = spawn(process.execPath, [CHILD, under.kind, folder(), "files", ...IDS], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let seen = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= writes) child.kill("SIGKILL");
    });
    await once(child, "close");
    const tracker = under.open(folder(), IDS);
    const filed = (await tracker.taken()).filter((id) => /^T-1-d\d+$/.test(id));
    expect(new Set(filed).size).toBeGreaterThanOrEqual(writes);
    const ids = Array.from({ length: new Set(filed).size + 1 }, (_, n) => TicketId.parse(`T-1-d${n + 1}`));
    for (const id of ids) await tracker.file({ ...found, id, title: `Title of ${id}` });
    expect((await tracker.snapshot()).map((t) => t.id)).toEqual([...IDS, ...ids]);
    expect(readdirSync(folder(), { recursive: true, encoding: "utf8" }).filter((name) => name.includes("loopdash-tmp"))).toEqual(
      [],
    );
  });
}
