import { beforeAll, describe, expect, test } from "vitest";
import { Fence } from "../../../../src/domain/values/ids.ts";
import { batchOf, RunBuilder } from "../../../store/run-builder.ts";
import { crowd, plumbing, plumbingEnded } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";
import { checkedScreen, SIZES, type Steps, shot } from "../../shot.ts";
import { judgedScene } from "./judged-scene.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const ORACLE: Steps = [["5", "5 ORACLE"]];
const file = (name: string) => `./__snapshots__/oracle-${name}.txt`;

describe("the oracle's view", () => {
  test.each(SIZES)(
    "of a run whose engine sees a ticket otherwise, with heals and interventions, at %i×%i",
    async (columns, rows) => {
      const { run, evidence } = judgedScene();
      const text = await shot(run, [columns, rows], ORACLE, (m) => m.store.setState({ evidence }));
      await expect(text).toMatchFileSnapshot(file(`differs-${columns}x${rows}`));
      expect(text).toContain("1 DIFFERS from the engine");
      expect(text).toMatch(/≠ T-3 +open {4}DIFFERS: engine done/);
      expect(text).toMatch(/□ T-8 +open {4}engine: done since/);
    },
  );

  test("all of it can be reached on the smallest terminal", async () => {
    const { run, evidence } = judgedScene();
    const seen = await shot(run, [60, 15], [...ORACLE, ["G", "lines above · end"]], (m) => m.store.setState({ evidence }));
    await expect(seen).toMatchFileSnapshot(file("differs-end-60x15"));
    expect(seen).toContain("harness T-7  kill");
  });

  test.each(SIZES)("without kept evidence, what is not known is unknown, at %i×%i", async (columns, rows) => {
    const text = await shot(plumbing(), [columns, rows], ORACLE);
    await expect(text).toMatchFileSnapshot(file(`unknown-${columns}x${rows}`));
    expect(text).toContain("4 unknown");
    expect(text).toContain("not proven yet");
  });

  test("of 500 tickets that nobody has judged", async () => {
    const text = await shot(crowd({ tickets: 500, workers: 64 }), [80, 24], ORACLE);
    expect(text).toContain("never judged: its word is unknown");
    expect(text).toContain("EVIDENCE 500 · 500 unknown");
    expect(text).toMatch(/\+\d+ more lines/);
  });

  test("of a run that the oracle ended, and on the largest terminal", async () => {
    await expect(await shot(plumbingEnded("done"), [120, 30], ORACLE)).toMatchFileSnapshot(file("ended-120x30"));
    expect(await shot(plumbingEnded("not-done"), [300, 80], ORACLE)).toContain("NOT DONE");
  });

  test("a judgement that could not be says why, and nothing is taken from an earlier one", async () => {
    const { run, evidence } = judgedScene();
    run.judged("unjudged", { done: 0, gated: 0, open: 0 }, 'ticket "T-3" is in state \u001b[31m"donе"\u001b[0m');
    const text = await shot(run, [80, 24], ORACLE, (m) => m.store.setState({ evidence }));
    expect(text).toContain("? CANNOT JUDGE");
    expect(text).toContain('why: ticket "T-3" is in state "donе"');
    expect(text).toContain("EVIDENCE 11 · 11 unknown");
    expect(text).not.toContain("✔ T-1");
  });

  test("a tripwire that fired is loud; the running heal says what it is at", async () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }], limits: { heals: 2 } }));
    run.play({ type: "tripwire-started" });
    run.play({ type: "heal-started", n: 1, token: Fence.parse(1), reason: "A stalled", reservedUsd: 1 });
    const running = await shot(run, [120, 30], ORACLE);
    expect(running).toContain("being proven on canaries: no verdict counts before it is");
    expect(running).toContain("▶ heal 1  under way  12:00:00");
    expect(running).toContain("now: a copy of the harness is made for its agent");
    run.play({ type: "heal-agent-started", n: 1, pid: 9, startTime: "1" });
    expect(await shot(run, [160, 30], ORACLE)).toContain("now: its agent fixes a copy, which is then checked");
    run.play({ type: "tripwire-ended", ok: false, problem: "canary 3 was judged done", canaries: 3, ms: 90 });
    expect(await shot(run, [80, 24], ORACLE)).toContain("tripwire: ✖ FIRED: canary 3 was judged done");
  });

  test("before there is a run it says so", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("5", "5 ORACLE");
    m.store.setState(({ run: _, ...rest }) => rest, true);
    await m.stage.shows("connecting: nothing is known of the run yet");
    await checkedScreen(m, 80, 24);
  });

  test("what an agent prints, and a second, draw no line of it; a ticket that moves does", async () => {
    const { run, evidence } = judgedScene();
    await using m = await mount(run, 120, 30);
    m.store.setState({ evidence });
    await m.stage.press("5", "1 DIFFERS");
    m.stage.drawn.clear();
    run.of("T-7", { type: "activity", text: "compiling", lines: 1 }).wait(1);
    m.tell();
    m.feed.flush();
    m.store.tick(run.now);
    await m.stage.shows("47s ago");
    expect([...m.stage.drawn.keys()].filter((view) => view.startsWith("oracle"))).toEqual([]);
    run.claims("T-7").step("T-7", 2).lands("T-7");
    m.tell();
    await m.stage.shows("engine: done since");
    await m.stage.shows("2 moved since");
    expect(m.stage.drawn.get("oracle body")).toBe(1);
  });
});
