import { GraphQLError } from "graphql";
import { fits } from "./filter.ts";
import { type Comment, type Issue, identifierOf, issueBy, type Label, type World } from "./model.ts";

/** The largest page (Linear's documentation, "Pagination"). */
const MAX_PAGE = 250;

interface PageArguments {
  readonly first?: number;
  readonly after?: string;
  readonly orderBy?: "createdAt" | "updatedAt";
  readonly includeArchived?: boolean;
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** An error as Linear gives it for a request that it refuses. */
export function refusal(message: string, code = "INPUT_ERROR", type = "invalid input"): GraphQLError {
  return new GraphQLError(message, { extensions: { code, type, userError: true, userPresentableMessage: message } });
}

/** Newest first, as Linear lists them. */
function page<T extends { readonly id: string; readonly createdAt?: string }>(
  all: readonly T[],
  { first = 50, after, orderBy = "createdAt" }: PageArguments,
  show: (each: T) => unknown,
): unknown {
  if (first < 1 || first > MAX_PAGE) throw refusal(`first must be from 1 to ${MAX_PAGE}`);
  const time = (each: T): string => (each as Readonly<Record<string, string>>)[orderBy] ?? "";
  const ordered = all.toSorted((a, b) => time(b).localeCompare(time(a)) || a.id.localeCompare(b.id));
  const from = after === undefined || after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const nodes = ordered.slice(from, from + first);
  const hasNextPage = from + first < ordered.length;
  return { nodes: nodes.map(show), pageInfo: { hasNextPage, endCursor: nodes.at(-1)?.id ?? null } };
}

function within<T>(all: readonly T[], { filter = {} }: PageArguments): readonly T[] {
  return all.filter((each) => fits(filter, each));
}

/** The answers of the API to queries on a world, for the schema's resolvers. */
export function queriesOn(world: World, viewer: string): Readonly<Record<string, unknown>> {
  const user = (id: string | null) => {
    const found = world.users.find((each) => each.id === id);
    return found === undefined ? null : { ...found, name: found.displayName, app: found.app === true, isMe: id === viewer };
  };
  const bot = (name: string | undefined) => (name === undefined ? null : { type: name, name });
  const team = (id: string | null) => world.teams.find((each) => each.id === id) ?? null;
  const label = (each: Label) => ({ ...each, isGroup: each.isGroup === true, team: team(each.teamId) });
  const state = (id: string) => {
    const found = world.states.find((each) => each.id === id);
    return found === undefined ? null : { ...found, team: team(found.teamId) };
  };
  const comment = (each: Comment) => ({ ...each, user: user(each.userId), botActor: bot(each.bot) });
  const there = (each: Issue, includeArchived: boolean | undefined) => includeArchived === true || each.archivedAt === null;
  const labelsOf = (each: Issue) => world.labels.filter(({ id }) => each.labelIds.includes(id));
  const issue = (each: Issue): Readonly<Record<string, unknown>> => {
    const own = <T extends { readonly issueId: string }>(all: readonly T[]) => all.filter(({ issueId }) => issueId === each.id);
    return {
      ...each,
      identifier: identifierOf(world, each),
      url: `https://linear.example/acme/issue/${identifierOf(world, each)}`,
      state: state(each.stateId),
      team: team(each.teamId),
      project: world.projects.find(({ id }) => id === each.projectId) ?? null,
      assignee: user(each.assigneeId),
      labels: (given: PageArguments) => page(within(labelsOf(each), given), given, label),
      comments: (given: PageArguments) => page(within(own(world.comments), given), given, comment),
      attachments: (given: PageArguments) => page(own(world.attachments), given, (found) => found),
      history: (given: PageArguments) =>
        page(own(world.history), given, (found) => ({ ...found, actor: user(found.actorId), botActor: bot(found.bot) })),
      children: (given: PageArguments) =>
        page(
          world.issues.filter((child) => child.parentId === each.id && there(child, given.includeArchived)),
          given,
          issue,
        ),
      inverseRelations: (given: PageArguments) =>
        page(
          world.relations.filter(({ relatedIssueId }) => relatedIssueId === each.id),
          given,
          (relation) => {
            const from = issueBy(world, relation.issueId);
            return { ...relation, issue: from === undefined ? null : issue(from) };
          },
        ),
    };
  };
  const filtered = (each: Issue) => ({
    ...each,
    team: team(each.teamId),
    project: world.projects.find(({ id }) => id === each.projectId) ?? null,
    cycle: world.cycles.find(({ id }) => id === each.cycleId) ?? null,
    assignee: user(each.assigneeId),
    state: state(each.stateId),
    labels: labelsOf(each),
    comments: world.comments.filter(({ issueId }) => issueId === each.id),
  });
  return {
    viewer: () => user(viewer),
    organization: () => world.organization,
    issues: (given: PageArguments) =>
      page(
        world.issues.filter((each) => there(each, given.includeArchived) && fits(given.filter ?? {}, filtered(each))),
        given,
        issue,
      ),
    issue: ({ id }: { id: string }) => {
      const found = issueBy(world, id);
      if (found === undefined) throw refusal("Entity not found: Issue");
      return issue(found);
    },
    customViews: (given: PageArguments) =>
      page(
        world.views.filter((each) => fits(given.filter ?? {}, each)),
        given,
        (each) => ({ ...each, team: team(each.teamId) }),
      ),
    teams: (given: PageArguments) => page(within(world.teams, given), given, (each) => each),
    projects: (given: PageArguments) => page(within(world.projects, given), given, (each) => each),
    cycles: (given: PageArguments) =>
      page(
        world.cycles.filter((each) => fits(given.filter ?? {}, { ...each, team: team(each.teamId) })),
        given,
        (each) => each,
      ),
    workflowStates: (given: PageArguments) =>
      page(
        world.states.filter(({ id }) => fits(given.filter ?? {}, state(id))),
        given,
        ({ id }) => state(id),
      ),
    // The server folds case, as a database may.
    issueLabels: (given: PageArguments) =>
      page(
        world.labels.filter((each) => fits(folded(given.filter ?? {}), { ...each, name: each.name.trim().toLowerCase() })),
        given,
        label,
      ),
  };
}

function folded(filter: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(filter), (_, value: unknown) => (typeof value === "string" ? value.toLowerCase() : value));
}
