import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { acts, drift, fileOf, open, setTo, T1, T2 } from "./drift-stage.ts";
import { Stage } from "./stage.ts";

cleanUp();

describe("the engine's own writes", () => {
  test("are never taken for a person's", async () => {
    const ids = ["T-1", "T-2", "T-3", "T-4", "T-5"];
    const { stage } = await open({ tickets: ids.map((id) => ticketOf(id)), limits: { workers: 5 } });
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "5 done" });
    expect(stage.of("tracker-drifted")).toEqual([]);
    expect(acts(stage)).toEqual([]);
  });

  test("that did not persist are repeated, and are nobody's act", async () => {
    const { stage, go } = await open({ tickets: [ticketOf("T-1"), ticketOf("T-2")], held: [T2] });
    using _ = stage;
    const text = readFileSync(fileOf(stage, T1), "utf8");
    stage.start();
    await stage.until("attempt-ended");
    writeFileSync(fileOf(stage, T1), text);
    await stage.until("tracker-writing", (e) => e.type === "tracker-writing" && e.isRepeat === true);
    go(T2);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(stage.of("tracker-drifted")).toEqual([]);
    expect(readFileSync(fileOf(stage, T1), "utf8")).toContain("state: done");
  });

  test("do not undo what a person wrote meanwhile", async () => {
    const finish = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;
    // A person gates it in the instant in which it is to be set to done.
    const gating = (ctx: LoopContext): Partial<LoopContext> => ({
      report: (fact) => {
        if (fact.type === "step-started" && fact.kind === "assert") setTo(stage, T1, "human-gated\nhumanStep: ask Jo");
        return ctx.report(fact);
      },
    });
    const { stage } = await open({ tickets: [ticketOf("T-1", { finish })] }, gating);
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "0 done, 1 left to a person" });
    expect(readFileSync(fileOf(stage, T1), "utf8")).toContain("state: human-gated");
  });
});

describe("an engine that was lost", () => {
  test("between the intent of a write and its record: the write is nobody's act", async () => {
    const { stage } = await open({ tickets: [ticketOf("T-1")] });
    using _ = stage;
    await stage.crashAt((event) => event.type === "tracker-written");
    await stage.crashAndReopen(() => ({}), "lose");
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.of("tracker-drifted")).toEqual([]);
  });

  test("does not hide what a person did meanwhile, and it is counted once", async () => {
    const { stage } = await open({ tickets: [ticketOf("T-1"), ticketOf("T-2")], limits: { workers: 1 }, held: [T1] });
    using _ = stage;
    await stage.crashAt((event) => event.type === "agent-launching");
    setTo(stage, T2, "done");
    await stage.crashAndReopen();
    await stage.crashAt((event) => event.type === "tracker-drifted", "resume");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.until(
      "attempt-claimed",
      (event) => event.seq > (stage.events.findLast((e) => e.type === "run-resumed")?.seq ?? 0),
    );
    expect(stage.ticket(T2)).toMatchObject({ phase: "done", closedByPerson: "closed" });
    expect(stage.of("tracker-drifted")).toHaveLength(1);
    expect(acts(stage).filter(([c]) => c === "I7")).toEqual([["I7", T2, true]]);
  });
});

test("a state in the embedded tracker that an agent could have written is taken back, and told", async () => {
  const go = Promise.withResolvers<undefined>();
  using stage = await Stage.open({
    tickets: [ticketOf("T-1")],
    limits: { attempts: 1 },
    work: () => go.promise.then(() => ({ exitCode: 1 })),
  });
  stage.start();
  await stage.until("tracker-read");
  const file = join(stage.root, "tracker.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"open"', '"done"'));
  await stage.until("tracker-drifted", drift(T1, "taken-back"));
  go.resolve(undefined);
  expect((await stage.ended()).end).toMatchObject({ exitCode: 1 });
  expect(readFileSync(file, "utf8")).toContain('"open"');
  expect(acts(stage)).toEqual([["I7", T1, true]]);
});
