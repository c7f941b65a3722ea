import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGitHubService } from "../../src/adapters/tracker/github/github-service.ts";
import { createServiceTracker } from "../../src/adapters/tracker/service/service-tracker.ts";
import { RepoId } from "../../src/domain/values/ids.ts";
import { GitHubStandIn } from "../stand-ins/github/server.ts";
import type { TrackerUnderTest } from "./tracker-kinds.ts";

/** The stand-ins by the folders that they were seeded for. */
const standIns = new Map<string, GitHubStandIn>();

function standInOf(place: string): GitHubStandIn {
  const standIn = standIns.get(place);
  if (standIn === undefined) throw new Error(`nothing was seeded for ${place}`);
  return standIn;
}

/** `T-1` is issue 1 of the repository that the batch calls T. */
function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/** The one repository of the ids, which is acme/t for T. */
function reposOf([first = ""]: readonly string[]): Readonly<Record<string, string>> {
  const prefix = first.slice(0, first.indexOf("-"));
  return { [prefix]: `acme/${prefix.toLowerCase()}` };
}

/** GitHub's issues, on a stand-in in the test's own process; its address is in a file, without which it is away. */
export const github: TrackerUnderTest = {
  kind: "github",
  async seed(place, ids) {
    const file = join(place, "github.txt");
    const issues = ids.map((id) => ({ number: numberOf(id), title: `Title of ${id}`, body: "Some text.\n", labels: ["batch"] }));
    const repos = Object.fromEntries(Object.values(reposOf(ids)).map((fullName) => [fullName, { issues }]));
    const standIn = await new GitHubStandIn({ seed: { repos }, limits: { isOff: true } }).open();
    standIn.isAway = () => !existsSync(file);
    standIns.set(place, standIn);
    writeFileSync(file, standIn.enterpriseUrl);
  },
  open: (place, ids) =>
    createServiceTracker({
      service: createGitHubService({
        spec: {
          kind: "github",
          repos: reposOf(ids),
          labels: ["batch"],
          baseUrl: readFileSync(join(place, "github.txt"), "utf8"),
        },
        listed: [],
        repos: Object.keys(reposOf(ids)).map((name) => RepoId.parse(name)),
        token: { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) },
      }),
      ids,
    }),
  homeOf: (place) => join(place, "github.txt"),
  contentOf: async (place) => structuredClone(standInOf(place).state),
  async retitle(place, id, title) {
    standInOf(place).person("jo").retitle("acme/t", numberOf(id), title);
  },
  async reopen(place, id) {
    standInOf(place).person("jo").reopen("acme/t", numberOf(id));
  },
};
