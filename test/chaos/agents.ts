import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { pause } from "../../src/loop/concurrency/wait.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { RunPlan } from "./plan.ts";

/** How long an agent works on a ticket that is not in the plan. Milliseconds. */
const DISCOVERED_MS = 10_000;

/** The agents of a run, and what they leave in their outboxes. */
export function agentsOf(plan: RunPlan, clock: Clock): Pick<LoopContext, "agent" | "outbox"> {
  return {
    agent: {
      reserveUsd: 0,
      run: async ({ ticket, attempt, signal }) => {
        const work = plan.work[numberOf(ticket) - 1];
        await pause(clock, work?.ms ?? DISCOVERED_MS, signal);
        if (signal.aborted) return { ending: "aborted", exitCode: null, signal: "SIGKILL", costUsd: 0, tail: "" };
        return { ending: "exited", exitCode: isToFail(plan, { ticket, attempt }) ? 1 : 0, signal: null, costUsd: 0, tail: "" };
      },
      heal: () => Promise.reject(new Error("nothing is healed here")),
    },
    outbox: {
      read: (folder) => {
        const ticket = TicketId.parse(/([^/]+)\/\d+\/o$/.exec(folder)?.[1]);
        const found = plan.discoveries.get(numberOf(ticket));
        const discoveries =
          found === undefined ? [] : [{ ...found, body: `What "${found.title}" wants.`, reason: "it is needed" }];
        return Promise.resolve({ discoveries, refused: [] });
      },
      readRun: () => Promise.resolve({ refused: [] }),
    },
  };
}

/** True if the plan lets this attempt fail. */
export function isToFail(plan: RunPlan, { ticket, attempt }: Pick<AgentTask, "ticket" | "attempt">): boolean {
  return attempt === 1 && plan.work[numberOf(ticket) - 1]?.fails === true;
}

/** The number of the issue of a ticket of the batch; 0 if it was discovered. */
export function numberOf(ticket: TicketId): number {
  return Number(/^[A-Za-z]+-(\d+)$/.exec(ticket)?.[1] ?? 0);
}
