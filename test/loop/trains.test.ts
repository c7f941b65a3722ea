import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Stage } from "./stage.ts";

cleanUp();
const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

/**
 * A check that leaves a mark named after the tickets whose files its checkout has ("T-1+T-2#0", numbered). It fails if `fails` says so
 * of these tickets.
 */
function checkThat(fails = "() => false"): { readonly check: StepSpec; readonly runs: () => readonly string[] } {
  const folder = tempDir();
  const marks = join(folder, "marks");
  mkdirSync(marks);
  const script = join(folder, "check.mjs");
  writeFileSync(
    script,
    `import { readdirSync, writeFileSync } from "node:fs";
    const mine = readdirSync(".").filter((name) => /^T-.*txt$/.test(name)).map((name) => name.slice(0, -4)).sort();
    const marks = ${JSON.stringify(marks)};
    writeFileSync(marks + "/" + mine.join("+") + "#" + readdirSync(marks).length, "");
    process.exitCode = (${fails})(mine) ? 1 : 0;`,
  );
  const check: StepSpec = { step: "check", name: "unit", command: [process.execPath, script] };
  const runs = () => readdirSync(marks).toSorted((a, b) => numberOf(a) - numberOf(b));
  return { check, runs: () => runs().map((mark) => mark.split("#")[0] ?? "") };
}

const numberOf = (mark: string): number => Number(mark.split("#")[1]);
const lineOf = (check: StepSpec): readonly StepSpec[] => [check, { step: "merge" }, { step: "assert" }];

/** Agents end together: each waits until all are at work. */
async function aStage(finish: readonly StepSpec[], more: Partial<Ticket> = {}): Promise<Stage> {
  const tickets = [T1, T2, T3].map((id) => ticketOf(id, { finish, ...more }));
  const all = Promise.withResolvers<void>();
  let atWork = 0;
  return Stage.open({
    tickets,
    limits: { workers: 3, attempts: 1 },
    work: async ({ worktree, ticket }) => {
      writeFileSync(join(worktree, `${ticket}.txt`), "x\n");
      atWork += 1;
      if (atWork === tickets.length) all.resolve();
      await all.promise;
    },
  });
}

const filesOf = (stage: Stage) => stage.git("ls-tree", "--name-only", "main").split("\n");

describe("a merge train", () => {
  test("checks candidates that are ready together once; each lands as a commit of its own, and all say so", async () => {
    const { check, runs } = checkThat();
    using stage = await aStage(lineOf(check));
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(runs().filter((mark) => mark !== "")[0]).toBe("T-1+T-2+T-3");
    expect(new Set(runs())).toEqual(new Set(["T-1+T-2+T-3", ""]));
    expect(stage.of("merge-landed")).toHaveLength(3);
    expect(new Set(stage.of("step-started").flatMap((e) => (e.kind === "check" ? [e.ticket] : [])))).toEqual(
      new Set([T1, T2, T3]),
    );
    const trains = stage.of("step-part-started").flatMap(({ train }) => (train === undefined ? [] : [train.toSorted()]));
    expect(trains[0]).toEqual([T1, T2, T3]);
    expect(filesOf(stage)).toEqual(expect.arrayContaining(["T-1.txt", "T-2.txt", "T-3.txt"]));
  });

  test("that fails is halved: the faulty change fails by a check of its own, and the others land", async () => {
    const { check, runs } = checkThat('(mine) => mine.includes("T-2")');
    using stage = await aStage(lineOf(check));
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "not-done" });
    expect(stage.ticket(T2)).toMatchObject({ phase: "stalled" });
    for (const id of [T1, T3]) expect(stage.ticket(id)).toMatchObject({ phase: "done", failures: 0 });
    expect(filesOf(stage)).not.toContain("T-2.txt");
    expect(stage.of("step-ended").filter(({ ok, ticket }) => !ok && ticket !== T2)).toEqual([]);
    expect(runs().length).toBeLessThanOrEqual(7);
    const why = stage.of("step-part-started").flatMap(({ trainFailed }) => trainFailed ?? []);
    expect(why[0]).toContain("exited with code 1");
  });

  test("two changes that are right alone and wrong together: the later one fails", async () => {
    const { check } = checkThat('(mine) => mine.includes("T-1") && mine.includes("T-3")');
    using stage = await aStage(lineOf(check));
    stage.start();
    await stage.ended();
    const landed = [T1, T2, T3].filter((id) => stage.ticket(id).phase === "done");
    expect(landed).toHaveLength(2);
    expect(landed).toContain(T2);
  });

  test("a change that may do what others may not is checked by itself", async () => {
    const { check, runs } = checkThat();
    using stage = await aStage(lineOf(check), { allow: { testsRemoved: ["x"], testsSkipped: [], suppressions: false } });
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    const lengths = new Set(runs().map((mark) => mark.split("+").length));
    expect(lengths).toEqual(new Set([1, 2, 3]));
  });

  test("an engine that is killed while a train is checked loses nothing and doubles nothing", async () => {
    const { check } = checkThat();
    using stage = await aStage(lineOf(check));
    await stage.crashAt((event) => event.type === "step-part-started" && "train" in event && event.train !== undefined);
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(
      stage
        .of("merge-landed")
        .map(({ ticket }) => ticket)
        .toSorted(),
    ).toEqual([T1, T2, T3]);
    expect(stage.tasks).toHaveLength(3);
  });
});
