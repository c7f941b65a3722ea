import type { RemoteCheck } from "../../src/domain/forge/pull-request.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { ticketOf } from "../domain/simulate.ts";
import { FakePullRequests } from "./fake-pull-requests.ts";
import { Stage, type StageOptions } from "./stage.ts";

export const T1 = TicketId.parse("T-1");
const RULES = { base: "main", checks: undefined, approvals: "gate", appearMs: 60_000, stillMs: 600_000 } as const;
export const FAILED: RemoteCheck = { name: "ci", state: "failed", isRequired: true };

/** A run of one ticket whose change lands by a pull request. */
export async function openStage(over: Partial<StageOptions> = {}, rules: object = {}, parts: Partial<LoopContext> = {}) {
  let forge: FakePullRequests | undefined;
  const change = () => {
    if (forge === undefined) throw new Error("no forge yet");
    return { pullRequests: new Map([["app", { pulls: forge.port(), rules: { ...RULES, ...rules }, histories: new Map() }]]) };
  };
  // The stage makes its repository before the engine.
  const stage = await Stage.open({ tickets: [ticketOf(T1)], limits: { attempts: 2 }, ...over }, (ctx) => {
    forge ??= new FakePullRequests(ctx.batch.repos["app"]?.path ?? "");
    return { ...change(), ...parts };
  });
  if (forge === undefined) throw new Error("no forge");
  const reopen = (other: Partial<LoopContext> = {}) => stage.crashAndReopen(() => ({ ...change(), ...other }));
  return { stage, forge: forge as FakePullRequests, reopen };
}
