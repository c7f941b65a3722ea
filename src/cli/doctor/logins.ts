import { LoginRequired } from "../../adapters/agent/logins/login.ts";
import { formatUtc } from "../../domain/values/time.ts";
import { loginOf } from "../engine/agent-of.ts";
import { loginAccounts } from "../engine/check-logins.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";

/** Checks that the logins of a batch are there, and says until when they are valid. Sends no request, and shows no token. */
export async function checkLogins({ batch }: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const accounts = [...new Map(loginAccounts(batch).map((account) => [account.kind, account])).values()];
  return await Promise.all(
    accounts.map(async (account) => {
      const login = await loginOf(account, { keys: env });
      if (login === undefined) return bad("login", `${account.kind} keeps no login`, "Name a key.");
      try {
        const { file, expiresAt, isExpired, canRefresh } = await login.state();
        const until = expiresAt === undefined ? "for an unknown time" : `until ${formatUtc(expiresAt)}`;
        const found = `${account.kind}: ${file}, ${isExpired ? "expired" : `valid ${until}`}`;
        if (canRefresh) return ok("login", `${found}; loopdash refreshes it`);
        const fix = `It cannot be refreshed: run ${login.command}.`;
        return isExpired ? bad("login", found, fix) : ok("login", `${found}; it cannot be refreshed`);
      } catch (error) {
        if (!(error instanceof LoginRequired)) throw error;
        return bad("login", error.message, `Run ${login.command}.`);
      }
    }),
  );
}
