import { describe, expect, test } from "vitest";
import type { TerminalActions } from "../../../src/store/keymap/binding.ts";
import { KEYMAP } from "../../../src/store/keymap/keymap.ts";
import { OPEN_PULL_REQUEST_KEY } from "../../../src/store/keymap/pull-request-keys.ts";
import { desk } from "../desk.ts";
import { pushed, queued, reads, runOfPullRequests } from "../pull-request-scenes.ts";
import type { RunBuilder } from "../run-builder.ts";

/** A desk on which T-1 is selected. */
function at(run: RunBuilder) {
  const d = desk(run);
  d.store.dispatch({ type: "select", ticket: "T-1" as never });
  const footer = (name: string) => KEYMAP.overview.find((binding) => binding.name === name)?.short?.(d.store.getState());
  return { ...d, footer, toast: () => d.ui().toast?.text };
}

describe("starting failed jobs again", () => {
  test("is one command, offered only while a check has failed", () => {
    const d = at(queued());
    expect(d.footer("rerun-checks")).toBe("re-run");
    d.type("T");
    expect(d.sent).toEqual([{ type: "rerun-checks", ticket: "T-1" }]);
    const green = at(reads(queued(), "T-1", { checks: [{ name: "ci", state: "passed" }] }));
    expect(green.footer("rerun-checks")).toBe("");
    green.type("T");
    expect([green.sent, green.toast()]).toEqual([[], "no check of pull request #12 has failed"]);
  });

  test("says why it does nothing: no ticket, no pull request, no engine", () => {
    const unselected = desk(queued());
    unselected.type("T");
    expect(unselected.ui().toast?.text).toBe("select a ticket first: j/k");
    const none = at(runOfPullRequests());
    none.type("T");
    expect(none.toast()).toBe("T-1 has no pull request");
    const gone = at(queued());
    gone.store.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine is gone" } });
    expect([gone.footer("rerun-checks"), gone.footer("request-review")]).toEqual(["", ""]);
    gone.type("TA");
    expect([gone.sent, gone.ui().modal, gone.toast()]).toEqual([[], undefined, "not connected to the run"]);
  });
});

describe("requesting a review", () => {
  test("asks for a login, which may have an @; no burst confirms it", () => {
    const d = at(pushed(runOfPullRequests(), "T-1"));
    d.type("A");
    expect(d.ui().modal).toMatchObject({ kind: "review", ticket: "T-1" });
    d.type("@ann\r");
    expect(d.sent).toEqual([]);
    d.press({ key: "enter" });
    expect([d.sent, d.ui().modal]).toEqual([[{ type: "request-review", ticket: "T-1", login: "ann" }], undefined]);
  });

  test("refuses what is no login before it is sent", () => {
    const d = at(queued());
    d.type("A");
    d.type("ann; rm -rf");
    d.press({ key: "enter" });
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toMatchObject({ problem: "a login has letters, digits, - and _" });
  });
});

describe("opening a pull request", () => {
  test("gives its address to the terminal, and shows it; it works without an engine, too", () => {
    const d = at(queued());
    d.store.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine is gone" } });
    d.type("O");
    expect(d.toast()).toBe("#12: https://github.com/acme/app/pull/12");
    const opened: unknown[] = [];
    const terminal: TerminalActions = { leave: () => undefined, open: (page) => void opened.push(page) };
    for (const effect of OPEN_PULL_REQUEST_KEY.act(d.store.getState())) if (effect.do === "terminal") effect.act(terminal);
    expect(opened).toEqual([{ name: "#12", url: "https://github.com/acme/app/pull/12" }]);
    expect(d.footer("open-pull-request")).toBe("browser");
  });

  test("says if there is none", () => {
    const d = at(runOfPullRequests());
    d.type("O");
    expect([d.toast(), d.footer("open-pull-request")]).toEqual(["T-1 has no pull request", ""]);
  });
});

describe("the tab of checks", () => {
  test("is there for changes that land by pull requests", () => {
    const d = at(queued());
    d.store.dispatch({ type: "view", view: "ticket" });
    d.type("C");
    expect(d.ui().ticket.tab).toBe("checks");
    d.type(".");
    expect(d.ui().ticket.tab).toBe("log");
    d.type(",");
    expect(d.ui().ticket.tab).toBe("checks");
  });
});
