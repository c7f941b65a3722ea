import { writeFileSync } from "node:fs";
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
    // Of 18: the next one may have started when the third ended.
    expect(stage.tasks.length).toBeLessThanOrEqual(4);
    expect(stage.state.halted).toMatchObject({
      kind: "agent-fault",
      says: expect.stringContaining("failed alike and changed nothing"),
    });
    expect(stage.state.end).toMatchObject({ kind: "not-done", exitCode: 1 });
    expect(stage.state.end?.reason).toMatch(/no agent starts any more \(agent-fault\): 3 agents in a row, of T-\d, T-\d,/);
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
