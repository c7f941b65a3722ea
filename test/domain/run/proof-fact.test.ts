import { describe, expect, test } from "vitest";
import { mayWait, type RunFact } from "../../../src/domain/run/event.ts";
import { expectedSuiteMs } from "../../../src/domain/run/suite-fact.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const APP = RepoId.parse("app");
const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];

const begun = () => new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));

describe("the proof of a base", () => {
  test("is known while it runs, with the tickets that it covers and the time that it will take", () => {
    const sim = begun();
    expect(sim.state.proofs).toEqual({});
    sim.report({ type: "proof-started", repo: APP, sha: "aa", tickets: [T1, T2], expectedMs: 42_000 });
    const since = sim.state.lastEventAt;
    expect(sim.state.proofs).toEqual({ app: { running: { since, sha: "aa", tickets: [T1, T2], expectedMs: 42_000 } } });
  });

  test("leaves the proven commit, which a failed proof keeps and a later one replaces", () => {
    const sim = begun();
    const end = (sha: string, ok: boolean) =>
      sim.report({ type: "proof-ended", repo: APP, sha, ok, summary: "2 twins passed", commits: 1, ...(!ok && { blamed: T2 }) });
    end("aa", true);
    expect(sim.state.proofs).toEqual({ app: { proven: "aa" } });
    end("bb", false);
    const failed = { at: sim.state.lastEventAt, sha: "bb", summary: "2 twins passed", blamed: T2 };
    expect(sim.state.proofs).toEqual({ app: { proven: "aa", failed } });
    end("cc", true);
    expect(sim.state.proofs).toEqual({ app: { proven: "cc" } });
  });

  test.for([
    ["the same checks", "true", "cc"],
    ["another check", "false", undefined],
  ] as const)("is that of a candidate that was proven alone, if what landed before has %s", ([, command, proven]) => {
    const check = (word: string) => ({ step: "check", name: "tests", command: [word] }) as const;
    const finish = (word: string) => ({ finish: [check(word), { step: "merge" as const }] });
    const sim = new Simulation(batchOf([ticketOf("T-1", finish("true")), ticketOf("T-2", finish(command))]));
    sim.decide();
    const land = (id: TicketId, from: string, to: string, proof?: { approved: string[] }) => {
      const of = { ...sim.of(id), repo: APP, from, to };
      sim.report({ type: "merge-intended", ...of, ...(proof && { proof }) });
      sim.report({ type: "merge-landed", ...of });
    };
    land(T1, "aa", "bb");
    land(T2, "bb", "cc", { approved: [] });
    expect(sim.state.proofs["app"]?.proven).toBe(proven);
  });

  test("does not run any more once it was stopped, or once another engine took over", () => {
    const sim = begun();
    const start = () => sim.report({ type: "proof-started", repo: APP, sha: "aa", tickets: [T1] });
    start();
    sim.report({ type: "proof-stopped", repo: APP });
    expect(sim.state.proofs).toEqual({ app: {} });
    start();
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(sim.state.proofs).toEqual({ app: {} });
  });

  test("is on disk before it begins, and so is its failure", () => {
    expect(mayWait({ type: "proof-started", repo: APP, sha: "aa", tickets: [] })).toBe(false);
    expect(mayWait({ type: "proof-ended", repo: APP, sha: "aa", ok: false, summary: "", commits: 1 })).toBe(false);
  });
});

describe("runs of checks", () => {
  test("of some tests alone are counted, and say nothing of the time that all take", () => {
    const sim = begun();
    const suite = { type: "suite-ran", repo: APP, check: "tests", purpose: "check", tickets: [] } as const;
    sim.report({ ...suite, ms: 8_000 });
    sim.report({ ...suite, ms: 100, isPart: true });
    expect(sim.state.suites?.check).toEqual({ runs: 2, ms: 8_100 });
    expect(expectedSuiteMs(sim.state, suite)).toBe(8_000);
  });

  test("are counted by purpose, in sums alone", () => {
    const sim = begun();
    const run = (purpose: "check" | "base" | "proof", ms: number) =>
      sim.report({ type: "suite-ran", repo: APP, check: "tests", purpose, ms, tickets: [T1, T2] });
    expect(sim.state.suites).toBeUndefined();
    run("check", 8_000);
    run("check", 9_000);
    run("base", 7_000);
    expect(sim.state.suites).toEqual({
      check: { runs: 2, ms: 17_000 },
      base: { runs: 1, ms: 7_000 },
      proof: { runs: 0, ms: 0 },
      waitingMs: 0,
      last: { "check app tests": 9_000, "base app tests": 7_000 },
    });
  });

  test("take as long as the last one for the same purpose, or else as one for another", () => {
    const sim = begun();
    const run = (purpose: "check" | "base", ms: number) =>
      sim.report({ type: "suite-ran", repo: APP, check: "tests", purpose, ms, tickets: [] });
    const expected = (purpose: "check" | "base" | "proof", check = "tests") =>
      expectedSuiteMs(sim.state, { repo: APP, check, purpose });
    expect(expected("check")).toBeUndefined();
    run("base", 7_000);
    expect([expected("base"), expected("check"), expected("proof")]).toEqual([7_000, 7_000, 7_000]);
    run("check", 9_000);
    expect([expected("base"), expected("check"), expected("proof")]).toEqual([7_000, 9_000, 9_000]);
    expect(expected("check", "lint")).toBeUndefined();
  });
});

test("finished work waits from its agent's end to its first step, between two steps, and before the first command of a check", () => {
  const check = { step: "check", name: "tests", command: ["npm", "test"] } as const;
  const sim = new Simulation(batchOf([ticketOf("T-1", { finish: [{ step: "gates" }, check, { step: "merge" }] })]));
  sim.decide();
  sim.endAgent(T1);
  const ref = sim.of(T1);
  const after = (ms: number, fact: RunFact) => {
    sim.pass(ms - 10);
    sim.report(fact);
  };
  after(10, { type: "change-captured", ...ref, tip: "t", files: 1, additions: 1, deletions: 0 });
  after(1_000, { type: "step-started", ...ref, step: 0, kind: "gates", name: "gates" });
  after(60_000, { type: "step-ended", ...ref, step: 0, ok: true, summary: "" });
  after(2_000, { type: "step-started", ...ref, step: 1, kind: "check", name: "tests" });
  after(4_000, { type: "step-part-started", ...ref, part: "" });
  after(60_000, { type: "step-ended", ...ref, step: 1, ok: true, summary: "" });
  after(8_000, { type: "step-started", ...ref, step: 2, kind: "merge", name: "merge" });
  expect(sim.state.suites?.waitingMs).toBe(15_000);
});
