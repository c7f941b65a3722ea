import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLinearService } from "../../src/adapters/tracker/linear/linear-service.ts";
import { createServiceTracker } from "../../src/adapters/tracker/service/service-tracker.ts";
import { RepoId, type TicketId } from "../../src/domain/values/ids.ts";
import { anEmptyWorld, aTeam, uuidOf } from "../stand-ins/linear/model.ts";
import { LinearStandIn } from "../stand-ins/linear/stand-in.ts";
import type { TrackerUnderTest } from "./tracker-kinds.ts";

const PROJECT = { id: uuidOf("project Batch"), name: "Batch" };
const JO = { actor: uuidOf("user jo") };

/** The servers of this process, by the folders of their tests. */
const servers = new Map<string, LinearStandIn>();

/** Issues in Linear. The folder has the address of its server, for processes that open it too; without it the server is away. */
export const linear: TrackerUnderTest = {
  kind: "linear",
  async seed(folder, ids) {
    const standIn = await LinearStandIn.start({ world: { ...anEmptyWorld(), projects: [PROJECT] }, home: homeOf(folder) });
    servers.set(folder, standIn);
    for (const id of ids) {
      const [key = "", number] = id.split("-");
      addTeam(standIn, key);
      const issue = { teamId: uuidOf(`team ${key}`), number: Number(number), projectId: PROJECT.id };
      standIn.people.createIssue({ ...issue, title: `Title of ${id}`, description: "Some text." });
    }
    writeFileSync(homeOf(folder), standIn.url);
  },
  open(folder, ids) {
    const token = { get: async () => LinearStandIn.TOKEN, renew: async () => LinearStandIn.TOKEN };
    const spec = { kind: "linear", project: PROJECT.name, apiUrl: readFileSync(homeOf(folder), "utf8") } as const;
    const service = createLinearService({ spec, token, listed: [], repos: [RepoId.parse("app")] });
    return createServiceTracker({ service, ids });
  },
  homeOf,
  contentOf: async (folder) => structuredClone(serverOf(folder).world),
  async retitle(folder, id, title) {
    const { people } = serverOf(folder);
    people.updateIssue(people.find(id).id, { title }, JO);
  },
  async reopen(folder, id: TicketId) {
    const { people } = serverOf(folder);
    const issue = people.find(id);
    people.updateIssue(issue.id, { stateId: people.stateOf(issue.teamId, "unstarted") }, JO);
  },
  async close(folder) {
    const own = [...servers].filter(([place]) => place.startsWith(folder));
    for (const [place, standIn] of own) {
      servers.delete(place);
      await standIn.stop();
    }
  },
};

function homeOf(folder: string): string {
  return join(folder, "address");
}

function serverOf(folder: string): LinearStandIn {
  const standIn = servers.get(folder);
  if (standIn === undefined) throw new Error(`there is no server for ${folder}`);
  return standIn;
}

function addTeam({ world }: LinearStandIn, key: string): void {
  if (world.teams.some((team) => team.key === key)) return;
  const { team, states } = aTeam(key);
  world.teams.push(team);
  world.states.push(...states);
}
