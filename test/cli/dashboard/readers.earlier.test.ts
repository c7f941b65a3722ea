import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { readEarlier } from "../../../src/cli/dashboard/readers.ts";
import { printedSummary } from "../../../src/cli/printed-summary.ts";
import { stateHome } from "../../../src/cli/state-home.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import { resetDashboard } from "../../../src/store/dashboard-store.ts";
import { stalled } from "../../adapters/journal/facts.ts";
import { storeOf } from "../../components/stage.ts";
import { plumbing, plumbingEnded } from "../../store/scenes.ts";

let home = "";
const before = process.env["LOOPDASH_HOME"];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loopdash-earlier-"));
  process.env["LOOPDASH_HOME"] = home;
});
afterEach(() => {
  if (before === undefined) delete process.env["LOOPDASH_HOME"];
  else process.env["LOOPDASH_HOME"] = before;
  rmSync(home, { recursive: true, force: true });
});

const databaseFile = (): string => stateHome(process.env, home).db;

/** A run before the one that is shown, of the same batch file, with its numbers. */
function record(state: RunState): void {
  const records = openRunStore(databaseFile());
  const row = { name: "plumbing", batchPath: state.batchPath, batchFileSha: "0".repeat(64) };
  const old = RunId.parse("plumbing-old");
  records.create({ ...row, run: old, startedAt: 1 }).append(stalled("x"));
  records.end(old, { at: 2, verdict: "done", exitCode: 0, reason: "r" });
  records.recordNumbers(old, { "interventions.total": 4, costUsd: 7.5 });
  records.create({ ...row, run: state.run, startedAt: state.startedAt }).append(stalled("x"));
  records.close();
}

describe("earlier runs", () => {
  test("are read once something that shows them comes into view, and once only", () => {
    const run = plumbing();
    record(run.state);
    const { store } = storeOf(run);
    const end = readEarlier({ store, folder: () => "" });
    expect(store.getState().earlier).toBeUndefined();
    store.dispatch({ type: "view", view: "ledger" });
    const read = store.getState().earlier;
    expect(read).toMatchObject({ run: run.state.run, runs: [{ run: "plumbing-old", verdict: "done", sameBatch: true }] });
    store.dispatch({ type: "view", view: "overview" });
    store.dispatch({ type: "view", view: "ledger" });
    expect(store.getState().earlier).toBe(read);
    end();
  });

  test("of a run that has ended are read at once, and those of another one when it is shown", () => {
    const run = plumbingEnded();
    record(run.state);
    const { store } = storeOf(run);
    const end = readEarlier({ store, folder: () => "" });
    expect(store.getState().earlier?.runs).toHaveLength(1);
    const other = RunId.parse("plumbing-old");
    store.setState({ run: { ...run.state, run: other } });
    expect(store.getState().earlier).toEqual({ run: other, runs: [] });
    end();
    store.setState({ run: run.state });
    expect(store.getState().earlier?.run).toBe(other);
  });

  test("are read again for a run that is come back to", () => {
    const run = plumbingEnded();
    record(run.state);
    const { store } = storeOf(run);
    const end = readEarlier({ store, folder: () => "" });
    resetDashboard(store);
    expect(store.getState().earlier).toBeUndefined();
    // One at work, whose earlier runs nobody asks for.
    store.setState({ run: { ...plumbing().state, run: RunId.parse("plumbing-old") } });
    resetDashboard(store);
    store.setState({ run: run.state });
    expect(store.getState().earlier).toMatchObject({ run: run.state.run, runs: [{ run: "plumbing-old" }] });
    end();
  });

  test("that cannot be read are said to be so, and the summary is printed without them", () => {
    writeFileSync(databaseFile(), "no database");
    const run = plumbingEnded();
    const { store } = storeOf(run);
    readEarlier({ store, folder: () => "" })();
    expect(store.getState().earlier).toMatchObject({
      runs: [],
      problem: expect.stringContaining("cannot use loopdash's records"),
    });
    expect(printedSummary(run.state)).toContain("✔ DONE, says the oracle");
  });

  test("stand in the printed summary", () => {
    const run = plumbingEnded();
    record(run.state);
    expect(printedSummary(run.state)).toContain("last 2 runs: interventions █▃  4 1 · cost $ █▄  7.50 3.74\n");
  });
});
