import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { TicketConflict } from "../../src/ports/tracker.ts";
import type { TrackerUnderTest } from "./tracker-kinds.ts";

const [A, B] = [TicketId.parse("T-1"), TicketId.parse("T-2")];

/** How a tracker shows what people do in it. */
export function looking(under: TrackerUnderTest, folder: () => string): void {
  test("a reading has every ticket with its words and revision, which no look changes", async () => {
    const tracker = under.open(folder(), [A]);
    const first = await tracker.read();
    expect([...first.tickets.keys()].sort()).toEqual(["T-1", "T-2", "T-3"]);
    expect(first.tickets.get(A)).toMatchObject({ title: "Title of T-1", state: { as: "open" } });
    const again = (await tracker.read()).tickets.get(A);
    expect(again).toEqual(first.tickets.get(A));
    expect((await under.open(folder(), [A]).snapshot())[0]).toEqual(again);
  });

  test("a person's edit of one ticket changes its revision and what was edited, and no other ticket", async () => {
    const tracker = under.open(folder(), [A, B]);
    const before = new Map((await tracker.read()).tickets);
    await under.retitle(folder(), A, "Another title");
    const after = (await tracker.read()).tickets;
    expect(after.get(B)).toEqual(before.get(B));
    expect(after.get(A)?.title).toBe("Another title");
    expect(after.get(A)?.titleSha).not.toBe(before.get(A)?.titleSha);
    expect(after.get(A)?.revision).not.toBe(before.get(A)?.revision);
  });

  test("an edit of the same length right after a look is seen", async () => {
    const tracker = under.open(folder(), [A]);
    for (const letter of ["a", "b", "c", "d", "e", "f"]) {
      await under.retitle(folder(), A, `Tit${letter}${letter} of T-1`);
      expect((await tracker.read()).tickets.get(A)?.title).toBe(`Tit${letter}${letter} of T-1`);
    }
  });

  test("the text of a ticket is given by its id", async () => {
    expect(await under.open(folder(), [A]).body(A)).toContain("Some text.");
    await expect(under.open(folder(), [A]).body(TicketId.parse("T-404"))).rejects.toThrow(/T-404/);
  });

  test("a write tells the revision that it replaced and the one that it made", async () => {
    const tracker = under.open(folder(), [A]);
    const before = (await tracker.read()).tickets.get(A)?.revision;
    const write = await tracker.set(A, { as: "done" }, "landed");
    expect(write.before).toBe(before);
    expect((await tracker.read()).tickets.get(A)?.revision).toBe(write.after);
    expect(await tracker.set(A, { as: "done" }, "again")).toEqual({ before: write.after, after: write.after });
  });

  test("a write that a person undid is told apart from one that was lost", async () => {
    const tracker = under.open(folder(), [A]);
    const { before } = await tracker.set(A, { as: "done" }, "landed");
    await under.reopen(folder(), A);
    const now = (await tracker.read()).tickets.get(A);
    expect(now?.state).toEqual({ as: "open" });
    expect(now?.revision).not.toBe(before);
  });

  test("a write from a state that is no longer there is refused, and leaves what a person wrote", async () => {
    const tracker = under.open(folder(), [A]);
    await under.open(folder(), [A]).set(A, { as: "human-gated", step: "ask Jo" }, "");
    const before = await under.contentOf(folder());
    await expect(tracker.set(A, { as: "done" }, "", [{ as: "open" }])).rejects.toThrow(TicketConflict);
    expect(await under.contentOf(folder())).toEqual(before);
    await tracker.set(A, { as: "done" }, "", [{ as: "human-gated", step: "ask Jo" }]);
  });

  test("a tracker that is away cannot be read, and can be once it is back", async () => {
    const tracker = under.open(folder(), [A]);
    const before = new Map((await tracker.read()).tickets);
    const away = join(folder(), "away");
    mkdirSync(away);
    const place = under.homeOf(folder());
    renameSync(place, join(away, "it"));
    await expect(tracker.read()).rejects.toThrow();
    renameSync(join(away, "it"), place);
    expect((await tracker.read()).tickets).toEqual(before);
  });
}
