import { beforeAll, describe, expect, test } from "vitest";
import { spokenLines } from "../../components/screen-reader/lines.ts";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import { describeEvents } from "../../src/store/describe-event.ts";
import { batchOf, RunBuilder } from "../store/run-builder.ts";
import { clickOn } from "./clicks.ts";
import { mount } from "./mount.tsx";
import { SIZES, shot } from "./shot.ts";
import { storeOf } from "./stage.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const T1 = TicketId.parse("T-1");
const SHA = "bad5eed".padEnd(40, "0");

/** A run in which T-1's change broke the base three minutes ago; T-2 is at work. */
function broken(onBroken: "freeze" | "revert" | "continue" = "freeze"): RunBuilder {
  const batch = batchOf({ name: "shop", tickets: [{ id: "T-1" }, { id: "T-2" }, { id: "T-3", dependsOn: ["T-1"] }] });
  const run = new RunBuilder({ ...batch, live: { repeats: 0, everySeconds: 15 }, onBroken }, { sandboxed: true });
  run.working("T-1", "working").working("T-2", "reading the tests").claims("T-1");
  const move = { repo: RepoId.parse("app"), from: "a".repeat(40), to: SHA };
  const evidence = { step: "verify", name: "live", summary: "the site answers 502", detail: "" } as const;
  run.of("T-1", { type: "merge-intended", ...move }, { type: "merge-landed", ...move });
  return run.of("T-1", { type: "attempt-ended", outcome: "landed", evidence }).wait(180);
}

function reverting(): RunBuilder {
  const run = broken("revert");
  run.play({ type: "revert-started", ticket: T1 });
  return run;
}

describe("a broken base has the place of the oracle's bar", () => {
  test.each(SIZES)("at %i×%i", async (columns, rows) => {
    const text = await shot(broken(), [columns, rows], []);
    await expect(text).toMatchFileSnapshot(`./__snapshots__/broken-base-${columns}x${rows}.txt`);
    expect(text.split("\n").findIndex((each) => each.includes("AT WORK"))).toBe(2);
    const line = text.split("\n").find((each) => each.includes("BROKEN"));
    expect(line).toContain("◆ ORACLE");
    expect(line).toMatch(columns >= 80 ? /✖ BROKEN app · bad5eed of T-1 .*3m/ : /✖ BROKEN app/);
    if (columns >= 120) expect(line).toContain("· frozen · live: the site answers 502 3m");
  });

  test("in every view, with what is done about it", async () => {
    for (const key of ["3", "4", "5"])
      expect(await shot(broken("continue"), [120, 30], [[key, "BROKEN"]])).toContain("· continuing ·");
    expect(await shot(reverting(), [120, 30], [])).toContain("· reverting ·");
  });

  test("for a screen reader, first and in words", () => {
    const [, line] = spokenLines(storeOf(broken()).store.getState(), 300, 60);
    expect(line).toMatch(
      /^Broken base of app since \d\d:\d\d:\d\d: bad5eed of T-1 is suspected, frozen\. live: the site answers 502\.$/,
    );
  });

  test("in the feed and in plain lines: once when it breaks and once when it is whole", () => {
    const run = reverting();
    const move = { ticket: T1, repo: RepoId.parse("app"), from: SHA, to: "fee1600d".padEnd(40, "0") };
    run.play({ type: "revert-intended", ...move });
    run.play({ type: "revert-landed", ...move });
    run.play({ type: "revert-ended", ticket: T1, ok: true, summary: "" });
    const lines = run.events.flatMap((event) => describeEvents(event, run.state)).map(({ text }) => text);
    expect(lines.filter((text) => text.includes("the base of app"))).toEqual([
      expect.stringContaining("the base of app is broken: bad5eed of T-1: the site answers 502"),
      expect.stringContaining("the base of app no longer counts as broken: reverted by fee1600"),
    ]);
    expect(lines).toContain("its change is being reverted: the live checks keep failing");
    expect(lines).toContain("reverted in app as fee1600; the live check runs without the change");
  });

  test("and clicks still find what they are on", async () => {
    await using m = await mount(broken(), 80, 24);
    m.stage.keyboard.press(await clickOn(m, /T-2/));
    await m.stage.shows("▌");
    expect(m.store.getState().ui.selected).toBe("T-2");
    await m.stage.press(await clickOn(m, "BROKEN"), "5 ORACLE");
  });
});
