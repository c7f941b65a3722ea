import { readFileSync } from "node:fs";
import { BehaviourSpec } from "../../src/domain/batch/behaviour-spec.ts";
import { ReviewerSpec } from "../../src/domain/batch/party.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { AgentEvent } from "../../src/domain/run/agent-event.ts";
import { describeRemedy } from "../../src/domain/run/remedy-fact.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { write } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { put } from "./evidence-stage.ts";
import { finding, opened, REVIEW, REVIEWER_PROMPT, says } from "./review-stage.ts";
import { scripted } from "./scripted-model.ts";
import { endless, type Stage, type StageOptions } from "./stage.ts";

export const T1 = TicketId.parse("T-1");

/** An action whose result is the same each time. */
const again: readonly AgentEvent[] = [
  { what: "tool", text: "npm test", action: { does: "run", command: "npm test" }, call: "1" },
  { what: "result", text: "1 failed", failed: true, call: "1" },
];
export const repeat = ({ onEvent }: AgentTask) => {
  for (let i = 0; i < 7; i++) for (const event of again) onEvent?.(event);
};

/** An agent that repeats an action until MOMENTUM has failed, and goes on until it is ended. */
export const loops = (task: AgentTask) => {
  write(task.worktree, "lost.txt", "half\n");
  const ended = endless(task);
  repeat(task);
  return ended;
};

/** The check wants "good" in work.txt; the reviewer refuses a change without more.txt. */
export const finish: readonly StepSpec[] = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["grep", "-q", "good", "work.txt"] },
  REVIEW,
  { step: "merge" },
  { step: "assert" },
];
const reviewer = `fs.existsSync(checkout + "/more.txt") ? ${says({ findings: [], verdict: "pass" })} : ${says({ findings: [finding({ file: "work.txt", line: 1 })], verdict: "fail" })}`;
export const leaves =
  (path: string, text: string) =>
  ({ worktree }: AgentTask): undefined => {
    put(worktree, {
      [path]: `${text}
`,
    });
  };
export const good = leaves("work.txt", "good");
export const bad = leaves("work.txt", "bad");
export const second = leaves("more.txt", "more");
export const both = (task: AgentTask): undefined => {
  good(task);
  second(task);
};

/** A stage of one ticket whose attempts do this in turn. */
export function acting(
  works: readonly NonNullable<StageOptions["work"]>[],
  { onFail = "step-back", ...stage }: Partial<StageOptions> & { readonly onFail?: unknown } = {},
): Promise<Stage> {
  const behaviour = BehaviourSpec.parse({ onFail });
  const work: StageOptions["work"] = (task) => (works[task.attempt - 1] ?? bad)(task);
  const tickets = [ticketOf("T-1", { finish })];
  return opened({ reviewer, base: { "base.txt": "" }, stage: { tickets, limits: { attempts: 4 }, behaviour, work, ...stage } });
}

/** The context of a later engine, whose reviewer passes everything. */
export const withReviewer = ({ batch, templates }: LoopContext): Partial<LoopContext> => ({
  batch: { ...batch, reviewer: ReviewerSpec.parse({ kind: "command", command: ["reviewer"] }) },
  templates: { ...templates, reviewer: REVIEWER_PROMPT },
  reviewer: scripted([]).model,
});

export async function ended(stage: Stage, begin: "start" | "resume" = "start") {
  await stage[begin]();
  return (await stage.ended()).end?.exitCode;
}

export const promptOf = (stage: Stage, n: number) => readFileSync(stage.tasks[n - 1]?.promptFile ?? "", "utf8");
export const outcomes = (stage: Stage) => stage.ticket(T1).history.map(({ outcome }) => outcome);
export const lines = (stage: Stage) => stage.of("remediated").map(describeRemedy);
