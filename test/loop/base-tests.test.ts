import type { TestResult } from "@loopdash/test-evidence";
import { describe, expect, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import { World } from "./world/world.ts";

const [T1, T2, T3, T4, T5] = ["T-1", "T-2", "T-3", "T-4", "T-5"].map((name) => TicketId.parse(name)) as [
  TicketId,
  TicketId,
  TicketId,
  TicketId,
  TicketId,
];
const HOUR = 3_600_000;

const CHECK: StepSpec = {
  step: "check",
  name: "tests",
  command: ["check"],
  report: { format: "tap", path: "report.tap" },
  canary: "off",
};
const FINISH: StepSpec[] = [CHECK, { step: "merge" }, { step: "assert" }];

interface SceneOptions {
  /** What the agents leave, in the order of the tickets. */
  readonly work?: readonly string[];
  readonly onBroken?: "freeze" | "revert" | "continue";
  readonly t2?: Partial<Ticket>;
  readonly t3?: Partial<Ticket>;
  readonly flakes?: number;
}

/**
 * T-1 lands with the check. T-2 lands without it what breaks the test `sums`. T-3 and T-4 have the check, T-5 has not. The test `red`
 * fails on the first commit. One agent works at a time. Words in what agents leave decide: `bad-sums` fails `sums` unless something
 * says `mends`; `bad-own` fails a test of its own; `bad-runner` leaves no report; `mended-red` lets `red` pass, until `red-again`.
 */
function scene({ work = ["good", "bad-sums"], onBroken = "freeze", t2 = {}, t3 = {}, flakes = 0 }: SceneOptions = {}) {
  const common = { allow: { testsRemoved: [], testsSkipped: [], suppressions: true } };
  const tickets = [
    ticketOf("T-1", { ...common, finish: FINISH }),
    ticketOf("T-2", { ...common, dependsOn: [T1], ...t2 }),
    ticketOf("T-3", { ...common, finish: FINISH, dependsOn: [T2], ...t3 }),
    ticketOf("T-4", { ...common, finish: FINISH, dependsOn: [T2] }),
    ticketOf("T-5", { ...common, dependsOn: [T2] }),
  ];
  const batch = {
    ...batchOf(tickets, { workers: 1, attempts: 2, outageMinutes: 60 }),
    onBroken,
    tracker: { kind: "local" as const, path: "/tickets" },
  };
  const says = (files: ReadonlyMap<string, string>, word: string) => [...files.values()].some((text) => text.endsWith(word));
  const isRed = (files: ReadonlyMap<string, string>) => !says(files, "mended-red") || says(files, "red-again");
  let left = flakes;
  const tests = (files: ReadonlyMap<string, string>): readonly TestResult[] | undefined => {
    if (says(files, "bad-runner")) return undefined;
    const isFlake = left > 0 && files.has("T-2.txt");
    if (isFlake) left -= 1;
    const fails = isFlake || (says(files, "bad-sums") && !says(files, "mends"));
    return [
      { id: "sums", outcome: fails ? "failed" : "passed" },
      { id: "red", outcome: isRed(files) ? "failed" : "passed" },
      ...(says(files, "bad-own") ? [{ id: "own", outcome: "failed" as const }] : []),
    ];
  };
  const world = new World({
    batch,
    agents: [],
    verifies: [],
    work,
    tests,
    command: ({ argv, files }) => argv[0] !== "check" || !isRed(files),
  });
  const of = <T extends RunEvent["type"]>(type: T) =>
    world.events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
  const until = async (match: (event: RunEvent) => boolean) => {
    for (let n = 0; n < 500 && !world.events.some(match); n += 1) await world.pass(1_000);
    expect(world.events.some(match), "it has happened").toBe(true);
  };
  return { world, of, until, landed: () => of("merge-landed").map(({ ticket }) => ticket) };
}

const broke = (event: RunEvent) => event.type === "base-check-ended" && !event.ok;

describe("tests that passed on an earlier base of the run and fail on its tip", () => {
  test("break the base: what landed last is suspected, nothing else lands, and no attempt is lost", async () => {
    const { world, until, landed } = scene();
    await world.start();
    await until(broke);
    const { mergedSha: sha } = stateOf(world.state, T2);
    expect(world.state.brokenBases).toMatchObject({ app: { cause: "check", sha, ticket: T2, step: "tests" } });
    expect(world.state.brokenBases["app"]?.summary).toBe("1 test broke during this run: sums");
    await world.pass(HOUR);
    const { end, incidents } = world.state;
    expect(end).toMatchObject({ exitCode: 1, reason: expect.stringContaining("the base of app is broken") });
    expect(landed()).toEqual([T1, T2]);
    for (const id of [T3, T4, T5]) expect(stateOf(world.state, id), id).toMatchObject({ phase: "waiting", failures: 0 });
    expect(incidents).toMatchObject([{ kind: "broken-base", repo: "app", summary: expect.stringContaining("T-2") }]);
  });

  test("are known to an engine that did not see them pass", async () => {
    const { world, until } = scene();
    await world.start();
    await until((event) => event.type === "merge-landed" && event.ticket === T2);
    world.kill();
    await world.resume();
    await until(broke);
    await world.pass(HOUR);
    expect(world.state.brokenBases).toMatchObject({ app: { cause: "check", ticket: T2, step: "tests" } });
    for (const id of [T3, T4]) expect(stateOf(world.state, id), id).toMatchObject({ phase: "waiting", failures: 0 });
  });

  test("freeze others until they pass on the tip; then what waited lands without another agent", async () => {
    const { world, until, of } = scene();
    await world.start();
    await until(broke);
    world.repo.commitFiles({ "fix.txt": "mends" });
    await until((event) => event.type === "base-check-ended" && event.ok);
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(of("attempt-claimed").filter(({ ticket }) => ticket === T3)).toHaveLength(2);
    expect(of("agent-started").filter(({ ticket }) => ticket === T3).length).toBeLessThanOrEqual(1);
    for (const id of [T3, T4]) expect(stateOf(world.state, id)).toMatchObject({ phase: "done", failures: 0 });
    expect(world.state.incidents).toMatchObject([{ kind: "broken-base", endedAt: expect.any(Number) }]);
  });

  test("are repaired by a change with which they pass; what waited lands after it", async () => {
    const { world, landed } = scene({ work: ["good", "bad-sums", "good", "mends"] });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(landed().indexOf(T3)).toBeGreaterThan(landed().indexOf(T4));
    for (const id of [T3, T4]) expect(stateOf(world.state, id).failures, id).toBe(0);
  });

  test("break the base too if it leaves no report any more, and the attempt is not blamed", async () => {
    const { world } = scene({ work: ["good", "bad-runner"] });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.brokenBases).toMatchObject({ app: { cause: "check", ticket: T2, step: "tests" } });
    for (const id of [T3, T4]) expect(stateOf(world.state, id), id).toMatchObject({ phase: "waiting", failures: 0 });
  });

  test("do not excuse a change that breaks another test", async () => {
    const { world } = scene({ work: ["good", "bad-sums", "bad-own", "good", "good", "bad-own"] });
    await world.start();
    await world.pass(HOUR);
    expect(stateOf(world.state, T3).failures).toBeGreaterThan(0);
    expect(stateOf(world.state, T4)).toMatchObject({ phase: "waiting", failures: 0 });
  });

  test("are an incident, and other changes land all the same, if the batch says continue", async () => {
    const { world, landed } = scene({ onBroken: "continue" });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(landed().toSorted()).toEqual([T1, T2, T3, T4, T5]);
    expect(world.state.brokenBases).toMatchObject({ app: { cause: "check", ticket: T2, step: "tests" } });
    expect(world.state.incidents).toMatchObject([{ kind: "broken-base" }]);
  });

  test("do not break it if they fail once and pass when they run again", async () => {
    const { world, of } = scene({ work: [], flakes: 1 });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(of("base-check-ended")).toEqual([]);
    expect(world.state.incidents).toEqual([]);
  });

  test("break it too if they were red before the run, and a change of the run had repaired them", async () => {
    const { world } = scene({ work: ["mended-red", "red-again"] });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.brokenBases["app"]?.summary).toBe("1 test broke during this run: red");
    for (const id of [T3, T4]) expect(stateOf(world.state, id), id).toMatchObject({ phase: "waiting", failures: 0 });
  });

  test("do not freeze it for good: before the run ends, the check runs once more on the tip", async () => {
    const { world } = scene({ work: [], flakes: 2 });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(world.state.incidents).toMatchObject([{ kind: "broken-base", endedAt: expect.any(Number) }]);
  });
});

