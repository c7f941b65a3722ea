import { cleanup } from "ink-testing-library";
import { afterEach, describe, expect, test } from "vitest";
import { Footer } from "../../components/frame/footer.tsx";
import { Header } from "../../components/frame/header.tsx";
import { divideTerminal } from "../../components/frame/layout.ts";
import { OracleLine } from "../../components/frame/oracle-line.tsx";
import { FeedView } from "../../components/views/overview/feed-view.tsx";
import { Workers } from "../../components/views/overview/workers.tsx";
import { batchOf, RunBuilder } from "../store/run-builder.ts";
import { awaitsApproval, claims, crowd, finishLine, plumbing } from "../store/scenes.ts";
import { show } from "./part.tsx";

afterEach(cleanup);

describe("header", () => {
  test("always says that there is no sandbox, however narrow it is", () => {
    for (const width of [60, 80, 100, 160]) {
      expect(show(plumbing({ sandboxed: false }), <Header width={width} />)).toContain("unsandboxed");
      expect(show(plumbing(), <Header width={width} />)).not.toContain("unsandboxed");
    }
  });

  test("says all when there is room, and the least important goes first", () => {
    // The terminal of this library has 100 columns; the wider ones are among the snapshots of whole screens.
    const wide = show(plumbing(), <Header width={100} />);
    for (const text of ["2 repos", "interventions 1 ", "$2.04 +$1.00 held of $50", "! 1 ", "00:45:27"])
      expect(wide).toContain(text);
    const narrow = show(plumbing(), <Header width={60} />);
    for (const text of ["! NEEDS YOU", "plumbing", "! 1", "00:45:27"]) expect(narrow).toContain(text);
    expect(narrow).not.toContain("repos");
  });

  test("its clock counts no time in which no engine ran", () => {
    const run = plumbing();
    const from = run.state.lastEventAt - 600_000;
    run.play({ type: "engine-suspended", from, to: from + 300_000 });
    expect(show(run, <Header width={100} />)).toContain("00:40:27");
  });

  test("counts what an agent at work has spent so far, and its cost once when it has ended", () => {
    const run = plumbing();
    const { spentUsd } = run.state;
    const cost = (usd: number) => `$${(spentUsd + usd).toFixed(2)} `;
    expect(show(run, <Header width={100} />)).toContain(cost(0));
    for (const usd of [0.2, 0.31]) {
      run.of("T-7", { type: "agent-spent", usd });
      expect(show(run, <Header width={100} />)).toContain(cost(usd));
    }
    run.of("T-7", { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0.4 });
    expect(show(run, <Header width={100} />)).toContain(cost(0.4));
  });

  test("a hold has a clock that counts down and goes away, at every width; what a lost connection hides is not guessed", () => {
    const at = (seconds: number, width: number, lost = false) =>
      show(claims(), <Header width={width} />, ({ store }) => {
        store.tick(store.getState().now + seconds * 1000);
        if (lost) store.dispatch({ type: "connection", connection: { state: "lost", reason: "gone" } });
      });
    for (const width of [60, 80, 100]) {
      expect(at(0, width)).toMatch(/‖ .*API.* 04:22 left/);
      expect(at(61, width)).toContain("03:21 left");
      expect(at(262, width)).not.toContain("API");
      expect(at(0, width, true)).toMatch(/‖ .*API.* \? left/);
      expect(at(0, width, true)).not.toContain("04:22");
    }
    const run = claims();
    run.play({ type: "backoff-started", until: run.now + 3_700_000, reason: "529" });
    expect(show(run, <Header width={80} />)).toContain("1:01:40 left");
    expect(show(run, <Header width={60} />)).toMatch(/1:01:40 left +! 1/);
  });

  test("what the engine cannot reach is named, with the time until the next try, or that one is under way", () => {
    const run = claims();
    const at = { nextAt: run.now + 4_000, until: run.now + 900_000 };
    run.play({ type: "outage-started", what: "tracker", why: "ENOENT", ...at });
    expect(show(run, <Header width={120} />)).toContain("‖ tracker away, next try in 00:04");
    expect(show(run, <Header width={60} />)).toMatch(/‖ tracker away, retry in 00:04|‖ retry in 00:04/);
    const later = show(run, <Header width={120} />, ({ store }) => store.tick(run.now + 5_000));
    expect(later).toContain("‖ tracker away, next try now");
    run.play({ type: "outage-ended", what: "tracker", ms: 5_000 });
    expect(show(run, <Header width={120} />)).not.toContain("tracker");
  });

  test("a run that waits for a ticket that is gone counts down to its end", () => {
    const run = claims();
    const ticket = run.state.plan.tickets[0]?.id as never;
    run.play({ type: "tracker-drifted", ticket, change: { kind: "vanished", why: "there is no such ticket" } });
    const at = { nextAt: run.now + 4_000, until: run.now + 900_000 };
    run.play({ type: "outage-started", what: "oracle", why: "a ticket is missing", ...at });
    expect(show(run, <Header width={120} />)).toContain("‖ ticket missing, run ends in 15:00");
    run.play({ type: "tracker-drifted", ticket, change: { kind: "returned" } });
    expect(show(run, <Header width={120} />)).toContain("‖ oracle cannot judge, next try in 00:04");
  });

  test("a tracker whose rate limit is used up is named, with the time until it is asked again", () => {
    const run = claims();
    const at = { nextAt: run.now + 240_000, until: run.now + 1_200_000, isBusy: true } as const;
    run.play({ type: "outage-started", what: "tracker", why: "the budget is used up", ...at });
    expect(show(run, <Header width={120} />)).toMatch(/‖ tracker's rate limit,.* in 0[34]:\d\d /);
    expect(show(run, <Header width={60} />)).toMatch(/‖.* in 0[34]:\d\d /);
  });

  test("the sandbox that is missing and the clock of a hold stand beside each other on the smallest terminal", () => {
    const run = plumbing({ sandboxed: false });
    run.play({ type: "backoff-started", until: run.now + 60_000, reason: "529" });
    const line = show(run, <Header width={60} />);
    expect(line).toContain("unsandboxed");
    expect(line).toContain("01:00 left");
    expect(line).toContain("! 1");
    expect(line.length).toBeLessThanOrEqual(60);
  });

  test("a hostile batch name is cut and harmless", () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }], name: `evil\u001b[2J${"n".repeat(60)}` }));
    const line = show(run, <Header width={80} />);
    expect(line).not.toContain("\u001b");
    expect(line).toContain("…");
    expect(line.split("\n")).toHaveLength(1);
  });
});

