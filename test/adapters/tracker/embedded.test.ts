import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../../src/adapters/tracker/embedded.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const file = () => join(folder(), "tracker.json");
const A = TicketId.parse("T-1");
const B = TicketId.parse("T-2");

describe("the embedded tracker's file", () => {
  test("seeding again keeps states, takes over texts, adds what is new and removes nothing", async () => {
    await seedEmbeddedTracker(file(), [{ id: A, title: "One", body: "1" }]);
    await createEmbeddedTracker({ file: file(), ids: [A] }).set(A, { as: "human-gated", step: "press it" }, "gated");
    await seedEmbeddedTracker(file(), [
      { id: B, title: "Two", body: "2" },
      { id: A, title: "One more", body: "1b" },
    ]);
    await seedEmbeddedTracker(file(), [{ id: B, title: "Two", body: "2" }]);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({
      version: 1,
      tickets: [
        { id: "T-1", title: "One more", body: "1b", state: "human-gated", humanStep: "press it", note: "gated" },
        { id: "T-2", title: "Two", body: "2", state: "open" },
      ],
    });
  });

  test("seeding what is already there writes nothing; a new file is for its owner alone", async () => {
    const tickets = [{ id: A, title: "One", body: "1" }];
    await seedEmbeddedTracker(file(), tickets);
    const before = statSync(file(), { bigint: true });
    await seedEmbeddedTracker(file(), tickets);
    const after = statSync(file(), { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
    expect(Number(after.mode) & 0o777).toBe(0o600);
  });

  test("a file that is damaged is never seeded over", async () => {
    writeFileSync(file(), '{"version":1,"tick');
    await expect(seedEmbeddedTracker(file(), [{ id: A, title: "One", body: "" }])).rejects.toThrow(/tracker\.json.*not JSON/);
    expect(readFileSync(file(), "utf8")).toBe('{"version":1,"tick');
  });

  const ticket = { id: "T-1", title: "One", body: "", state: "open" };
  test.each([
    ["another version", { version: 2, tickets: [ticket] }],
    ["a further key", { version: 1, tickets: [ticket], done: true }],
    ["a further key of a ticket", { version: 1, tickets: [{ ...ticket, verdict: "done" }] }],
    ["a ticket twice", { version: 1, tickets: [ticket, ticket] }],
    ["a look-alike state", { version: 1, tickets: [{ ...ticket, state: "dоne" }] }],
    ["a gate without a step", { version: 1, tickets: [{ ...ticket, state: "human-gated" }] }],
    ["a gate with a blank step", { version: 1, tickets: [{ ...ticket, state: "human-gated", humanStep: "  " }] }],
    ["no list", { version: 1, tickets: { 0: ticket } }],
    ["nothing", null],
  ])("%s is an error that names the file", async (_what, content) => {
    writeFileSync(file(), JSON.stringify(content));
    await expect(createEmbeddedTracker({ file: file(), ids: [A] }).snapshot()).rejects.toThrow(/tracker\.json/);
  });

  test("a link in its place is refused", async () => {
    const real = join(folder(), "real.json");
    await seedEmbeddedTracker(real, [{ id: A, title: "One", body: "" }]);
    symlinkSync(real, file());
    const tracker = createEmbeddedTracker({ file: file(), ids: [A] });
    await expect(tracker.snapshot()).rejects.toThrow(/symbolic link/);
    await expect(tracker.set(A, { as: "done" }, "")).rejects.toThrow(/symbolic link/);
  });
});
