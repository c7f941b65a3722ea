import { appendFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readTicketText } from "../../../src/cli/dashboard/ticket-reader.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { DashboardStore } from "../../../src/store/dashboard-store.ts";
import type { TicketViewAction } from "../../../src/store/views/ticket.ts";
import { storeOf } from "../../components/stage.ts";
import { until } from "../../e2e/actors.ts";
import { Stage } from "../../e2e/stage.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { batchOf, RunBuilder } from "../../store/run-builder.ts";
import { plumbing } from "../../store/scenes.ts";

const folder = scratchFolder();
afterEach(() => void vi.unstubAllEnvs());
const T6 = TicketId.parse("T-6");

/** A store whose ticket view shows T-6, with the reader at work; how often the store was told of a text. */
function reading(run: RunBuilder = plumbing()) {
  const { store, feed } = storeOf(run);
  let told = 0;
  store.subscribe((state, before) => {
    if (state.viewed !== before.viewed) told += 1;
  });
  store.dispatch({ type: "select", ticket: T6 });
  store.dispatch({ type: "view", view: "ticket" });
  const end = readTicketText({ store, folder });
  const act = (action: TicketViewAction) => store.dispatch({ type: "ticket-view", action });
  return { store, feed, act, told: () => told, [Symbol.dispose]: end };
}

