import { expect, test } from "vitest";
import { heldByJournal } from "../../src/domain/run/reduce-outage.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { plumbing } from "../store/scenes.ts";
import { type Mounted, mount } from "./mount.tsx";
import { snapshotOf } from "./stage.ts";

/** The dashboard of a run whose journal has become unwritable, as its engine then shows it. */
async function held(run: RunBuilder, columns: number, rows: number): Promise<Mounted> {
  const m = await mount(run, columns, rows);
  const journal = { since: run.now, why: "the disk is full", nextAt: run.now + 1_000, until: run.now + 900_000, tries: 1 };
  m.feed.take(snapshotOf(heldByJournal(run.state, journal), run.events));
  await m.stage.shows("HELD");
  return m;
}

test.each([
  [80, 24],
  [160, 50],
])("a run that its journal holds shows no agent at work, at %i × %i", async (columns, rows) => {
  await using m = await held(plumbing(), columns, rows);
  await m.stage.shows("AT WORK 0 of 4 agents · 3 held");
  const text = await m.stage.terminal.text();
  expect(text).toMatch(/‖ T-7 .* held /);
  // The events of the past have their signs.
  expect(text.split("OUTCOMES")[0]).not.toMatch(/▶|\d[ms] left|quiet \d/);
  expect(text).toMatch(/(?:next try|retry) in 00:01/);
});

test("of such a run, the ticket view shows the agent as ended, and nothing as under way", async () => {
  await using m = await held(plumbing(), 160, 50);
  m.store.dispatch({ type: "select", ticket: "T-7" as never });
  await m.stage.press("\r", "attempt 1 is at: held");
  const text = await m.stage.terminal.text();
  expect(text).toMatch(/‖ attempt 1 {2}held/);
  expect(text).toContain("ended: the journal cannot be written");
  expect(text).not.toContain("under way");
});

test("of such a run, the timeline shows no attempt that goes on", async () => {
  await using m = await held(plumbing(), 120, 30);
  m.store.dispatch({ type: "select", ticket: "T-7" as never });
  await m.stage.press("4", "4 TIMELINE");
  await m.stage.shows("held since");
  expect(await m.stage.terminal.text()).not.toContain("at work since");
});

test("of such a run, the oracle is not being asked", async () => {
  const run = plumbing();
  run.play({ type: "oracle-asked", final: false });
  await using m = await held(run, 80, 24);
  expect(await m.stage.terminal.text()).not.toContain("judging…");
});
