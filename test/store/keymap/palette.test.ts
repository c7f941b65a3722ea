import { describe, expect, test } from "vitest";
import { KEYMAP } from "../../../src/store/keymap/keymap.ts";
import { rankOffers, whyNotNow } from "../../../src/store/keymap/palette.ts";
import { EMPTY_INPUT } from "../../../src/store/text-input.ts";
import { desk } from "../desk.ts";
import { replayOf } from "../replays.ts";
import { crowd, plumbing, plumbingEnded } from "../scenes.ts";

function opened(text: string, d = desk(plumbing())) {
  d.type(":");
  if (text !== "") d.type(text);
  const names = () => rankOffers(d.store.getState()).map(({ name }) => name);
  return { ...d, names, offers: () => rankOffers(d.store.getState()) };
}

describe("what is offered", () => {
  test("every command of the view in front that is no step of a selection, with its keys", () => {
    const { names, offers } = opened("");
    const all = KEYMAP.overview.filter(({ silent }) => silent !== true).map(({ name }) => name.replaceAll("-", " "));
    // What needs a ticket comes last while none is selected.
    const onTicket = ["kill", "gate", "retry", "revert", "approve", "rerun checks", "request review", "open pull request"];
    expect(names()).toEqual([...all.filter((name) => !onTicket.includes(name)), ...onTicket]);
    expect(offers().find(({ name }) => name === "more workers")?.key).toBe("+ =");
    for (const view of ["graph", "timeline", "ledger", "oracle", "runs"]) expect(names()).toContain(`view ${view}`);
  });

  test.each([
    ["kill", "kill"],
    ["pau", "pause"],
    ["wrk more", "more workers"],
    ["gantt", undefined],
    ["graph", "view graph"],
    ["numbers", "view ledger"],
    ["ctrl-z", "suspend"],
    ["detach", "leave"],
  ])("%s finds %s first", (text, first) => {
    expect(opened(text).names()[0]).toBe(first);
  });

  test("a ticket is found by its id and by its title, the exact id first", () => {
    expect(
      opened("t-1")
        .names()
        .filter((name) => name.startsWith("open")),
    ).toEqual(["open T-1", "open T-10", "open T-11"]);
    expect(opened("legacy queue").names()).toEqual(["open T-7"]);
    expect(opened("open state bucket").names()[0]).toBe("open T-10");
  });

  test("a command and a ticket: that command on that ticket", () => {
    expect(opened("kill t-4").names()).toEqual(["kill T-4"]);
    expect(opened("gate lock").names()).toEqual(["gate T-10"]);
  });

  test("a ticket whose id is typed is meant, and not the selected one", () => {
    const d = desk(plumbing());
    d.type("j");
    const selected = d.store.getState().ui.selected;
    expect(selected).not.toBe("T-4");
    expect(opened("gate t-4", d).names()[0]).toBe("gate T-4");
  });

  test("500 tickets do not drown the commands", () => {
    const { names } = opened("kill", desk(crowd({ tickets: 500, workers: 8 })));
    expect(names()).toEqual(["kill"]);
  });

  test("an ended run offers what its summary has", () => {
    const { names } = opened("", desk(plumbingEnded()));
    expect(names()).toContain("leave");
    expect(names()).not.toContain("kill");
  });

  test("what changes the run comes last where it has ended, and in a replay", () => {
    const changes = [
      "kill",
      "gate",
      "retry",
      "retry all",
      "verify",
      "pause",
      "more workers",
      "fewer workers",
      "oracle",
      "heal",
      "note",
      "add",
      "revert",
      "approve",
      "rerun checks",
      "request review",
      // It changes nothing, but there is no ticket to open one of.
      "open pull request",
    ];
    for (const store of [desk(plumbingEnded()).store, replayOf(plumbing()).store]) {
      store.dispatch({ type: "view", view: "graph" });
      store.dispatch({ type: "open", modal: { kind: "palette", input: EMPTY_INPUT, at: 0 } });
      const names = rankOffers(store.getState()).map(({ name }) => name);
      expect(names.slice(-changes.length)).toEqual(changes);
      expect(names.length).toBeGreaterThan(changes.length + 5);
    }
    const live = desk(plumbing()).store;
    live.dispatch({ type: "open", modal: { kind: "palette", input: EMPTY_INPUT, at: 0 } });
    expect(rankOffers(live.getState()).at(-1)?.name).not.toBe("note");
  });
});

describe("why not now", () => {
  const why = (text: string, prepare: (d: ReturnType<typeof desk>) => void = () => undefined) => {
    const d = desk(plumbing());
    prepare(d);
    const state = opened(text, d).store.getState();
    const [first] = rankOffers(state);
    return first && whyNotNow(first, state);
  };

  test("is what the key would say", () => {
    expect(why("kill")).toBe("select a worker first: j/k");
    expect(why("kill t-5")).toBe("nobody works on T-5 now");
    expect(why("pause", (d) => d.store.dispatch({ type: "connection", connection: { state: "lost", reason: "x" } }))).toBe(
      "not connected to the run",
    );
  });

  test("is nothing where it can be done, though it says something too", () => {
    expect(why("kill t-4")).toBeUndefined();
    expect(why("oracle now")).toBeUndefined();
    expect(why("pause")).toBeUndefined();
  });
});

describe("giving a command", () => {
  test("does what its key does", () => {
    const d = opened("pause");
    d.type("\r");
    expect(d.sent).toEqual([{ type: "pause" }]);
    expect(d.ui().modal).toBeUndefined();
  });

  test("still asks where its key asks, of the ticket that was named", () => {
    const d = opened("kill t-4");
    d.type("\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toEqual({ kind: "kill", ticket: "T-4" });
    d.type("y");
    expect(d.sent).toEqual([{ type: "kill", ticket: "T-4" }]);
  });

  test("opens the ticket that was found", () => {
    const d = opened("legacy");
    d.type("\r");
    expect(d.ui()).toMatchObject({ view: "ticket", selected: "T-7" });
  });

  test("is never done by the burst that wrote it", () => {
    const d = desk(plumbing());
    d.type(":pause\r");
    expect(d.sent).toEqual([]);
    d.press({ key: "escape" });
    d.type(":");
    d.type("pause\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toMatchObject({ kind: "palette", input: { text: "pause" } });
  });

  test("arrows choose another, within what is found, and writing begins at the first", () => {
    const d = opened("view");
    d.press({ key: "down" }, { key: "down" }, { key: "up" }, { key: "down" });
    expect(d.ui().modal).toMatchObject({ at: 2 });
    const found = d.names();
    d.press({ key: "pagedown" }, { key: "pagedown" }, { key: "pagedown" });
    expect(d.ui().modal).toMatchObject({ at: found.length - 1 });
    d.type("s");
    expect(d.ui().modal).toMatchObject({ at: 0 });
  });

  test("nothing that fits: nothing is done", () => {
    const d = opened("zzzz");
    expect(d.names()).toEqual([]);
    d.type("\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toMatchObject({ kind: "palette" });
  });
});
