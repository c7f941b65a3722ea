import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ciResult } from "../../src/domain/ci/ci-result.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { ticketOf } from "../domain/simulate.ts";
import { FakeBranch } from "./fake-branch.ts";
import { Stage, type StageOptions } from "./stage.ts";

/** The ticket of the loop. */
export const CI = TicketId.parse("CI-1");
export const TICKET = ticketOf(CI, { finish: [{ step: "gates" }, { step: "merge" }, { step: "assert" }] });
/** The log of a lost machine. */
export const LOST = "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.\n";

/** Red until answer.txt says 42; each wrong answer fails in its own words. */
export const ANSWER: FakeBranch["checks"] = {
  test: (read) => {
    const said = read("answer.txt")?.trim();
    return said === "42" ? undefined : `src/a.ts(1,1): error TS2322: wrong answer: ${said}\n`;
  },
};

interface Over extends Partial<StageOptions> {
  readonly checks?: FakeBranch["checks"];
  readonly canChange?: boolean;
  readonly appearMs?: number;
  /** Other services, with the ones that the stage has. */
  readonly over?: (ctx: LoopContext) => Partial<LoopContext>;
}

/** One ticket whose change lands on a branch once the branch's checks pass. */
export async function open({ checks = ANSWER, canChange = true, appearMs = 200, over: more = () => ({}), ...over }: Over = {}) {
  let branch: FakeBranch | undefined;
  const change = (mayChange = canChange) => {
    if (branch === undefined) throw new Error("no branch yet");
    return { branchChecks: new Map([["app", { checks: branch.port(), appearMs, canChange: mayChange }]]) };
  };
  const stage = await Stage.open({ tickets: [TICKET], limits: { attempts: 5 }, ...over }, (ctx) => {
    branch ??= new FakeBranch(ctx.batch.repos["app"]?.path ?? "", checks);
    return { ...change(), ...more(ctx) };
  });
  if (branch === undefined) throw new Error("no branch");
  return {
    stage,
    branch: branch as FakeBranch,
    reopen: (mayChange = canChange, other: Partial<LoopContext> = {}) =>
      stage.crashAndReopen(() => ({ ...change(mayChange), ...other })),
  };
}

/** An agent whose attempts write these answers, the last one again and again. */
export const answers = (...said: readonly string[]) => {
  let n = 0;
  return ({ worktree }: AgentTask) => void writeFileSync(join(worktree, "answer.txt"), `${said[n++] ?? said.at(-1)}\n`);
};

/** What `loopdash ci --json` prints. */
export const result = (state: RunState) => ciResult(state, { branch: "main", folder: "/run" });
