import { reserveOf } from "../schedule/money.ts";
import type { VendorAgentSpec } from "./agent-spec.ts";
import { unfitForPath } from "./plain-words.ts";
import type { NoteProblem } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import { VENDORS } from "./vendors.ts";

/** Reports an agent that could never start, or must not: one dearer than a limit, or a vendor's program without a sandbox. */
export function checkAgent(file: BatchFile, report: NoteProblem): void {
  const { agent, limits } = file;
  if (agent.kind !== "command") checkVendor(file, agent, report);
  const cost = reserveOf({ agent, limits });
  const caps = (["usdPerAttempt", "usdPerTicket", "usdPerRun", "usdPerDay"] as const).filter((cap) => limits[cap] < cost);
  if (caps.length === 0) return;
  const allowed = caps.map((cap) => `limits.${cap} of ${limits[cap]}`).join(", ");
  report(
    agent.kind === "command" ? ["agent", "usdPerAttempt"] : ["limits", "usdPerAttempt"],
    `one attempt costs ${cost} dollars, more than ${allowed}: none could ever start`,
    "raise the limit",
  );
}

/** These programs may do anything inside a sandbox, so they never run outside one. */
function checkVendor({ sandbox, limits }: BatchFile, agent: VendorAgentSpec, report: NoteProblem): void {
  if (sandbox === "off") report(["sandbox"], `${agent.kind} never runs without a sandbox`, 'use "required"');
  if (limits.usdPerAttempt === 0)
    report(["limits", "usdPerAttempt"], `${agent.kind} cannot work for nothing`, "set a limit above 0");
  if (agent.billing === "subscription" && !VENDORS[agent.kind].takesSubscription)
    report(["agent", "billing"], `${agent.kind} can only be billed to an API key here`, 'use "api"');
  checkModel("agent", agent, report);
  const unfit = agent.program === undefined ? undefined : unfitForPath(agent.program);
  if (unfit !== undefined) report(["agent", "program"], unfit);
}

/** opencode works with models of many vendors, and has none of its own. */
export function checkModel(
  who: "agent" | "reviewer",
  { kind, model }: Pick<VendorAgentSpec, "kind" | "model">,
  report: NoteProblem,
): void {
  if (VENDORS[kind].needsModel && model === undefined) report([who], `${kind} needs a model`, 'name it under "model"');
}
