import { expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { opened, T1 } from "./review-stage.ts";
import { scripted } from "./scripted-model.ts";
import { Stage } from "./stage.ts";

cleanUp();

const WHY = "/home/me/one.jsonl: line 1 is not JSON";
const HALTED =
  `no agent starts any more (spend-unknown): what other sessions have cost today is not known: ${WHY}; ` +
  "fix it, or set limits.countOtherSessions to false, then run the same command again";

/** What other sessions cost is known so many times, and then it is not. */
function knownFor(times: number): Pick<LoopContext, "dayBudget"> {
  let looks = 0;
  return {
    dayBudget: {
      look: () => Promise.resolve(++looks > times ? WHY : undefined),
      take: () => ({ ok: true }),
      settle: () => undefined,
    },
  };
}

test("an agent does not start, and none after it: the run ends and says why; what was under way counts", async () => {
  const tickets = ["T-1", "T-2", "T-3"].map((id) => ticketOf(id));
  using stage = await Stage.open({ tickets, limits: { workers: 1 } }, () => knownFor(1));
  stage.start();
  const { end } = await stage.ended();
  expect(stage.tasks.map(({ ticket }) => ticket)).toEqual(["T-1"]);
  expect(end).toMatchObject({ kind: "not-done", exitCode: 1 });
  expect(end?.reason).toContain(HALTED);
  expect(stage.ticket(T1).phase).toBe("done");
  expect(stage.ticket(TicketId.parse("T-2"))).toMatchObject({ phase: "waiting", failures: 0, history: [{ outcome: "stopped" }] });
});

test("a question is not put either, and what was built is kept", async () => {
  const { model, tasks } = scripted([]);
  using stage = await opened({ model, ctx: () => knownFor(1) });
  stage.start();
  const { end } = await stage.ended();
  expect([stage.tasks.length, tasks.length]).toEqual([1, 0]);
  expect(end?.reason).toContain(HALTED);
  expect(stage.of("reviewer-asked")).toEqual([]);
  expect(stage.of("attempt-ended")).toMatchObject([{ outcome: "stopped", evidence: { step: "review" } }]);
  expect(stage.ticket(T1)).toMatchObject({ failures: 0, evidence: [], pendingWork: { claimed: true } });
});