test("the header says that a run waits for an approval, and counts its ticket", () => {
  const text = show(awaitsApproval(), <Header width={120} />);
  expect(text).toMatch(/^ ! NEEDS YOU /m);
  expect(text).toContain("! 1 approval");
});

describe("oracle", () => {
  test("never asked looks unknown, without a bar that could be read as progress", () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
    const line = show(run, <OracleLine width={100} />);
    expect(line).toMatch(/never judged +┄+ +unknown/);
    expect(line).not.toMatch(/[■□▣]/);
  });

  test("shows its own counts, not ours", () => {
    const run = plumbing().judged("not-done", { done: 2, gated: 0, open: 9 });
    expect(run.state.counts.done).toBe(3);
    expect(show(run, <OracleLine width={100} />)).toContain("2 done · 0 gated · 9 open");
  });

  test("says why it cannot judge, in the place of its counts", () => {
    const run = plumbing().judged("unjudged", { done: 0, gated: 0, open: 0 }, "tracker \u001b[31munreachable");
    const line = show(run, <OracleLine width={100} />);
    expect(line).toContain("cannot judge");
    expect(line).toContain("tracker unreachable");
    expect(line).not.toContain("0 done");
  });

  test("whoever has lost the engine does not say that anybody is being asked", () => {
    const run = plumbing();
    run.play({ type: "oracle-asked", final: false });
    const lost = { type: "connection", connection: { state: "lost", reason: "gone" } } as const;
    const line = show(run, <OracleLine width={80} />, ({ store }) => store.dispatch(lost));
    expect(line).not.toContain("judging…");
    expect(line).toMatch(/not done +14s ago/);
    const first = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
    first.play({ type: "oracle-asked", final: false });
    expect(show(first, <OracleLine width={80} />)).toContain("judging…");
    expect(show(first, <OracleLine width={80} />, ({ store }) => store.dispatch(lost))).toMatch(/never judged .*unknown/);
  });

  test("tells how old its verdict is, and that it is being asked", () => {
    const run = plumbing();
    expect(show(run, <OracleLine width={80} />)).toContain("14s ago");
    run.play({ type: "oracle-asked", final: false });
    expect(show(run, <OracleLine width={80} />)).toContain("judging…");
  });
});

