import { readFileSync } from "node:fs";
import type { AgentStop } from "../../src/domain/run/agent-event.ts";
import type { AgentStopKind } from "../../src/domain/run/attempt-fact.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { EngineClock } from "../../src/ports/clock.ts";
import type { Reviewer, ReviewerAnswer, ReviewerTask } from "../../src/ports/reviewer.ts";

/** A vendor's reviewer with these answers, the last for all that follow; it passes where none is given. */
export function scripted(answers: readonly Partial<ReviewerAnswer>[], reserveUsd = 0) {
  const tasks: ReviewerTask[] = [];
  const model: Reviewer = {
    name: "scripted",
    reserveUsd,
    ask(task) {
      tasks.push(task);
      const answer = answers[tasks.length - 1] ?? answers.at(-1) ?? {};
      return Promise.resolve({ ending: "exited", exitCode: 0, costUsd: 0, text: passes(task), ...answer });
    },
  };
  return { model, tasks };
}

function passes({ promptFile }: ReviewerTask): string {
  const prompt = readFileSync(promptFile, "utf8");
  const nonce = /^LOOPDASH ANSWER BEGIN (\w+)$/m.exec(prompt)?.[1];
  const tree = /It is commit (\w+)/.exec(prompt)?.[1];
  const json = JSON.stringify({ nonce, tree, findings: [], verdict: "pass" });
  return `LOOPDASH ANSWER BEGIN ${nonce}\n${json}\nLOOPDASH ANSWER END ${nonce}\n`;
}

/** A clock whose waits are over at once, and what was waited for. */
export const impatient = (waits: number[]) => (ctx: LoopContext) => {
  const clock: EngineClock = {
    ...ctx.clock,
    after: (ms, then) => {
      // Anything but the wait for the API goes its usual way.
      if (ms < 5_000 || ms > 60_000) return ctx.clock.after(ms, then);
      waits.push(ms);
      return ctx.clock.after(0, then);
    },
  };
  return { clock };
};

/** An answer of one that was stopped early. */
export const stopOf = (kind: AgentStopKind, over: Partial<AgentStop> = {}): Partial<ReviewerAnswer> => ({
  exitCode: 1,
  stop: { kind, says: "come\nback", ...over },
});
