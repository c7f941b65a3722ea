import type { Pull } from "../test/stand-ins/github/forge/model.ts";
import type { GitHubStandIn } from "../test/stand-ins/github/server.ts";

/** The bot that looks at pull requests. */
export const BOT = "review-bot[bot]";

type Act = (repo: string, pull: Pull) => Promise<unknown>;

/**
 * Those who look at pull requests: a bot in a thread of SHOP-1, and a person who writes on that of the receipt. A check's result is to be
 * shown once they have said what they have to say about its commit: `said` resolves then.
 */
export function playOthers({ forge, state }: GitHubStandIn): { readonly said: (repo: string, sha: string) => Promise<unknown> } {
  const acts: Readonly<Record<string, Act>> = {
    "SHOP-1": (repo, { number }) =>
      forge
        .person(BOT)
        .openThread(repo, number, { path: "src/money.js", line: 1, body: "allocate() does not say when it throws." }),
    "SHOP-5-d1": (repo, { number }) =>
      forge.person("ann").comment(repo, number, "Can the width be exported? The printer's driver wants to know it."),
  };
  const begun = new Map<string, Promise<unknown>>();
  return {
    said: async (fullName, sha) => {
      const pull = state.repos.find((repo) => repo.fullName === fullName)?.forge?.pulls.find(({ headSha }) => headSha === sha);
      const ticket = pull === undefined ? "" : ticketOf(pull.headRef);
      const act = acts[ticket];
      if (pull === undefined || act === undefined) return;
      const saying = begun.get(ticket) ?? act(fullName, pull);
      begun.set(ticket, saying);
      await saying;
    },
  };
}

/** The ticket of a branch `loopdash/<run>/<ticket>`. */
export function ticketOf(branch: string): string {
  return branch.split("/").at(-1) ?? "";
}
