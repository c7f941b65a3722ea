import { onTestFinished } from "vitest";
import { createLinearService, type LinearServiceOptions } from "../../../../src/adapters/tracker/linear/linear-service.ts";
import type { TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import type { LinearSpec } from "../../../../src/domain/batch/tracker-spec.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { anEmptyWorld, aTeam, type Issue, uuidOf, type World } from "../../../stand-ins/linear/model.ts";
import { LinearStandIn, type LinearStandInOptions } from "../../../stand-ins/linear/stand-in.ts";

export const id = (text: string): TicketId => TicketId.parse(text);
export const ids = (...texts: readonly string[]): readonly TicketId[] => texts.map(id);

/** A world with the teams ENG and OPS, and issues ENG-1 to ENG-n. */
export function aWorld(issues = 3): World {
  const world = anEmptyWorld();
  for (const key of ["ENG", "OPS"]) {
    const { team, states } = aTeam(key);
    world.teams.push(team);
    world.states.push(...states);
  }
  const at = new Date(Date.UTC(2026, 10, 26, 12)).toISOString();
  const teamId = uuidOf("team ENG");
  for (let number = 1; number <= issues; number += 1)
    world.issues.push({
      id: uuidOf(`issue ENG ${number}`),
      number,
      teamId,
      previousIdentifiers: [],
      title: `Title of ENG-${number}`,
      description: "Some text.",
      stateId: uuidOf("state ENG Todo"),
      projectId: null,
      cycleId: null,
      assigneeId: null,
      parentId: null,
      labelIds: [],
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      trashed: null,
    });
  return world;
}

/** A stand-in, and services that ask it. It ends with the test. */
export class Stage {
  readonly standIn: LinearStandIn;

  constructor(standIn: LinearStandIn) {
    this.standIn = standIn;
  }

  static async open(options: LinearStandInOptions = {}): Promise<Stage> {
    const standIn = await LinearStandIn.start({ ...options, world: options.world ?? aWorld() });
    onTestFinished(() => standIn.stop());
    return new Stage(standIn);
  }

  /** A service for the batch's query, by default all issues of the team ENG. */
  service(spec: Partial<LinearSpec> = { team: "ENG" }, options: Partial<Omit<LinearServiceOptions, "spec">> = {}): TicketService {
    const token = { get: async () => LinearStandIn.TOKEN, renew: async () => LinearStandIn.TOKEN };
    const repos = [RepoId.parse("app")];
    return createLinearService({
      spec: { kind: "linear", apiUrl: this.standIn.url, ...spec },
      listed: [],
      repos,
      token,
      ...options,
    });
  }

  /** The issue as the stand-in keeps it, by an identifier or UUID. */
  issue(name: string): Issue {
    return this.standIn.people.find(name);
  }

  /** Moves an issue to the state of a name, as a person. */
  move(name: string, state: string): void {
    const { world } = this.standIn;
    const issue = this.issue(name);
    const found = world.states.find((each) => each.teamId === issue.teamId && each.name === state);
    this.standIn.people.updateIssue(issue.id, { stateId: found?.id ?? "" }, { actor: uuidOf("user jo") });
  }

  /** Puts a label on an issue, or takes it away. */
  label(name: string, label: string, how: "add" | "remove" = "add"): void {
    const { world } = this.standIn;
    const labelId = uuidOf(`label ${label} of people`);
    const there = world.labels.find((each) => each.name === label);
    if (there === undefined) world.labels.push({ id: labelId, name: label, teamId: null });
    const change = { [how === "add" ? "addedLabelIds" : "removedLabelIds"]: [there?.id ?? labelId] };
    this.standIn.people.updateIssue(this.issue(name).id, change, { actor: uuidOf("user jo") });
  }

  /** Comments on an issue, as Jo unless another user is named. */
  comment(name: string, body: string, user = "jo"): void {
    this.standIn.people.createComment({ issueId: name, body }, { actor: uuidOf(`user ${user}`) });
  }

  /** The comments of an issue, as Linear keeps them, the oldest first. */
  comments(name: string): readonly { readonly userId: string | null; readonly body: string }[] {
    const { world } = this.standIn;
    return world.comments.filter(({ issueId }) => issueId === this.issue(name).id).map(({ userId, body }) => ({ userId, body }));
  }

  /** The name of an issue's state, and the names of its labels. */
  shown(name: string): readonly string[] {
    const { world } = this.standIn;
    const issue = this.issue(name);
    const labels = world.labels.filter((each) => issue.labelIds.includes(each.id)).map((each) => each.name);
    return [world.states.find((each) => each.id === issue.stateId)?.name ?? "", ...labels];
  }
}
