import { reserveOf } from "../schedule/money.ts";
import { accountsOf, usesLogin, type VendorSpec } from "./account.ts";
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
  checkAccounts("agent", agent, report);
  checkModel("agent", agent, report);
  const unfit = agent.program === undefined ? undefined : unfitForPath(agent.program);
  if (unfit !== undefined) report(["agent", "program"], unfit);
}

/** Reports accounts that the program cannot use, and those that are the same as one before them. */
export function checkAccounts(who: "agent" | "reviewer", spec: VendorSpec, report: NoteProblem): void {
  const seen = new Set<string>();
  for (const [i, account] of accountsOf(spec).entries()) {
    const { model, apiKeyEnv, baseUrl, loginUrl, billing } = account;
    const at = i === 0 ? [who] : [who, "fallback", i - 1];
    checkBilling(account, (key, message, hint) => report([...at, key], message, hint));
    if (loginUrl !== undefined && !accountsOf(spec).some(usesLogin))
      report([...at, "loginUrl"], "is for the login of a subscription, and no account here uses one", "leave it out");
    const identity = JSON.stringify([model, apiKeyEnv ?? { billing }, baseUrl]);
    if (seen.has(identity)) report(at, "is the same account and model as one before it", "name another key, model or baseUrl");
    seen.add(identity);
  }
}

function checkBilling(account: VendorSpec, report: (key: string, message: string, hint: string) => void): void {
  const { kind, billing, apiKeyEnv } = account;
  const { takesSubscription, takesToken } = VENDORS[kind];
  if (billing === "subscription" && takesSubscription !== true)
    report("billing", `${kind} can only be billed to an API key here`, 'use "api"');
  else if (billing === "api" && apiKeyEnv === undefined)
    report("apiKeyEnv", "is missing: billed is an API key", 'name the variable that holds it, or use "billing": "subscription"');
  else if (billing === "subscription" && apiKeyEnv !== undefined && takesToken !== true)
    report("apiKeyEnv", `is not for ${kind}'s subscription, which is used by the program's own login`, "leave it out");
}

/** opencode works with models of many vendors, and has none of its own. */
export function checkModel(
  who: "agent" | "reviewer",
  { kind, model }: Pick<VendorAgentSpec, "kind" | "model">,
  report: NoteProblem,
): void {
  if (VENDORS[kind].needsModel && model === undefined) report([who], `${kind} needs a model`, 'name it under "model"');
}
