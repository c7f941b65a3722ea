import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { dayBudgetOf, startOfDay, watchSessions } from "../../../src/cli/engine/day-budget.ts";
import { type Fence, RunId } from "../../../src/domain/values/ids.ts";
import type { SessionLogs, SessionSpend } from "../../../src/ports/session-logs.ts";

const NOON = new Date(2026, 2, 14, 12).getTime();

/** Logs that say this, one after the other and the last for ever, and since when they were asked. */
function logs(...says: readonly SessionSpend[]) {
  const asked: number[] = [];
  const kept: SessionLogs = {
    spentSince(since) {
      asked.push(since);
      return Promise.resolve(says[asked.length - 1] ?? says.at(-1) ?? { ok: true, usd: 0 });
    },
  };
  return { asked, kept };
}
const spent = (usd: number): SessionSpend => ({ ok: true, usd });

test("what other sessions cost is read at most once a minute, and again on a new day", async () => {
  let now = NOON;
  const { asked, kept } = logs(spent(1), spent(2), spent(0.5));
  const others = watchSessions([kept], () => now);
  expect(await others.look()).toBeUndefined();
  now += 59_999;
  expect(await others.look()).toBeUndefined();
  expect([asked.length, others.usd]).toEqual([1, 1]);
  now += 1;
  await others.look();
  expect([asked.length, others.usd]).toEqual([2, 2]);
  now = new Date(2026, 2, 14, 23, 59, 59).getTime();
  await others.look();
  now += 2_000;
  await others.look();
  expect([asked.length, others.usd]).toEqual([4, 0.5]);
  expect(asked).toEqual([...new Array(3).fill(startOfDay(NOON)), new Date(2026, 2, 15).getTime()]);
});

test("who asks while it is read waits for that reading", async () => {
  const { asked, kept } = logs(spent(3));
  const others = watchSessions([kept], () => NOON);
  await Promise.all([others.look(), others.look(), others.look()]);
  expect([asked.length, others.usd]).toEqual([1, 3]);
});

test("programs are added up, and one that is not known makes it all unknown", async () => {
  const both = watchSessions([logs(spent(1)).kept, logs(spent(2)).kept], () => NOON);
  await both.look();
  expect(both.usd).toBe(3);
  const unknown = watchSessions([logs(spent(1)).kept, logs({ ok: false, why: "x: no JSON" }).kept], () => NOON);
  expect(await unknown.look()).toBe("x: no JSON");
  // Also to the next one who asks within the minute.
  expect(await unknown.look()).toBe("x: no JSON");
});

test("the day's money is what is left of it beside other sessions and other runs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-day-"));
  const store = openRunStore(join(folder, "loopdash.db"));
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const [run, other] = [RunId.parse("run-1"), RunId.parse("run-2")] as [RunId, RunId];
  for (const each of [run, other])
    store.create({ run: each, name: "test", batchPath: "/b.json", batchFileSha: "x", startedAt: Date.now() });
  const others = watchSessions([logs(spent(4)).kept], Date.now);
  const budget = dayBudgetOf(run, 10, store, others);
  expect(await budget.look?.()).toBeUndefined();
  expect(dayBudgetOf(other, 10, store).take(1 as Fence, 2)).toEqual({ ok: true });
  expect(budget.take(1 as Fence, 3)).toEqual({ ok: true });
  expect(budget.take(2 as Fence, 1.5)).toEqual({ ok: false, othersUsd: 6 });
  expect(budget.take(2 as Fence, 1)).toEqual({ ok: true });
  // What costs nothing needs none of it.
  expect(budget.take(3 as Fence, 0)).toEqual({ ok: true });
  expect(dayBudgetOf(run, 10, store).look).toBeUndefined();
});
