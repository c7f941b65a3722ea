import { describe, expect, test } from "vitest";
import { finishLine, plumbing, plumbingEnded } from "../store/scenes.ts";
import { clickOn } from "./clicks.ts";
import { mount } from "./mount.tsx";
import { snapshotOf, until } from "./stage.ts";

describe("through the keyboard", () => {
  test("a worker is killed after it was asked for twice", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jjj", "▌▶ T-6");
    await m.stage.press("x", "End the attempt at T-6?");
    await m.stage.press("n", "j/k select");
    expect(m.stage.sent).toEqual([]);
    await m.stage.press("x", "End the attempt at T-6?");
    await m.stage.press("y", "j/k select");
    expect(m.stage.sent).toEqual([{ type: "kill", ticket: "T-6" }]);
  });

  test("a ticket on the finish line is selected, opened, killed and left to a person like any other", async () => {
    await using m = await mount(finishLine(), 120, 30);
    await m.stage.press("jj", "▌» T-2");
    await m.stage.press("\r", "2 TICKET");
    await m.stage.press("\u001b", "j/k select");
    await m.stage.press("x", "End the attempt at T-2?");
    await m.stage.press("y", "j/k select");
    await m.stage.press("jj", "▌» T-4");
    await m.stage.press("g", "Which exact step");
    await m.stage.press("sign it off", "sign it off█");
    await m.stage.press("\r", "j/k select");
    expect(m.stage.sent).toEqual([
      { type: "kill", ticket: "T-2" },
      { type: "gate", ticket: "T-4", step: "sign it off" },
    ]);
  });

  test("the selection goes with its ticket from its row, which it keeps, to the done", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    await m.stage.press("jjjj", "▌» T-4");
    run.working("T-8", "begins");
    m.tell();
    await m.stage.shows("▶ T-8 ");
    await m.stage.shows("▌» T-4");
    await m.stage.press("x", "End the attempt at T-4?");
    await m.stage.press("n", "j/k select");
    run.ships("T-4", 5);
    m.tell();
    await m.stage.shows("│▌✔ T-4");
  });

  test("leaving says how many agents are at work and how much is being finished", async () => {
    await using m = await mount(finishLine(), 80, 24);
    await m.stage.press("q", "3 agents at work. 5 tickets on the finish line.");
  });

  test("a marked paste goes into the field as one line", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jj", "▌▶ T-7");
    await m.stage.press("g", "Which exact step");
    await m.stage.press("\u001b[200~approve the\nDNS change\u001b[31m\u001b[201~", "approve the DNS change█");
    await m.stage.press("\r", "j/k select");
    expect(m.stage.sent).toEqual([{ type: "gate", ticket: "T-7", step: "approve the DNS change" }]);
  });

  test("a marked paste outside of a field does nothing at all", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jj", "▌▶ T-7");
    m.stage.keyboard.press("\u001b[200~xyqdps\u001b[201~");
    await m.stage.press("j", "▌▶ T-6");
    expect(m.stage.sent).toEqual([]);
    expect(m.stage.left).toEqual([]);
  });

  test("g and text in one burst open the field and fill it", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jj", "▌▶ T-7");
    await m.stage.press("gapprove it", "approve it█");
    await m.stage.press("\u001b", "j/k select");
    expect(m.stage.sent).toEqual([]);
  });

  test("arrows walk, and the cursor in a field is moved and deletes", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("\u001b[B", "▌! T-5");
    await m.stage.press("\u001b[B", "▌▶ T-7");
    await m.stage.press("\u001b[B", "▌▶ T-6");
    await m.stage.press("\u001b[A", "▌▶ T-7");
    await m.stage.press("g", "Which exact step");
    await m.stage.press("abd", "abd█");
    m.stage.keyboard.press("\u001b[D");
    await m.stage.hides("abd█");
    await m.stage.press("c", "4 of 500");
    await m.stage.press("\u001b[F", "abcd█");
    await m.stage.press("\u007f", "abc█");
  });

  test("pause is sent, and the footer offers to go on once the engine has paused", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    m.stage.keyboard.press("p");
    await until(() => m.stage.sent.length > 0);
    expect(m.stage.sent).toEqual([{ type: "pause" }]);
    m.feed.take({ kind: "event", event: run.play({ type: "run-paused" }) });
    await m.stage.shows("⏸ PAUSED");
    await m.stage.shows("p unpause");
  });

  test("a refused command is told", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    m.feed.take({
      kind: "event",
      event: run.play({ type: "command-refused", command: { type: "judge" }, reason: "it is at it already" }),
    });
    await m.stage.shows("refused: it is at it already");
  });

  test("leaving: back, detach, and two Ctrl-C", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("q", "Leave the dashboard");
    await m.stage.press("\u001b", "j/k select");
    await m.stage.press("\u0003", "Leave the dashboard");
    expect(m.stage.left).toEqual([]);
    m.stage.keyboard.press("\u0003");
    await until(() => m.stage.left.length > 0);
    expect(m.stage.left).toEqual(["detach"]);
  });

  test("stopping shows the stop, and leaves by itself once the run has ended", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    await m.stage.press("q", "Leave the dashboard");
    await m.stage.press("s", "j/k select");
    expect(m.stage.sent).toEqual([{ type: "stop" }]);
    m.feed.take({ kind: "event", event: run.play({ type: "stop-requested", by: "person" }) });
    await m.stage.shows("■ STOPPING");
    expect(m.stage.left).toEqual([]);
    const ended = plumbingEnded("stopped");
    m.feed.take(snapshotOf(ended.state, ended.events));
    await until(() => m.stage.left.length > 0);
    expect(m.stage.left).toEqual(["stop-requested"]);
  });

  test("a long summary is scrolled to its end and back", async () => {
    await using m = await mount(plumbingEnded("done"), 60, 15);
    await m.stage.shows("DONE, says the oracle");
    await m.stage.press("     ", "end");
    await m.stage.press("\u001b[5~\u001b[5~\u001b[5~\u001b[5~\u001b[5~", "DONE, says the oracle");
    await m.stage.press("j", "▌! T-5");
    // The selection stays in sight, however far down it is.
    await m.stage.press("jj", "▌✔ T-1 ");
    await m.stage.press("\r", " LOG ");
    m.stage.keyboard.press("q");
    await until(() => m.stage.left.length > 0);
    expect(m.stage.left).toEqual(["ended"]);
  });

  test("while the connection is lost no time goes by, for nothing is known; once it is back, all of it has", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    m.store.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine closed it" } });
    await m.stage.shows("✕ LOST");
    const before = await m.stage.terminal.text();
    run.wait(40_000);
    m.store.tick(run.now);
    // Drawn after the tick, so that its effect would be seen.
    m.store.dispatch({ type: "toast", toast: { text: "drawn again", tone: "plain", until: run.now + 1_000 } });
    await m.stage.shows("drawn again");
    const after = await m.stage.terminal.text();
    expect(after.split("\n").slice(0, -2)).toEqual(before.split("\n").slice(0, -2));
    m.store.dispatch({ type: "connection", connection: { state: "live" } });
    m.store.tick(run.now);
    await m.stage.shows("11:52:07");
  });

  test("a lost connection is seen beside every message, field and key", async () => {
    await using m = await mount(plumbing(), 60, 15);
    m.store.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine closed it" } });
    await m.stage.shows("connection lost: the engine closed it");
    const last = async () => (await m.stage.terminal.lines()).at(-1);
    await m.stage.press("p", "✕ connection lost · not connected to the run");
    m.store.dispatch({ type: "toast", toast: { text: "a message of many words that goes on and on", tone: "plain", until: 1 } });
    await m.stage.shows("✕ connection lost · a message of many words that goes on a…");
    m.store.dispatch({ type: "time", now: 1 });
    await m.stage.press("/T-1", "3 of 11");
    expect(await last()).toBe(" ✕ connection lost · /T-1█    3 of 11  enter keep  esc back");
    await m.stage.press("\u001b", "connection lost: the engine");
    await m.stage.press("?", "Keys");
    expect(await last()).toMatch(/^ ✕ connection lost · +\/ search {2}esc back {2}j\/k scroll/);
    await m.stage.press(await clickOn(m, "esc back"), "connection lost: the engine");
    expect(m.stage.sent).toEqual([]);
  });

  test("a connection that is lost after the run has ended is no news", async () => {
    await using m = await mount(plumbingEnded(), 80, 24);
    m.store.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine closed it" } });
    m.store.dispatch({ type: "toast", toast: { text: "copied", tone: "plain", until: 1 } });
    await m.stage.shows("copied");
    expect(await m.stage.terminal.text()).not.toContain("connection lost");
  });

  test("a lost connection is seen, and left at once", async () => {
    await using m = await mount(plumbing(), 120, 30);
    m.store.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine closed it" } });
    await m.stage.shows("✕ LOST");
    await m.stage.shows("connection lost: the engine closed it · q leave");
    m.stage.keyboard.press("q");
    await until(() => m.stage.left.length > 0);
    expect(m.stage.left).toEqual(["detach"]);
  });
});
