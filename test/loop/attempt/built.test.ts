import { describe, expect, test } from "vitest";
import { builtText } from "../../../src/domain/results/built.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { Adjudicator, claim, leave, withTemplate } from "../blocker-stage.ts";
import { oneFile, Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const ticket = ticketOf("T-1", { finish: [{ step: "gates" }, { step: "merge" }, { step: "assert" }] });
const claims = (task: Parameters<NonNullable<StageOptions["work"]>>[0]) => leave(task, "blocker.json", claim());

describe("a blocker in a batch that leaves only built tickets to a person", () => {
  test.each<[string, NonNullable<StageOptions["work"]>, number]>([
    ["no change", (task) => void claims(task), 0],
    ["a file beside the worktree", (task) => (claims(task), void leave(task, "notes.txt", { built: true })), 0],
    ["a change", (task) => (claims(task), oneFile(task)), 1],
  ])("counts only with a change: %s", async (_, work, gates) => {
    const judge = new Adjudicator();
    const stage = await Stage.open({ tickets: [ticket], limits: { attempts: 1 }, work }, (ctx) => ({
      ...withTemplate(ctx),
      ...judge.context,
      batch: { ...ctx.batch, gated: "built" },
    }));
    using _stage = stage;
    stage.start();
    await stage.ended();
    expect([stage.of("ticket-gated").length, judge.asked.length]).toEqual([gates, gates]);
    if (gates === 1) expect(builtText(stage.ticket(T1), ticket)).toMatch(/^built: [0-9a-f]{7}, landed$/);
    else
      expect(stage.ticket(T1)).toMatchObject({
        phase: "stalled",
        evidence: [{ detail: expect.stringContaining("nothing is built") }],
      });
  });
});

describe("what is built of a ticket that is left to a person", () => {
  const checked = ticketOf("T-1", { finish: [{ step: "check", name: "tests", command: ["true"] }, { step: "merge" }] });
  const gated = { id: T1, phase: "human-gated", history: [] } as unknown as TicketState;
  const kept = { branch: "loopdash/r/T-1-2", sha: "b".repeat(40), files: 1 };
  const withKept = (work: object) => ({ ...gated, history: [{ n: 2, kept: { ...kept, ...work } }] }) as unknown as TicketState;
  test.each<[string, TicketState]>([
    ["nothing built", gated],
    ["nothing built", { ...gated, history: [{ n: 1, outcome: "failed", claimed: true }] } as unknown as TicketState],
    ["built: aaaaaaa, landed, its checks passed", { ...gated, mergedSha: "a".repeat(40) }],
    [
      "built: ccccccc, in pull request #7, its checks passed",
      { ...gated, pullRequest: { branch: "b", head: "c".repeat(40), pushedAt: 0, number: 7 } } as unknown as TicketState,
    ],
    [
      "built: eeeeeee, waits for an approval, its checks passed",
      { ...gated, approval: { commit: "e".repeat(40) }, pendingWork: { tip: "e" } } as unknown as TicketState,
    ],
    ["built: bbbbbbb, not landed, on loopdash/r/T-1-2, its checks have not passed", withKept({})],
    ["built: bbbbbbb, not landed, on loopdash/r/T-1-2, its checks passed", withKept({ checkedFrom: "d".repeat(40) })],
  ])("%s", (text, state) => {
    expect(builtText(state, checked)).toBe(text);
  });
});
