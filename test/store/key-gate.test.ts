import { expect, test } from "vitest";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { KeyGate } from "../../src/store/keymap/key-gate.ts";
import { desk } from "./desk.ts";
import { plumbing, plumbingEnded } from "./scenes.ts";

function stage() {
  const store = createDashboardStore({ now: 0 });
  let now = 0;
  const left: string[] = [];
  const gate = new KeyGate(
    store,
    () => ({ leave: (how) => void left.push(how) }),
    () => now,
  );
  gate.watch();
  const type = (text: string, ms = 50) => {
    for (const char of text) {
      now += ms;
      gate.take([{ char }]);
    }
  };
  const shows = (run: ReturnType<typeof plumbing>) => {
    const { lists, run: state } = desk(run).store.getState();
    store.setState((before) => ({ lists, ...(state && { run: state }), ui: { ...before.ui, connection: { state: "live" } } }));
  };
  return { store, left, type, shows, wait: (ms: number) => void (now += ms) };
}

test("keys that come before the run is known are held until it is", () => {
  const { store, type, shows } = stage();
  type("3");
  expect(store.getState().ui.view).toBe("overview");
  shows(plumbing());
  expect(store.getState().ui.view).toBe("graph");
});

test("keys typed while the run ends are no commands of its summary; later ones are", () => {
  const { store, left, type, shows, wait } = stage();
  shows(plumbing());
  shows(plumbingEnded());
  type("/LIM-3q");
  expect([store.getState().ui.view, left]).toEqual(["overview", []]);
  expect(store.getState().ui.toast?.text).toContain("the run has just ended");
  wait(1_000);
  type("3");
  expect(store.getState().ui.view).toBe("graph");
});

test("a lone key that leaves works at once", () => {
  const { left, type, shows, wait } = stage();
  shows(plumbing());
  shows(plumbingEnded());
  wait(500);
  type("q");
  expect(left).toEqual(["ended"]);
});
