import { createLinearService } from "../../src/adapters/tracker/linear/linear-service.ts";
import type { LinearSpec } from "../../src/domain/batch/tracker-spec.ts";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import { anEmptyWorld, aTeam, type Issue, uuidOf } from "../stand-ins/linear/model.ts";
import { type Fault, LinearStandIn } from "../stand-ins/linear/stand-in.ts";
import type { Mishap } from "./faults.ts";
import { type RealIssue, type ServiceSide, type SideOptions, stepIn, Tokens, withLists } from "./service-side.ts";

const TEAM = uuidOf("team ENG");
const JO = { actor: uuidOf("user jo") };
const LOOPDASH = uuidOf("user loopdash");
const GATE = { id: uuidOf("label human-gated of people"), name: "human-gated", teamId: null };

/** Linear: a team ENG with the batch's issues. */
export async function openLinear(options: SideOptions): Promise<ServiceSide> {
  const { clock, weather, issues } = options;
  const now = () => clock.now() + weather.climate.skewMs;
  const standIn = await LinearStandIn.start({ world: worldOf(), now });
  seed(standIn, issues);
  const { tokenMs } = weather.climate;
  const tokens = new Tokens(
    "lin_oauth_",
    (token, until) => standIn.grant(token, { ...(until !== undefined && { until }) }),
    tokenMs === undefined ? undefined : now() + tokenMs,
  );
  standIn.fault = ({ name, isWrite }) => {
    const mishap = options.onRequest({ name: name || (isWrite ? "write" : "read"), isWrite });
    standIn.staleMs = isWrite ? 0 : weather.age();
    return faultOf(mishap);
  };
  const spec: LinearSpec = { kind: "linear", team: "ENG", apiUrl: standIn.url };
  const ids = issues.map((_, at) => TicketId.parse(`ENG-${at + 1}`));
  return {
    spec,
    ids,
    repos: {},
    access: {
      url: standIn.url,
      authorization: async (refused) =>
        `Bearer ${refused === undefined ? await tokens.get() : await tokens.renew(refused.replace(/^Bearer /, ""))}`,
    },
    open: () => createLinearService({ spec, listed: ids, repos: [RepoId.parse("app")], token: tokens, now: () => clock.now() }),
    act: (id, act) => actOn(standIn, id, act),
    issues: () => issuesOf(standIn),
    mistakes: () => [],
    outgoing: (address, body) => ({ address, body: withSmallPages(body, weather.climate.page) }),
    incoming: (body) =>
      withLists(
        body,
        (root) => {
          const { data } = root as { data?: { issues?: { nodes?: unknown } } };
          return [data?.issues?.nodes];
        },
        (nodes) => weather.shuffle(nodes),
      ),
    close: () => standIn.stop(),
  };
}

function worldOf() {
  const world = anEmptyWorld();
  const { team, states } = aTeam("ENG");
  world.teams.push(team);
  world.states.push(...states);
  world.labels.push(GATE);
  return world;
}

function seed(standIn: LinearStandIn, issues: SideOptions["issues"]): void {
  const { people } = standIn;
  for (const [at, { title, body }] of issues.entries())
    people.createIssue({ teamId: TEAM, number: at + 1, title, description: body, stateId: people.stateOf(TEAM, "unstarted") });
  for (const [at, { blockedBy }] of issues.entries())
    for (const number of blockedBy) people.relate(`ENG-${number}`, `ENG-${at + 1}`, { type: "blocks" });
}

function faultOf(mishap: Mishap): Fault | { readonly after: Fault } | undefined {
  if (mishap.kind === "none") return undefined;
  if (mishap.kind === "limit")
    return {
      status: 400,
      headers: { "retry-after": String(mishap.seconds) },
      body: { errors: [{ message: "Rate limit exceeded", extensions: { code: "RATELIMITED", type: "ratelimited" } }] },
    };
  const half = {
    status: 200,
    body: { data: null, errors: [{ message: "Internal server error", extensions: { type: "internal error" } }] },
  };
  const fault: Fault = mishap.kind === "5xx" ? { status: mishap.status } : mishap.kind === "half" ? half : mishap.kind;
  return mishap.after ? { after: fault } : fault;
}

function actOn({ people }: LinearStandIn, id: TicketId, act: Parameters<ServiceSide["act"]>[1]): void {
  const issue = people.find(id);
  const state = (type: string) => people.updateIssue(issue.id, { stateId: people.stateOf(TEAM, type) }, JO);
  switch (act.do) {
    case "retitle":
      return void people.updateIssue(issue.id, { title: act.text }, JO);
    case "rewrite":
      return void people.updateIssue(issue.id, { description: act.text }, JO);
    case "comment":
      return void people.createComment({ issueId: issue.id, body: act.text }, JO);
    case "close":
      return void state("completed");
    case "reopen":
      people.updateIssue(issue.id, { removedLabelIds: gatesOf(people.world.labels) }, JO);
      return void state("unstarted");
    case "gate":
      people.createComment({ issueId: issue.id, body: `Human step: ${act.step}` }, JO);
      people.updateIssue(issue.id, { addedLabelIds: [GATE.id] }, JO);
      return void state("started");
  }
}

function gatesOf(labels: readonly { readonly id: string; readonly name: string }[]): string[] {
  return labels.filter(({ name }) => name === GATE.name).map(({ id }) => id);
}

function issuesOf({ world }: LinearStandIn): ReadonlyMap<number, RealIssue> {
  return new Map(
    world.issues.map((issue: Issue) => {
      const comments = world.comments.filter(({ issueId }) => issueId === issue.id);
      const type = world.states.find(({ id }) => id === issue.stateId)?.type;
      const isLabelled = issue.labelIds.some((id) => gatesOf(world.labels).includes(id));
      const isGated = isLabelled && comments.some(({ body }) => stepIn(body) !== undefined);
      return [
        issue.number,
        {
          title: issue.title,
          body: issue.description ?? "",
          state: type === "completed" ? "done" : isGated ? "human-gated" : "open",
          own: comments.filter(({ userId }) => userId === LOOPDASH).map(({ body }) => body),
          others: comments.filter(({ userId }) => userId !== LOOPDASH).map(({ body }) => body),
          isWithdrawn: issue.archivedAt !== null || issue.trashed === true,
        },
      ];
    }),
  );
}

/** A page has at most so many nodes, whatever is asked for. */
function withSmallPages(body: string, page: number): string {
  const { query, variables } = JSON.parse(body) as { query: string; variables?: { first?: number } };
  const first = variables?.first;
  return first === undefined || first <= page ? body : JSON.stringify({ query, variables: { ...variables, first: page } });
}