describe("tests that were red before the run", () => {
  test("do not count, whatever has landed since", async () => {
    const { world, of } = scene({ work: [] });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(of("base-check-ended")).toEqual([]);
  });
});

const REVERT = { onBroken: "revert", work: ["good", "bad-sums", "good", "good", "good", "good"] } as const;

describe("a landed change with which a check fails on the base", () => {
  test("is reverted, its ticket is open again with the evidence, and what waited lands", async () => {
    const { world, of, until } = scene(REVERT);
    await world.start();
    await until((event) => event.type === "revert-ended");
    const [{ to = "" } = {}] = of("revert-landed");
    const landed = of("merge-landed").find(({ ticket }) => ticket === T2);
    expect([...world.repo.filesOf(to).keys()]).not.toContain("T-2.txt");
    const ticket = stateOf(world.state, T2);
    expect(ticket).toMatchObject({
      failures: 1,
      reverted: { sha: landed?.to, by: to, failedCheck: { step: "check", name: "tests" } },
    });
    expect(ticket.evidence.at(-1)).toMatchObject({
      step: "check",
      summary: expect.stringContaining("1 test broke during this run: sums"),
    });
    expect(world.tracker.tickets.get(T2)?.state.as).toBe("open");
    await world.pass(HOUR);
    const { end, incidents, brokenBases } = world.state;
    expect(end?.exitCode).toBe(0);
    expect(brokenBases).toEqual({});
    expect(of("revert-ended")).toHaveLength(1);
    for (const id of [T3, T4, T5]) expect(stateOf(world.state, id), id).toMatchObject({ phase: "done", failures: 0 });
    expect(incidents).toMatchObject([
      { kind: "broken-base", endedAt: expect.any(Number), endedBy: `reverted by ${to.slice(0, 7)}` },
      { kind: "reopened", ticket: T2, endedAt: expect.any(Number) },
    ]);
  });

  test("is reverted once, whenever the engine is lost meanwhile", async () => {
    for (const type of ["base-check-ended", "revert-started", "revert-intended", "revert-landed"] as const) {
      const { world, of, until } = scene(REVERT);
      await world.start();
      world.listen((event) => void (event.type === type && of(type).length === 1 && world.killAfter(1)));
      await until(({ type: is }) => is === type);
      await world.pass(1_000);
      await world.resume();
      await world.pass(HOUR);
      expect(world.state.end?.exitCode, type).toBe(0);
      expect(of("revert-ended"), type).toHaveLength(1);
      expect(stateOf(world.state, T2), type).toMatchObject({ phase: "done", failures: 1 });
    }
  });

  test("is not reverted if the check fails on the base before it too: the base stays frozen, and the reason is told", async () => {
    // T-5 lands on top of T-2, before anybody runs the check.
    const { world, of, until } = scene({ ...REVERT, t3: { dependsOn: [T5] } });
    await world.start();
    await until((event) => event.type === "merge-landed" && event.ticket === T2);
    await world.pass(HOUR);
    expect(world.state.brokenBases["app"]).toMatchObject({ cause: "check", ticket: T5 });
    expect(of("revert-failed")).toMatchObject([{ ticket: T5, reason: expect.stringContaining("before its change") }]);
    expect(of("revert-intended")).toEqual([]);
    expect(stateOf(world.state, T5)).toMatchObject({ phase: "done", failures: 0 });
    expect(world.tracker.tickets.get(T5)?.state.as).toBe("done");
    expect(world.state.incidents).toMatchObject([{ kind: "broken-base" }]);
  });

  test("is not reverted if the check passes when it runs once more: the base is whole", async () => {
    const { world, of } = scene({ ...REVERT, work: [], flakes: 2 });
    await world.start();
    await world.pass(HOUR);
    expect(world.state.end?.exitCode).toBe(0);
    expect(of("revert-failed")).toHaveLength(1);
    expect(of("revert-intended")).toEqual([]);
    expect(world.state.incidents).toMatchObject([{ kind: "broken-base", endedAt: expect.any(Number) }]);
  });
});
