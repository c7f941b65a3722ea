import { describe, expect, test } from "vitest";
import { asJson, asLines } from "../../../src/cli/verbs/status.ts";
import { heldByJournal } from "../../../src/domain/run/reduce-outage.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import type { RunBuilder } from "../../store/run-builder.ts";
import { awaitsApproval, finishLine, plumbing, plumbingEnded } from "../../store/scenes.ts";

const found = (runBuilder: RunBuilder, live = true) => {
  const { state } = runBuilder;
  return { row: { run: state.run, name: "plumbing", batchPath: state.batchPath, batchFileSha: "", startedAt: 0 }, state, live };
};

/** The lines that `status` prints of tickets under way, whose signs are these. */
const underWay = (runBuilder: RunBuilder, live = true) =>
  asLines(found(runBuilder, live), runBuilder.now).filter((line) => /^ {2}[▶»‖■]/.test(line));

describe("status", () => {
  test("says of each ticket under way what it is at: its agent, a step, its turn at one, a merge that cannot land", () => {
    expect(underWay(finishLine())).toEqual([
      "  ▶ T-7  attempt 1, agent",
      "  ▶ T-8  attempt 1, agent",
      "  ▶ T-10  attempt 1, agent",
      expect.stringMatching(/^ {2}‖ T-3 {2}attempt 1, merge waits: the checkout of app has uncommitted changes \(\d\d:\d\d\)$/),
      "  » T-2  attempt 2, check tests",
      "  » T-4  attempt 1, queued: check tests",
      "  » T-6  attempt 1, queued: check tests",
      "  » T-9  attempt 1, check tests",
    ]);
  });

  test("says how long a check and a proof have run, of about how long, in which train and before how many", () => {
    const run = finishLine();
    const [train, behind] = [[TicketId.parse("T-2"), TicketId.parse("T-9")], 2];
    run.of("T-2", { type: "step-part-started", part: "", expectedMs: 42_000, train, behind });
    run.play({ type: "proof-started", repo: RepoId.parse("app"), sha: "aa", tickets: train });
    const { state, now } = run;
    const lines = asLines(found(run), now + 31_000);
    expect(lines).toContain("  » T-2  attempt 2, check tests 0:31 of about 0:42 · train T-2 T-9 · 2 behind");
    expect(lines).toContain("  » proving app 0:31: T-2 T-9");
    const { proofs, working } = asJson(found(run));
    const since = new Date(state.lastEventAt).toISOString();
    expect(working.find(({ id }) => id === "T-2")?.part).toEqual({ text: "", since, expectedMs: 42_000, train, behind });
    expect(working.find(({ id }) => id === "T-9")?.part).toBeNull();
    expect(proofs).toEqual([{ repo: "app", proven: null, running: { since, sha: "aa", tickets: train }, failed: null }]);
    expect(asLines(found(run, false), now).join("\n")).not.toMatch(/proving|0:31/);
  });

  test("counts what an agent at work has spent so far, and what is held for the rest", () => {
    const run = plumbing();
    const { spentUsd, reservedUsd } = run.state;
    run.of("T-7", { type: "agent-spent", usd: 0.31 });
    const [spent, held] = [spentUsd + 0.31, reservedUsd - 0.31];
    const lines = asLines(found(run), run.now);
    expect(lines.find((line) => line.startsWith("tickets"))).toContain(`$ ${spent.toFixed(2)} +${held.toFixed(2)} held ·`);
    expect(lines).toContain("  ▶ T-7  attempt 1, agent $0.31");
    expect(asJson(found(run)).money).toEqual({ spentUsd: spent, heldUsd: held, capUsd: 50 });
    run.of("T-7", { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0.4 });
    expect(asJson(found(run)).money.spentUsd).toBeCloseTo(spentUsd + 0.4);
  });

  test("names what is left to a person, with the step", () => {
    const run = plumbing();
    const step = "approve the DNS change at the registrar: zone example.org, ticket 4711";
    expect(asLines(found(run), run.now)).toContain(`  ! T-5  ${step}`);
    expect(asJson(found(run)).gated).toEqual([{ id: "T-5", step }]);
  });

  test("of a run in which only an approval is missing, it says that the run waits for a person", () => {
    const run = awaitsApproval();
    const [head, ...lines] = asLines({ ...found(run), pid: 7 }, run.now);
    expect(lines.filter((line) => / A {2}/.test(line))).toEqual(["  ! A  approve the change of pay/ (1 file) · C waits for it"]);
    expect(asJson(found(run)).needs).toEqual([
      {
        ...{ kind: "approval", ticket: "A", says: "approve the change of pay/ (1 file)", blocks: ["C"] },
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    expect(head).toMatch(/^! NEEDS YOU {2}\S+ {2}its engine waits for you \(pid 7\)$/);
    expect(asLines(found(run, false), run.now)[0]).toMatch(/^‖ UNFINISHED {2}/);
    expect(asLines({ ...found(plumbing()), pid: 7 }, run.now)[0]).toMatch(/^! NEEDS YOU {2}\S+ {2}at work \(pid 7\)$/);
    const halted = { ...run.state, halted: { kind: "authentication", says: "401" } as const };
    expect(asLines({ ...found(run), state: halted, pid: 7 }, run.now)[0]).toMatch(/^! NEEDS YOU {2}\S+ {2}at work \(pid 7\)$/);
    run.working("A");
    expect(asLines({ ...found(run), pid: 7 }, run.now)[0]).toMatch(/^● RUNNING {2}\S+ {2}at work \(pid 7\)$/);
  });

  test("never says that an agent is at work which has ended", () => {
    const run = finishLine().of("T-7", { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0 });
    expect(underWay(run)).toContain("  » T-7  attempt 1, collecting");
    expect(underWay(run).filter((line) => line.includes("agent"))).toHaveLength(2);
  });

  test("of a run that no engine works on, it says where attempts were cut off", () => {
    expect(underWay(finishLine(), false)).toContain("  » T-2  attempt 2, cut off at check tests");
  });

  test("of a run that its journal holds, it says so and why, and that no agent is at work", () => {
    const run = finishLine();
    const journal = { since: run.now, why: "the disk is full", nextAt: run.now + 4_000, until: run.now + 60_000 };
    const of = { ...found(run), state: heldByJournal(run.state, journal), pid: 7 };
    const lines = asLines(of, run.now);
    expect(lines[0]).toMatch(/^‖ HELD {2}\S+ {2}its engine waits \(pid 7\)$/);
    expect(lines).toContainEqual(
      expect.stringMatching(/the journal cannot be written, so nothing runs: the disk is full; .* in 4s/),
    );
    expect(lines.filter((line) => line.includes("attempt"))).toHaveLength(9);
    expect(lines.filter((line) => /agent$|check tests/.test(line))).toEqual([]);
    expect(asJson(of).held).toMatchObject([{ what: "journal", why: "the disk is full" }]);
  });

  test("of a run whose engine does not answer, it says that the journal alone is read", () => {
    const run = plumbing();
    expect(asLines({ ...found(run), isSilent: true }, run.now)[1]).toMatch(/its engine does not answer/);
    expect(asLines(found(run), run.now).join("\n")).not.toContain("does not answer");
  });

  test("of such a run, it gives the command that continues it, and no ticket waits for a slot", () => {
    const run = plumbing();
    const state = { ...run.state, workers: 2 };
    const [live, gone] = [true, false].map((isLive) => asLines({ ...found(run, isLive), state }, run.now).join("\n"));
    expect(live).toMatch(/T-8 {2}ready; all 2 slots are busy/);
    expect(live).not.toContain("to continue it");
    expect(gone).toMatch(/T-8 {2}ready$/m);
    expect(gone).toMatch(/\nto continue it: loopdash \/\S+$/);
  });

  test("of a run that has ended, it gives no such command", () => {
    const run = plumbingEnded("not-done");
    expect(asLines(found(run, false), run.now).join("\n")).not.toContain("to continue it");
  });

  test("tells programs the same", () => {
    const { working } = asJson(found(finishLine()));
    const of = (id: string) => working.find((ticket) => ticket.id === id);
    expect(of("T-7")).toEqual({ id: "T-7", attempt: 1, phase: "working", doing: "agent", step: null, part: null });
    expect(of("T-4")).toEqual({ id: "T-4", attempt: 1, phase: "finishing", doing: "queued", step: null, part: null });
    expect(of("T-2")).toEqual({ id: "T-2", attempt: 2, phase: "finishing", doing: "check tests", step: "tests", part: null });
  });
});
