import { beforeAll, describe, expect, test } from "vitest";
import { spokenLines } from "../../../../components/screen-reader/lines.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { batchOf, RunBuilder } from "../../../store/run-builder.ts";
import { SIZES, shot } from "../../shot.ts";
import { storeOf } from "../../stage.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const ids = (...names: readonly string[]) => names.map((name) => TicketId.parse(name));
const APP = RepoId.parse("app");

/**
 * Three workers. S-1 is checked in one train with S-0 and S-3, whose slots others have by now; two more wait behind it, and a check of
 * S-5 alone measures the base.
 */
function train(): RunBuilder {
  const titles = ["Split an amount", "Coupons in per cent", "Show the VAT", "Log requests", "Render the site", "Take payments"];
  const tickets = titles.map((title, i) => ({ id: `S-${i}`, title }));
  const run = new RunBuilder(batchOf({ tickets, limits: { workers: 3 } }));
  for (const id of ["S-3", "S-0", "S-1"]) run.wait(4).working(id, "working");
  run.wait(90);
  for (const id of ["S-3", "S-0", "S-1"]) run.claims(id).step(id, 1);
  for (const id of ["S-5", "S-2"]) run.wait(3).working(id, "reads the code");
  run.wait(40).claims("S-2").claims("S-5").step("S-5", 1);
  run.of("S-5", { type: "step-part-started", part: "the base, to compare with: running" }).wait(5);
  const outlook = { expectedMs: 42_300, train: ids("S-0", "S-1", "S-3"), behind: 2 };
  for (const id of ["S-0", "S-1", "S-3"]) run.of(id, { type: "step-part-started", part: "", ...outlook });
  return run.wait(31);
}

/** Nothing but a proof runs. */
function proof(): RunBuilder {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "S-0", title: "Split an amount" }], limits: { workers: 3 } }));
  run.ships("S-0");
  run.play({ type: "proof-started", repo: APP, sha: "1a2b3c4d5e", tickets: ids("S-0"), expectedMs: 42_000 });
  return run.wait(12);
}

describe("the overview of a train", () => {
  test.each(SIZES)("has the check's time, the usual one, its tickets and who waits behind at %i×%i", async (columns, rows) => {
    const screen = await shot(train(), [columns, rows], []);
    await expect(screen).toMatchFileSnapshot(`../__snapshots__/overview-train-${columns}x${rows}.txt`);
  });

  test("says all of it in the worker's row and in the queue's", async () => {
    const screen = await shot(train(), [160, 50], []);
    expect(screen).toContain("check tests 0:31 of about 0:42 · train S-0 S-1 S-3 · 2 behind");
    expect(screen).toMatch(/the base, to compare with: running 0:36/);
  });
});

describe("the ticket of a train", () => {
  test.each([[80, 24] as const, [160, 50] as const])("has the same in its head at %i×%i", async (columns, rows) => {
    const screen = await shot(
      train(),
      [columns, rows],
      [
        ["j", "▌"],
        ["\r", "attempt 1 is at"],
      ],
    );
    expect(screen).toMatch(/attempt 1 is at: check tests(: the base, to compare with: running)? 0:3\d/);
  });
});

describe("a proof", () => {
  test.each(SIZES)("is seen while nothing else runs at %i×%i", async (columns, rows) => {
    expect(await shot(proof(), [columns, rows], [])).toContain("proving app 0:12 of about 0:42");
  });
});

describe("a screen reader", () => {
  test("is told of both without a running clock", () => {
    const lines = (run: RunBuilder) => spokenLines(storeOf(run).store.getState(), 300, 60).join("\n");
    const before = lines(train());
    expect(before).toContain("check tests since 12:02:37, takes about 0:42, train S-0 S-1 S-3, 2 behind");
    expect(lines(train().wait(7))).toBe(before);
    expect(lines(proof())).toContain("Proving app since 12:01:02, takes about 0:42.");
  });
});
