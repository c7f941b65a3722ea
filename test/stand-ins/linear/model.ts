import { createHash } from "node:crypto";

export interface User {
  readonly id: string;
  readonly displayName: string;
  readonly app?: boolean;
}

export interface Team {
  readonly id: string;
  readonly key: string;
  readonly name: string;
}

export interface State {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: number;
  readonly teamId: string;
}

export interface Label {
  readonly id: string;
  readonly name: string;
  readonly teamId: string | null;
  readonly isGroup?: boolean;
}

export interface Issue {
  readonly id: string;
  number: number;
  teamId: string;
  previousIdentifiers: string[];
  title: string;
  description: string | null;
  stateId: string;
  projectId: string | null;
  cycleId: string | null;
  assigneeId: string | null;
  parentId: string | null;
  labelIds: string[];
  readonly createdAt: string;
  updatedAt: string;
  archivedAt: string | null;
  trashed: boolean | null;
}

export interface Comment {
  readonly id: string;
  readonly issueId: string;
  /** Null for what an integration wrote. */
  readonly userId: string | null;
  readonly bot?: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
}

export interface Relation {
  readonly id: string;
  readonly issueId: string;
  readonly relatedIssueId: string;
  readonly type: string;
  readonly createdAt: string;
}

export interface Attachment {
  readonly id: string;
  readonly issueId: string;
  readonly title: string;
  readonly url: string;
  readonly createdAt: string;
}

export interface Change {
  readonly id: string;
  readonly issueId: string;
  readonly toStateId: string | null;
  readonly actorId: string | null;
  readonly bot?: string;
  readonly createdAt: string;
}

export interface View {
  readonly id: string;
  readonly name: string;
  readonly modelName: string;
  readonly filterData: Readonly<Record<string, unknown>>;
  readonly teamId: string | null;
}

/** Everything that the stand-in keeps, as JSON. */
export interface World {
  readonly organization: { readonly id: string; readonly name: string };
  readonly users: User[];
  readonly teams: Team[];
  readonly states: State[];
  readonly labels: Label[];
  readonly projects: { readonly id: string; readonly name: string }[];
  readonly cycles: { readonly id: string; readonly number: number; readonly teamId: string; readonly isActive: boolean }[];
  readonly views: View[];
  readonly issues: Issue[];
  readonly comments: Comment[];
  readonly relations: Relation[];
  readonly attachments: Attachment[];
  readonly history: Change[];
  /** Ids of deleted comments, which no other may have. */
  readonly usedIds: string[];
}

/** Names and types of each team's states. */
const WORKFLOW: readonly (readonly [string, string])[] = [
  ["Triage", "triage"],
  ["Backlog", "backlog"],
  ["Todo", "unstarted"],
  ["Next", "unstarted"],
  ["In Progress", "started"],
  ["In Review", "started"],
  ["Done", "completed"],
  ["Shipped", "completed"],
  ["Canceled", "canceled"],
  ["Duplicate", "duplicate"],
];

/** A UUID by its name. */
export function uuidOf(name: string): string {
  const hex = createHash("md5").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** A team with its workflow. */
export function aTeam(key: string): { readonly team: Team; readonly states: readonly State[] } {
  const team = { id: uuidOf(`team ${key}`), key, name: `Team ${key}` };
  const states = WORKFLOW.map(([name, type], at) => ({
    id: uuidOf(`state ${key} ${name}`),
    name,
    type,
    // The order in which they are made is not the one in which they are shown.
    position: name === "Todo" || name === "Done" ? at * 10 - 5 : at * 10 + (name === "In Progress" ? -1 : 0),
    teamId: team.id,
  }));
  return { team, states: states.toReversed() };
}

/** An organization with people and without issues. */
export function anEmptyWorld(): World {
  return {
    organization: { id: uuidOf("organization"), name: "Acme" },
    users: [
      { id: uuidOf("user loopdash"), displayName: "loopdash" },
      { id: uuidOf("user jo"), displayName: "Jo" },
      { id: uuidOf("user ada"), displayName: "Ada" },
      { id: uuidOf("user robot"), displayName: "Robot", app: true },
    ],
    teams: [],
    states: [],
    labels: [],
    projects: [],
    cycles: [],
    views: [],
    issues: [],
    comments: [],
    relations: [],
    attachments: [],
    history: [],
    usedIds: [],
  };
}

/** `ENG-12`. */
export function identifierOf(world: World, { teamId, number }: Pick<Issue, "teamId" | "number">): string {
  return `${world.teams.find(({ id }) => id === teamId)?.key}-${number}`;
}

/** The issue by its UUID or an identifier, also an earlier one. */
export function issueBy(world: World, id: string): Issue | undefined {
  return (
    world.issues.find((issue) => issue.id === id || identifierOf(world, issue) === id) ??
    world.issues.find((issue) => issue.previousIdentifiers.includes(id))
  );
}
