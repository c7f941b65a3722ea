import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { type Fence, RunId } from "../../../src/domain/values/ids.ts";
import type { RunStore } from "../../../src/ports/run-store.ts";
import { RUN, runRow, tempFolder } from "./facts.ts";

const OTHER = RunId.parse("other");

function fresh(): { file: string; store: RunStore } {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  return { file, store };
}

describe("questions to the reviewer", () => {
  const ask = (store: RunStore, usd: number, over: Partial<Parameters<RunStore["reserveCost"]>[0]> = {}) =>
    store.reserveCost({ run: RUN, fence: 1 as Fence, question: "review", at: 10, usd, since: 0, capUsd: 10, ...over });

  test("are paid beside their attempt's agent, each for itself, however often an attempt asks the same", () => {
    const { store } = fresh();
    store.create(runRow());
    expect(ask(store, 4, { question: undefined })).toBe(true);
    expect(ask(store, 2)).toBe(true);
    expect(ask(store, 1, { question: "adjudicate" })).toBe(true);
    expect(ask(store, 1, { fence: 2 as Fence })).toBe(true);
    expect(store.spentSince(0)).toBe(8);
    store.settleCost(RUN, 1 as Fence, 0.5, "review");
    expect(store.spentSince(0)).toBe(6.5);
    // The second of its kind does not take the place of the first.
    expect(ask(store, 2)).toBe(true);
    expect(store.spentSince(0)).toBe(8.5);
    store.settleCost(RUN, 1 as Fence, 1, "review");
    store.settleCost(RUN, 1 as Fence, 3);
    expect(store.spentSince(0)).toBe(0.5 + 1 + 1 + 1 + 3);
  });

  test("that have their money get it again, and nobody gets what would pass the day's", () => {
    const { store } = fresh();
    store.create(runRow());
    expect([ask(store, 9), ask(store, 9)]).toEqual([true, true]);
    expect(store.spentSince(0)).toBe(9);
    expect(ask(store, 2, { fence: 2 as Fence })).toBe(false);
    expect(ask(store, 2, { question: undefined })).toBe(false);
    store.settleCost(RUN, 1 as Fence, 8, "review");
    expect(ask(store, 2, { fence: 2 as Fence })).toBe(true);
    expect(ask(store, 0.1)).toBe(false);
  });

  test("that were never answered stay counted, whoever opens the file next", () => {
    const { file, store } = fresh();
    store.create(runRow());
    expect(ask(store, 7)).toBe(true);
    const next = openRunStore(file);
    onTestFinished(() => next.close());
    next.create(runRow({ run: OTHER }));
    expect(ask(next, 4, { run: OTHER, fence: 5 as Fence })).toBe(false);
    expect(next.spentSince(0, OTHER)).toBe(7);
  });
});