function write(path: string, text: string): string {
  const file = join(folder(), "tickets/T-6", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function lines(store: DashboardStore): readonly string[] {
  const source = store.getState().viewed?.text.lines(false);
  return Array.from({ length: source?.count ?? 0 }, (_, i) => source?.line(i).text ?? "");
}

const shows = (store: DashboardStore, ...text: readonly string[]) =>
  until(() => JSON.stringify(lines(store)) === JSON.stringify(text), text.join("\n"));

describe("what the ticket view shows", () => {
  test("is read while it is shown: the newest attempt's log, another attempt's, another tab's", async () => {
    const log = write("attempt-2/agent.log", "second\n");
    write("attempt-1/agent.log", "first\n");
    write("attempt-1/check-tests.log", "2 failed\n");
    write("attempt-1/change.patch", "+a\n");
    write("attempt-1/prompt.md", "# Do it\n");
    using of = reading();
    await shows(of.store, "second");
    appendFileSync(log, "more\n");
    await shows(of.store, "second", "more");
    of.act({ type: "pick", pick: { ticket: T6, n: 1 } });
    await shows(of.store, "first");
    for (const [tab, text] of [
      ["evidence", "2 failed"],
      ["diff", "+a"],
      ["prompt", "# Do it"],
    ] as const) {
      of.act({ type: "tab", tab });
      await shows(of.store, text);
    }
    expect(of.store.getState().viewed?.file).toBe("there");
  });

  test("is no more read once another view is shown", async () => {
    const log = write("attempt-2/agent.log", "one\n");
    using of = reading();
    await shows(of.store, "one");
    of.store.dispatch({ type: "view", view: "overview" });
    appendFileSync(log, "two\n");
    using other = reading();
    await shows(other.store, "one", "two");
    expect(lines(of.store)).toEqual(["one"]);
  });

  test("is nothing that a link on the way to it leads to", async () => {
    write("attempt-2/agent.log", "mine\n");
    mkdirSync(join(folder(), "elsewhere"));
    writeFileSync(join(folder(), "elsewhere/agent.log"), "somebody's\n");
    rmSync(join(folder(), "tickets/T-6/attempt-2"), { recursive: true });
    symlinkSync(join(folder(), "elsewhere"), join(folder(), "tickets/T-6/attempt-2"));
    using of = reading();
    await until(() => of.store.getState().viewed !== undefined, "a look");
    expect(of.store.getState().viewed?.file).toEqual({ refused: "a link leads to it" });
    expect(lines(of.store)).toEqual([]);
  });

  test("is told of as absent, and again once it is there and gone", async () => {
    using of = reading();
    await until(() => of.store.getState().viewed?.file === "absent", "absent");
    const log = write("attempt-2/agent.log", "one\n");
    await shows(of.store, "one");
    // The text is there before the store is told of it.
    await until(() => of.store.getState().viewed?.file === "there", "there");
    rmSync(log);
    await until(() => of.store.getState().viewed?.file === "absent", "absent again");
    expect(lines(of.store)).toEqual([]);
  });

  test("a log of many megabytes, of one line even, is told of once a look, and its end is there", async () => {
    const log = write("attempt-2/agent.log", `${"x".repeat(10_000_000)}\n${"line\n".repeat(1_000)}`);
    using of = reading();
    await until(() => lines(of.store).at(-1) === "line" && lines(of.store).length === 1_001, "the end of it");
    expect(of.told()).toBe(1);
    expect(of.store.getState().viewed?.text.skipped).toBe(6_005_001);
    expect(lines(of.store)[0]).toMatch(/^…x+ … \+\d+ characters$/);
    appendFileSync(log, "y".repeat(10_000_000));
    await until(() => lines(of.store).at(-1)?.startsWith("…yyy") === true, "the line under way");
  });
});

describe("a change that git has", () => {
  test("is shown from git once it is captured, and as it landed; where it is gone, that is said", async () => {
    using stage = new Stage();
    vi.stubEnv("TMPDIR", folder());
    const path = stage.repo("app", { "a.txt": "one\n" });
    const from = stage.git("app", "rev-parse", "HEAD");
    stage.write("app/a.txt", "two\n");
    stage.git("app", "commit", "-qam", "change");
    const tip = stage.git("app", "rev-parse", "HEAD");
    const batch = batchOf({ tickets: [{ id: "T-6" }] });
    const run = new RunBuilder({ ...batch, repos: { app: { path, base: "main", prepare: [] } } });
    run.claim("T-6").of("T-6", { type: "worktree-ready", path: "/w", branch: "b", baseSha: from }, { type: "agent-launching" });
    using of = reading(run);
    of.act({ type: "tab", tab: "diff" });
    await until(() => of.store.getState().viewed?.file === "absent", "unknown before it is captured");
    const send = (act: () => void): void => {
      const since = run.events.length;
      act();
      for (const event of run.events.slice(since)) of.feed.take({ kind: "event", event });
      of.feed.flush();
    };
    const ended = { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0 } as const;
    send(() => run.of("T-6", ended, { type: "change-captured", tip, files: 1, additions: 1, deletions: 1 }));
    await until(() => lines(of.store).includes("+two"), "the change");
    expect(lines(of.store)).toContain("-one");
    send(() => run.step("T-6", 2).lands("T-6", tip));
    await until(() => lines(of.store).includes("+two"), "the change as it landed");
    rmSync(join(path, ".git/objects"), { recursive: true });
    of.act({ type: "tab", tab: "log" });
    of.act({ type: "tab", tab: "diff" });
    await until(() => typeof of.store.getState().viewed?.file === "object", "a refusal");
    await until(() => readdirSync(folder()).length === 0, "nothing of it stays in the temporary folder");
  });

  test.each<[what: string, text: string, whole: boolean, holds: string]>([
    ["with lines of any length", `${"x".repeat(20_000)}steal()\n`, true, "steal()"],
    ["with a NUL and what turns text around", "a\u0000b\u202ec\n", true, "+a␀b<U+202E>c"],
    ["with more lines than a text keeps", `first()\n${"1\n".repeat(25_000)}steal()\n`, false, "+steal()"],
    ["longer than what is read", `first()\n${"1234567890\n".repeat(200_000)}`, false, "# cut here"],
  ])("that waits for an approval, %s, is shown whole or said not to be", async (_, text, whole, holds) => {
    using stage = new Stage();
    vi.stubEnv("TMPDIR", folder());
    const path = stage.repo("app", { "a.txt": "one\n" });
    const base = stage.git("app", "rev-parse", "HEAD");
    stage.write("app/a.js", text);
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-qm", "change");
    const commit = stage.git("app", "rev-parse", "HEAD");
    const batch = batchOf({ tickets: [{ id: "T-6" }] });
    const run = new RunBuilder({ ...batch, repos: { app: { path, base: "main", prepare: [] } } });
    run
      .claim("T-6")
      .of(
        "T-6",
        { type: "worktree-ready", path: "/w", branch: "b", baseSha: base },
        { type: "change-captured", tip: "b".repeat(40), files: 1, additions: 1, deletions: 0 },
        { type: "approval-awaited", commit, base, change: "d", zones: [], files: 1 },
        { type: "attempt-ended", outcome: "stopped" },
      );
    using of = reading(run);
    of.act({ type: "tab", tab: "diff" });
    await until(() => of.store.getState().viewed?.change !== undefined, "the change");
    expect(of.store.getState().viewed?.change).toEqual({ commit, whole });
    expect(lines(of.store).some((line) => line.includes(holds))).toBe(true);
    expect(lines(of.store).some((line) => line.includes("characters"))).toBe(false);
  });
});
