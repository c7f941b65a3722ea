import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import { allAccounts, listPrograms, type Parties, usesLogin, type VendorSpec } from "../../domain/batch/party.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { type AgentSurroundings, loginOf } from "./agent-of.ts";

/** The accounts of a batch that are used by the login of their program. */
export function loginAccounts(batch: Parties): readonly VendorSpec[] {
  const specs = listPrograms(batch).flatMap(({ spec }) => (spec.kind === "command" ? [] : [spec]));
  return specs.flatMap((spec) => allAccounts<VendorSpec>(spec).filter(usesLogin));
}

/** The files in which programs keep their logins, for a batch that uses one: no sandbox shows them. */
export async function filesOfLogins(batch: Parties, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  if (loginAccounts(batch).length === 0) return [];
  const { loginFiles } = await import("../../adapters/agent/logins/open-login.ts");
  return loginFiles(env);
}

/**
 * Checks the login of an account, and refreshes it if it has expired. Throws a UserError (exit 4) if it cannot be used, or if
 * agents could read it: a refresh replaces the file, and the new one would not be hidden in sandboxes at work.
 */
export async function checkLogin(
  account: VendorSpec,
  surroundings: Pick<AgentSurroundings, "keys" | "program">,
  { sandboxPolicy, repos }: Pick<Batch, "sandboxPolicy" | "repos">,
): Promise<void> {
  const login = await loginOf(account, surroundings);
  if (login === undefined) return;
  const { LoginRequired } = await import("../../adapters/agent/logins/login.ts");
  const refused = (why: string, todo: string) =>
    new UserError({ what: `the subscription of ${account.kind} cannot be used`, why, todo, exitCode: EXIT.refused });
  const { read = [], write = [] } = sandboxPolicy ?? {};
  const file = realPath(login.file) ?? login.file;
  const opened = [...read, ...write, ...Object.values(repos).map(({ path }) => path)].find((path) =>
    isWithin(realPath(path) ?? path, file),
  );
  if (opened !== undefined)
    throw refused(
      `agents could read its login: ${plainText(opened, 300)} is open to them, and ${plainText(file, 300)} is in it`,
      "Open single files of that folder in sandboxPolicy, or keep the login elsewhere.",
    );
  try {
    if ((await login.state()).isExpired) await login.value();
  } catch (error) {
    if (error instanceof LoginRequired) throw refused(plainText(error.message, 500), "Log in again; no agent will see it.");
    // The token endpoint may answer again by the first request of an agent. If it does not, the run reports an outage.
    if (!(error instanceof Error)) throw error;
  }
}