describe("workers", () => {
  const view = (slots: number) => <Workers layout={divideTerminal(120, 30, { workers: slots, rows: slots })} />;

  test("what an agent says is quoted; what loopdash knows is not", () => {
    const text = show(plumbing(), view(4));
    expect(text).toContain('"Edit src/queue/worker.ts"');
    const run = plumbing().of("T-4", { type: "step-ended", step: 1, ok: true, summary: "ok" });
    run.step("T-4", 2);
    expect(show(run, view(4))).toMatch(/[^"]\+61 −12 in 4 files[^"]/);
    run.of("T-4", { type: "merge-waiting", reason: "the checkout of app has uncommitted changes" });
    expect(show(run, view(4))).toMatch(/[^"]the checkout of app has uncommitted changes[^"]/);
  });

  test("free slots have one line, with what keeps the next ticket from starting", () => {
    expect(show(plumbing(), view(4))).toMatch(/· 2 free {3}T-8 ready/);
    expect(show(plumbing().ships("T-7", 5), view(4))).toMatch(/· 3 free {3}T-8 ready/);
    const waits = new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B", dependsOn: ["A"] }] })).working("A");
    expect(show(waits, view(4))).toMatch(/· \d free {3}B waits for A/);
    expect(show(new RunBuilder(batchOf({ tickets: [{ id: "A" }] })).working("A"), view(4))).toContain("no other ticket is open");
  });

  test("a ticket on the finish line has its row and no agent: title and counts say both", () => {
    expect(show(finishLine(), view(4))).toContain("AT WORK 3 of 4 agents · 5 finishing");
    expect(show(plumbing({ workers: 8 }), view(8))).toContain("AT WORK 2 of 8 agents · 1 finishing");
    expect(show(crowd({ tickets: 9, workers: 4, busy: 3 }), view(4))).toMatch(/AT WORK 3 of 4 agents ─/);
    const small = <Workers layout={divideTerminal(60, 15, { workers: 64, rows: 64 })} />;
    expect(show(crowd({ tickets: 90, workers: 64, busy: 10 }), small)).toMatch(/\+\d more/);
  });

  test("the row of a further attempt says what went wrong before", () => {
    const text = show(plumbing().fails("T-8").working("T-8"), view(4));
    expect(text).toMatch(/before: /);
  });

  test("a ticket that waits for its turn says for which, and does not repeat what its agent said last", () => {
    const run = plumbing().of("T-4", { type: "step-ended", step: 1, ok: true, summary: "ok" });
    const text = show(run, view(4));
    expect(text).toMatch(/» T-4 .*queued/);
    expect(text).toContain("waits for its turn: merge");
    expect(text).not.toContain("running 214 tests…");
  });

  test("a finish line that is being ended says so, not that its agent is", () => {
    const text = show(plumbing().of("T-4", { type: "kill-requested", ending: "killed-by-person" }), view(4));
    expect(text).toMatch(/■ T-4 .*ending/);
    expect(text).toContain("killed by a person: ending its finish line");
  });

  test("an agent at work shows what it has spent so far, and its columns stay; afterwards the row has its step", () => {
    const before =
      show(plumbing(), view(4))
        .split("\n")
        .find((line) => line.includes("T-7")) ?? "";
    const run = plumbing().of("T-7", { type: "agent-spent", usd: 0.31 });
    const row =
      show(run, view(4))
        .split("\n")
        .find((line) => line.includes("T-7")) ?? "";
    expect(row).toBe(before.replace("agent      ", "agent $0.31"));
    run.of("T-7", { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0.4 });
    expect(show(run, view(4))).not.toContain("$0.31");
  });

  test("who is asked stands in the row, whatever was printed; once it has answered, it does not", () => {
    const run = plumbing().of("T-7", { type: "reviewer-asked", question: "adjudicate", reservedUsd: 1 });
    expect(show(run, view(4))).toMatch(/» T-7 .* blocker +12:20/);
    expect(show(run, view(4))).toContain("blocker: asking the reviewer");
    run.of("T-7", { type: "reviewer-answered", question: "adjudicate", costUsd: 1, valid: true, says: "no" });
    expect(show(run, view(4))).not.toContain("asking");
    const own = claims();
    expect(show(own, view(4))).toMatch(/[^"]review: asking codex gpt-5-codex[^"]/);
  });

  test("a transient counts down to the second time, and then that is now", () => {
    const at = (seconds: number) => show(claims(), view(4), ({ store }) => store.tick(store.getState().now + seconds * 1000));
    expect(at(0)).toContain("transient 'registry 5xx', retry in 12s");
    expect(at(5)).toContain("retry in 7s");
    expect(at(11.2)).toContain("retry in 1s");
    expect(at(11.999)).toContain("retry in 1s");
    expect(at(12)).toContain("transient 'registry 5xx', retry now");
  });

  test("an agent that is being ended says so and why", () => {
    const run = plumbing().of("T-6", { type: "kill-requested", ending: "silent" });
    expect(show(run, view(4))).toContain("silent for too long");
  });
});

test("the feed shows the newest last and counts the earlier ones", () => {
  const text = show(plumbing(), <FeedView layout={divideTerminal(80, 24, { workers: 4, rows: 4 })} />);
  expect(text).toContain("earlier");
  expect(text.trimEnd().split("\n").at(-1)).toContain("oracle: not done");
});

test("the feed has a line of what is away", () => {
  const run = plumbing();
  run.play({ type: "outage-started", what: "tracker", why: "ECONNREFUSED", nextAt: run.now + 4_000, until: run.now + 900_000 });
  expect(show(run, <FeedView layout={divideTerminal(80, 24, { workers: 4, rows: 4 })} />)).toContain(
    "the tracker is away, 1 try: ECONNR",
  );
});

describe("footer", () => {
  test("shows the keys that work here, and never more than fit", () => {
    // The terminal of ink-testing-library has 100 columns.
    for (const width of [60, 80, 100]) {
      const line = show(plumbing(), <Footer width={width} />);
      expect(line.length).toBeLessThanOrEqual(width);
      for (const key of ["j/k select", "p pause", "? help", "q leave"]) expect(line).toContain(key);
    }
  });

  test("a message takes its place for a while", () => {
    const say = (now: number) =>
      show(plumbing(), <Footer width={80} />, ({ store }) => {
        store.dispatch({ type: "toast", toast: { text: "refused: no", tone: "bad", until: 5000 } });
        store.tick(now);
      });
    expect(say(4999)).toContain("refused: no");
    expect(say(5000)).toContain("q leave");
  });
});
