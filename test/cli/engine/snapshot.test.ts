import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { readJournal } from "../../../src/cli/dashboard/read-journal.ts";
import { keepForLooks, keptStateOf, recentOf } from "../../../src/cli/engine/snapshot.ts";
import { isActivity } from "../../../src/domain/run/event.ts";
import type { RunStore } from "../../../src/ports/run-store.ts";
import { longRun, record } from "../../helpers/recorded-run.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { plumbing, plumbingEnded } from "../../store/scenes.ts";

const scratch = scratchFolder();

function use<T>(db: string, look: (store: RunStore) => Promise<T>): Promise<T> {
  const store = openRunStore(db);
  return look(store).finally(() => store.close());
}

function tamper(db: string, sql: string): void {
  const file = new DatabaseSync(db);
  file.exec(sql);
  file.close();
}

describe("a look at a run that no engine works on", () => {
  test.each([true, false])("reads the last few events of its journal, and not the others; ended: %o", async (ends) => {
    const { run, state, db } = record(scratch(), longRun({ events: 19_000, ends }));
    await use(db, async (store) => {
      const kept = keptStateOf(store, run);
      if (kept === undefined) throw new Error("nothing was kept");
      const { signal } = new AbortController();
      const read = await readJournal({ journal: store.openForReading(run), kept, signal });
      expect(read?.state).toEqual(state);
      expect(read?.rows).toBeLessThanOrEqual(ends ? 2_000 : 7_000);
      const whole = await readJournal({ journal: store.openForReading(run), signal });
      expect([whole?.rows, whole?.state]).toEqual([19_000, state]);
    });
  });

  test("shows what has happened lately as an engine does", async () => {
    const built = plumbingEnded();
    const { run, state, db } = record(scratch(), built);
    const events = built.events.map((event) => event.seq).length;
    await use(db, async (store) => {
      const kept = keptStateOf(store, run);
      const read = await readJournal({
        journal: store.openForReading(run),
        ...(kept && { kept }),
        signal: new AbortController().signal,
      });
      expect(read?.recent.map((event) => event.seq)).toEqual(
        built.events.filter((event) => !isActivity(event)).map((event) => event.seq),
      );
      expect(recentOf(store.open(run), state.seq)).toEqual(read?.recent);
      expect(store.eventCount(run)).toBe(events);
    });
  });

  test("lets other things happen while it reads, tells how far it is, and can be given up", async () => {
    const { run, db } = record(scratch(), longRun({ events: 6_000 }));
    await use(db, async (store) => {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 0);
      const told: number[] = [];
      const journal = store.openForReading(run);
      await readJournal({ journal, signal: new AbortController().signal, between: (rows) => void told.push(rows) });
      clearInterval(timer);
      expect(turns).toBeGreaterThan(0);
      expect(told.length).toBeGreaterThan(0);
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      const leaving = new AbortController();
      const between = (): void => leaving.abort(new Error("left"));
      await expect(readJournal({ journal, signal: leaving.signal, between })).rejects.toThrow("left");
    });
  });

  test.each([
    ["it was changed", `UPDATE kept_states SET text = replace(text, '"verdict":"not-done"', '"verdict":"done"')`],
    ["there is none", "DELETE FROM kept_states"],
  ])("passes over a kept state where %s", async (_, sql) => {
    const { run, db } = record(scratch(), plumbingEnded("not-done"));
    tamper(db, sql);
    await use(db, async (store) => expect(keptStateOf(store, run)).toBeUndefined());
  });
});

test("a kept state that another version of this program has made is passed over", async () => {
  const { run, state, db } = record(scratch(), plumbingEnded());
  await use(db, async (store) => {
    const { text, seq } = store.keptState(run) ?? { text: "", seq: 0 };
    expect(keptStateOf(store, run)).toEqual(state);
    store.keepState(run, { seq, text: text.replace('"by":"', '"by":"older ') });
    expect(store.keptState(run)).toBeDefined();
    expect(keptStateOf(store, run)).toBeUndefined();
  });
});

describe("what an engine keeps for looks", () => {
  test("how far a run is, whenever that has changed, and that it was stopped", async () => {
    const going = record(scratch(), plumbing(), { run: "going-1" });
    const stopped = record(scratch(), plumbingEnded("stopped"), { run: "stopped-1" });
    await use(going.db, async (store) => {
      expect(store.tallies().get(going.run)).toEqual({ done: 3, gated: 1, open: 7, interventions: 1, stopped: false });
      expect(store.tallies().get(stopped.run)).toMatchObject({ stopped: true });
    });
  });

  test("where it cannot be kept, the run continues, and it is told", async () => {
    const built = plumbingEnded();
    const { run, state, db } = record(scratch(), built, { kept: false });
    await use(db, async (store) => {
      const problems: string[] = [];
      const keep = keepForLooks({ run, store, journal: store.open(run), onProblem: (problem) => problems.push(problem) });
      tamper(db, "DROP TABLE kept_states");
      const last = built.events.at(-1);
      if (last === undefined) throw new Error("no events");
      keep(last, state);
      expect(problems).toEqual([expect.stringContaining("was not kept")]);
    });
  });

  test("where it cannot be kept, that is told once for each thing to keep, and not at every event", async () => {
    const talk = longRun({ events: 300, ends: false });
    const { run, state, db } = record(scratch(), talk, { kept: false });
    await use(db, async (store) => {
      const problems: string[] = [];
      const keep = keepForLooks({ run, store, journal: store.open(run), onProblem: (problem) => problems.push(problem) });
      tamper(db, "DROP TABLE tallies");
      for (const event of talk.events.filter(isActivity)) keep(event, state);
      expect(problems).toHaveLength(1);
    });
  });
});
