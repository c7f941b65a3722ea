import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { AgentResult } from "../../src/ports/agent.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const IDS = ["T-1", "T-2", "T-3", "T-4", "T-5", "T-6"].map((id) => TicketId.parse(id));
const failed = (tail: string, exitCode = 1): Partial<AgentResult> => ({ exitCode, tail });

const run = async (work: NonNullable<StageOptions["work"]>) => {
  const stage = await Stage.open({ tickets: IDS.map((id) => ticketOf(id)), limits: { workers: 1, attempts: 3 }, work });
  stage.start();
  await stage.ended();
  return stage;
};

describe("agents of several tickets that fail alike and change nothing", () => {
  test.each<[string, NonNullable<StageOptions["work"]>]>([
    ["a program that is not there", () => failed("sh: 1: agnet: not found", 127)],
    ["a program that says nothing", () => failed("")],
    ["words that differ in the ticket's number alone", ({ ticket }) => failed(`cannot open prompt of ${ticket}`)],
  ])("end the starts, and the reason is told: %s", async (_, work) => {
    using stage = await run(work);
    // Of 18: the next one may have started when the third ended, and one tries again.
    expect(stage.tasks.length).toBeLessThanOrEqual(5);
    expect(stage.state.halted).toMatchObject({
      kind: "shared-fault",
      says: expect.stringContaining("failed alike and changed nothing"),
    });
    expect(stage.state.end).toMatchObject({ kind: "not-done", exitCode: 1 });
    expect(stage.state.end?.reason).toMatch(/no agent starts any more \(shared-fault\): 3 attempts, of T-\d, T-\d,/);
    expect(stage.state.halted?.says.includes('it printed last: "sh: 1: agnet: not found"')).toBe(_.endsWith("is not there"));
  });

  test.each<[string, NonNullable<StageOptions["work"]>]>([
    [
      "each fails in its own way",
      ({ ticket }) => failed(["alpha", "bravo", "charlie", "delta", "echo", "golf"][IDS.indexOf(ticket)] ?? ""),
    ],
    ["they leave work", (task) => (writeFileSync(join(task.worktree, `${task.ticket}.txt`), "half\n"), failed("no more"))],
    ["one in between succeeds", (task) => (task.attempt === 2 ? oneFile(task) : failed("no more"))],
  ])("do not if %s", async (_, work) => {
    using stage = await run(work);
    expect(stage.state.halted).toBeUndefined();
    expect(stage.tasks.length).toBeGreaterThan(6);
  });
});

const CHECKED = [{ step: "check", name: "unit", command: ["node", "check.mjs"] }, { step: "merge" }, { step: "assert" }] as const;

/** Six tickets whose check fails as long as a file outside the repository says so. */
const withCheck = async (limits: NonNullable<StageOptions["limits"]>, mended: (stage: Stage) => void) => {
  const tickets = IDS.map((id) => ticketOf(id, { finish: CHECKED }));
  const stage = await Stage.open({ tickets, limits: { workers: 1, attempts: 3, ...limits }, work: oneFile });
  const broken = join(stage.root, "broken");
  writeFileSync(broken, "");
  const program = `import fs from "node:fs";\nif (fs.existsSync(${JSON.stringify(broken)})) throw new Error("no database");\n`;
  writeFileSync(join(stage.user, "check.mjs"), program);
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "check");
  stage.start();
  void stage.until("backoff-started").then(() => mended(stage));
  await stage.ended();
  return { stage, broken };
};

describe("attempts of several tickets whose check fails alike", () => {
  test("pause the starts after five; once one passes, the others start, and no ticket has lost an attempt", async () => {
    const { stage, broken } = await withCheck({ outageMinutes: 0.05 }, ({ root }) =>
      rmSync(join(root, "broken"), { force: true }),
    );
    using _ = stage;
    expect(existsSync(broken)).toBe(false);
    const ends = stage.of("attempt-ended");
    expect(ends.slice(0, 5).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => "failed"));
    const pauses = stage.of("backoff-started").map(({ reason }) => reason);
    expect(pauses).toEqual([
      expect.stringMatching(/^5 attempts, of T-\d, .* failed alike: node check.mjs exited with code 1.*one attempt tries again/),
    ]);
    const [paused] = stage.of("backoff-started");
    const after = stage.events.filter(({ seq }) => seq > (paused?.seq ?? 0));
    const claims = after.filter(({ type }) => type === "attempt-claimed");
    const firstEnd = after.find(({ type }) => type === "attempt-ended");
    expect(claims.filter(({ seq }) => seq < (firstEnd?.seq ?? 0)).length).toBeLessThanOrEqual(1);
    expect(stage.state.counts.done).toBe(6);
    expect([...Array(6).keys()].map((at) => stage.ticket(IDS[at] as TicketId).failures)).toEqual(
      Array.from({ length: 6 }, () => 0),
    );
  });

  test("end the starts if the one that tries again fails alike, and what is left stays unspent", async () => {
    const { stage } = await withCheck({ outageMinutes: 0.01 }, () => undefined);
    using _ = stage;
    expect(stage.state.halted).toMatchObject({ kind: "shared-fault", says: expect.stringContaining("more attempt") });
    expect(stage.tasks.length).toBeLessThanOrEqual(7);
    expect(stage.state.end?.reason).toContain(
      "see whether what the check needs is there, or whether the base is at fault, then run the same command again",
    );
  });

  test("are tried again by another ticket first: two whose work alone is at fault stop no run", async () => {
    const broken = new Set(IDS.slice(0, 2));
    const tickets = IDS.map((id) => ticketOf(id, { finish: CHECKED }));
    const work: NonNullable<StageOptions["work"]> = (task) => {
      if (broken.has(task.ticket)) writeFileSync(join(task.worktree, "broken"), `${task.attempt}\n`);
      return oneFile(task);
    };
    using stage = await Stage.open({ tickets, limits: { workers: 1, attempts: 3, outageMinutes: 0.01, sharedFaults: 1 }, work });
    const program = 'import fs from "node:fs";\nif (fs.existsSync("broken")) throw new Error("no database");\n';
    writeFileSync(join(stage.user, "check.mjs"), program);
    stage.git("add", "-A");
    stage.git("commit", "-q", "-m", "check");
    stage.start();
    await stage.ended();
    expect(stage.of("backoff-started")).not.toEqual([]);
    expect(stage.state.halted).toBeUndefined();
    expect(stage.state.counts.done).toBe(4);
  });

  test("are each their own ticket's where the batch says that no fault is shared", async () => {
    const limits = { workers: 1, attempts: 1, sharedFaults: 0 };
    using stage = await Stage.open({ tickets: IDS.map((id) => ticketOf(id)), limits, work: () => failed("no") });
    stage.start();
    await stage.ended();
    expect([stage.tasks.length, stage.of("backoff-started").length]).toEqual([IDS.length, 0]);
    expect(stage.state.halted).toBeUndefined();
  });
});
