import { describe, expect, test } from "vitest";
import type { DashboardStore } from "../../../src/store/dashboard-store.ts";
import { press } from "../../../src/store/keymap/keymap.ts";
import { SUMMARY_KEYS } from "../../../src/store/keymap/summary-keys.ts";
import { storeOf } from "../../components/stage.ts";
import type { RunBuilder } from "../run-builder.ts";
import { plumbing, plumbingEnded } from "../scenes.ts";

const REGISTRAR = "approve the DNS change at the registrar: zone example.org, ticket 4711";
const BUCKET = "unlock the state bucket in the console, as the owner of the account: Storage, state, Unlock";

function stageOf(run: RunBuilder): { store: DashboardStore; copied: string[]; type: (keys: string) => void } {
  const { store } = storeOf(run);
  const copied: string[] = [];
  const terminal = { leave: () => undefined, copy: (text: string) => void copied.push(text) };
  const type = (keys: string) =>
    press(
      store,
      [...keys].map((char) => ({ char })),
      terminal,
    );
  return { store, copied, type };
}

describe("the step that is left to a person", () => {
  test("is copied word for word: the first, or that of the selected ticket", () => {
    const { copied, type, store } = stageOf(plumbingEnded());
    type("y");
    expect(store.getState().ui.toast?.text).toBe("given to the terminal's clipboard: the step of T-5");
    type("jy");
    type("jy");
    expect(copied).toEqual([REGISTRAR, REGISTRAR, BUCKET]);
  });

  test("of the selected ticket comes first, where it has one", () => {
    const { copied, type, store } = stageOf(plumbingEnded());
    store.dispatch({ type: "select", ticket: "T-10" as never });
    type("y");
    store.dispatch({ type: "select", ticket: "T-1" as never });
    type("y");
    expect(copied).toEqual([BUCKET, REGISTRAR]);
  });

  test("cannot hold what a shell would obey", () => {
    const run = plumbing().gates("T-8", "run \u001b[31mthis\u001b[0m\u0007\u202e now");
    run.play({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "open" });
    const { copied, type, store } = stageOf(run);
    store.dispatch({ type: "select", ticket: "T-8" as never });
    type("y");
    expect(copied).toEqual(["run this now"]);
  });

  test("where there is none, nothing is copied and the footer names no key", () => {
    const run = plumbingEnded("stopped");
    const { copied, type, store } = stageOf(run);
    const short = () => SUMMARY_KEYS[0]?.short?.(store.getState());
    expect(short()).toBe("copy step");
    store.setState({ run: { ...run.state, tickets: [] } });
    expect(short()).toBe("");
    type("y");
    expect(copied).toEqual([]);
    expect(store.getState().ui.toast?.text).toBe("no step is left to a person");
  });
});

test("enter opens the selected ticket, or the first one if none is", () => {
  const { store } = stageOf(plumbingEnded());
  const open = SUMMARY_KEYS.find(({ name }) => name === "open");
  const opened = (): unknown => open?.act(store.getState());
  expect(opened()).toMatchObject([{ action: { type: "select", ticket: "T-5" } }, { action: { type: "view", view: "ticket" } }]);
  store.dispatch({ type: "select", ticket: "T-10" as never });
  expect(opened()).toMatchObject([{ action: { ticket: "T-10" } }, {}]);
});
