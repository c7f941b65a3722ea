import { displayValue } from "@loopdash/values";
import { attemptReserveUsd } from "../schedule/money.ts";
import { checkReferences, type SecretRules } from "./check-secrets.ts";
import { allAccounts, type Party, usesLogin, type VendorAgentSpec, type VendorSpec } from "./party.ts";
import { unfitForPath } from "./plain-words.ts";
import { type PlatformSpec, unfitForPlatform } from "./platform-spec.ts";
import type { NoteProblem, Path } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import { VENDORS } from "./vendors.ts";

/** Reports an agent that could never start, or must not: one dearer than a limit, or a vendor's program without a sandbox. */
export function checkAgent(file: BatchFile, report: NoteProblem): void {
  const { agent, limits } = file;
  if (agent.kind !== "command") checkVendor(file, agent, report);
  const cost = attemptReserveUsd({ agent, limits });
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
function checkVendor(file: BatchFile, agent: VendorAgentSpec, report: NoteProblem): void {
  const { sandbox, limits } = file;
  if (sandbox === "off") report(["sandbox"], `${agent.kind} never runs without a sandbox`, 'use "required"');
  if (limits.usdPerAttempt === 0)
    report(["limits", "usdPerAttempt"], `${agent.kind} cannot work for nothing`, "set a limit above 0");
  checkAccounts({ ...file, who: "agent" }, agent, report);
  const unfit = agent.program === undefined ? undefined : unfitForPath(agent.program);
  if (unfit !== undefined) report(["agent", "program"], unfit);
}

/** The part of a batch that names accounts, and what the rules on them look at. */
interface AccountRules extends SecretRules {
  readonly who: Party;
}

/** Reports accounts that the program cannot use, and those that are the same as one before them. */
export function checkAccounts(rules: AccountRules, spec: VendorSpec, report: NoteProblem): void {
  const { who } = rules;
  const seen = new Set<string>();
  for (const [i, account] of allAccounts(spec).entries()) {
    const at = i === 0 ? [who] : [who, "fallback", i - 1];
    const { model, apiKeyEnv, apiKeySecret, billing, baseUrl, platform, loginUrl } = account;
    checkKey(account, at, rules, report);
    checkPlatform(account, at, report);
    if (loginUrl !== undefined && !allAccounts(spec).some(usesLogin))
      report([...at, "loginUrl"], "is for the login of a subscription, and no account here uses one", "leave it out");
    const identity = JSON.stringify([model, apiKeyEnv, apiKeySecret, billing, baseUrl, platform]);
    if (seen.has(identity)) report(at, "is the same account and model as one before it", "name another key, model or baseUrl");
    seen.add(identity);
  }
  checkModel(who, spec, report);
}

/** A key comes from one place: a variable, a secret, or the program's own login. */
function checkKey(account: VendorSpec, path: Path, rules: AccountRules, report: NoteProblem): void {
  const { kind, billing, apiKeyEnv, apiKeySecret } = account;
  const { takesSubscription, takesToken } = VENDORS[kind];
  if (billing === "subscription") {
    if (takesSubscription !== true) report([...path, "billing"], `${kind} can only be billed to an API key here`, 'use "api"');
    else if (takesToken !== true && !usesLogin(account)) {
      const key = apiKeyEnv === undefined ? "apiKeySecret" : "apiKeyEnv";
      report([...path, key], `is not for ${kind}'s subscription, which is used by the program's own login`, "leave it out");
    }
  } else if (apiKeyEnv === undefined && apiKeySecret === undefined) {
    const places = 'name the variable that holds it under "apiKeyEnv", or a secret of the batch under "apiKeySecret"';
    report(path, "has no key", takesSubscription === true ? `${places}, or use "billing": "subscription"` : places);
  }
  if (apiKeySecret === undefined) return;
  const at = [...path, "apiKeySecret"];
  if (apiKeyEnv !== undefined) report(at, "is a second key, beside apiKeyEnv", "leave one of them out");
  checkReferences(`{secret:${apiKeySecret}}`, at, rules, report);
}

/** Reports a platform that the program does not support, and a model that the platform cannot have. */
function checkPlatform({ kind, platform, model, billing }: VendorSpec, path: Path, report: NoteProblem): void {
  if (platform === undefined) return;
  const at = [...path, "platform"];
  if (VENDORS[kind].platforms?.includes(platform.kind) !== true) {
    const hint = 'leave it out, or set "baseUrl" to an address with the API of its vendor (docs/use/models.md)';
    return report(at, `${kind} does not support ${platform.kind}`, hint);
  }
  if (billing === "subscription") report(at, "is billed to its own account, never to a subscription", 'set "billing": "api"');
  if (model === undefined) return report(at, "needs a model", 'name the id that the platform has for it under "model"');
  const unfit = unfitForPlatform(platform, model);
  if (unfit !== undefined) report([...path, "model"], `${displayValue(model)} ${unfit}`, PLATFORM_MODELS[platform.kind]);
}

const PLATFORM_MODELS: Readonly<Record<PlatformSpec["kind"], string>> = {
  bedrock: 'use the id of a model or inference profile of that region, such as "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"',
  vertex: 'use the id of a model, such as "claude-sonnet-4-5@20250929" or "gemini-2.5-pro"',
};

/** opencode works with models of many vendors, and has none of its own. */
function checkModel(who: Party, { kind, model }: Pick<VendorAgentSpec, "kind" | "model">, report: NoteProblem): void {
  if (VENDORS[kind].needsModel && model === undefined) report([who], `${kind} needs a model`, 'name it under "model"');
}
