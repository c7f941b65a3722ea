import { refusal } from "./api.ts";
import { type Issue, issueBy, uuidOf, type World } from "./model.ts";

/** Writes on a world, by a person or through the API. Each moves the world's clock. */
export class Writer {
  readonly world: World;
  readonly #tick: () => string;
  readonly #markdown: (text: string) => string;

  /** `tick` gives the time of a write; `markdown` is what the editor makes of a text. */
  constructor(world: World, options: { readonly tick: () => string; readonly markdown: (text: string) => string }) {
    this.world = world;
    this.#tick = options.tick;
    this.#markdown = options.markdown;
  }

  /** The API's mutations for a user. */
  as(actor: string): Readonly<Record<string, (given: never) => unknown>> {
    return {
      issueCreate: ({ input }: { input: Partial<Issue> & { teamId: string } }) => {
        const { id } = this.createIssue(input);
        return { issue: { id }, success: true, lastSyncId: 1 };
      },
      issueUpdate: ({ id, input }: { id: string; input: IssueChange }) => {
        const issue = this.updateIssue(id, input, { actor });
        return { issue: { id: issue.id }, success: true, lastSyncId: 1 };
      },
      commentCreate: ({ input }: { input: { id?: string; issueId: string; body: string } }) => {
        const { id } = this.createComment(input, { actor });
        return { comment: { id }, success: true, lastSyncId: 1 };
      },
      commentUpdate: ({ id, input }: { id: string; input: { body: string } }) => {
        const found = this.world.comments.find((each) => each.id === id);
        if (found === undefined) throw refusal("Entity not found: Comment");
        if (found.userId !== actor) throw refusal("You can only edit your own comments", "FORBIDDEN", "forbidden");
        found.body = this.#markdown(input.body);
        found.updatedAt = this.#tick();
        return { comment: { id }, success: true, lastSyncId: 1 };
      },
      commentDelete: ({ id }: { id: string }) => {
        this.deleteComment(id);
        return { entityId: id, success: true, lastSyncId: 1 };
      },
      issueRelationCreate: ({ input }: { input: { id?: string; issueId: string; relatedIssueId: string; type: string } }) => {
        const { id } = this.relate(input.issueId, input.relatedIssueId, input);
        return { issueRelation: { id }, success: true, lastSyncId: 1 };
      },
      issueLabelCreate: ({ input }: { input: { id?: string; name: string; teamId?: string } }) => {
        const { id = uuidOf(`label ${input.name} ${input.teamId}`), name, teamId = null } = input;
        this.#mustBeNew(id, this.world.labels);
        const same = this.world.labels.find((each) => each.teamId === teamId && each.name.toLowerCase() === name.toLowerCase());
        if (same !== undefined) throw refusal(`A label with the name ${name} exists already`);
        this.world.labels.push({ id, name, teamId });
        return { issueLabel: { id }, success: true, lastSyncId: 1 };
      },
    };
  }

  createIssue(input: Partial<Issue> & { readonly teamId: string }): Issue {
    const { world } = this;
    const team = world.teams.find(({ id }) => id === input.teamId);
    if (team === undefined) throw refusal("Entity not found: Team");
    const number =
      input.number ?? Math.max(0, ...world.issues.filter(({ teamId }) => teamId === team.id).map((each) => each.number)) + 1;
    const id = input.id ?? uuidOf(`issue ${team.key} ${number}`);
    this.#mustBeNew(id, world.issues);
    const at = this.#tick();
    const issue: Issue = {
      id,
      number,
      teamId: team.id,
      previousIdentifiers: [],
      title: input.title ?? "",
      description: input.description === undefined || input.description === null ? null : this.#markdown(input.description),
      stateId: input.stateId ?? this.stateOf(team.id, "backlog"),
      projectId: input.projectId ?? null,
      cycleId: input.cycleId ?? null,
      assigneeId: input.assigneeId ?? null,
      parentId: input.parentId ?? null,
      labelIds: input.labelIds ?? [],
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      trashed: null,
    };
    world.issues.push(issue);
    return issue;
  }

  updateIssue(id: string, change: IssueChange, { actor, bot }: { readonly actor: string | null; readonly bot?: string }): Issue {
    const issue = this.find(id);
    const { addedLabelIds = [], removedLabelIds = [], ...rest } = change;
    const labels = [...new Set([...issue.labelIds, ...addedLabelIds])].filter((each) => !removedLabelIds.includes(each));
    for (const each of labels)
      if (!this.world.labels.some((label) => label.id === each)) throw refusal("Entity not found: IssueLabel");
    const stateId = rest.stateId;
    if (stateId !== undefined && this.world.states.find((each) => each.id === stateId)?.teamId !== issue.teamId)
      throw refusal("Discrepancy between issue team and state");
    Object.assign(issue, rest, { labelIds: labels, updatedAt: this.#tick() });
    if (rest.description) issue.description = this.#markdown(rest.description);
    if (stateId !== undefined) this.#record(issue, { toStateId: stateId, actorId: actor, ...(bot !== undefined && { bot }) });
    return issue;
  }

  createComment(
    input: { readonly id?: string; readonly issueId: string; readonly body: string },
    { actor, bot }: { readonly actor: string | null; readonly bot?: string },
  ): { readonly id: string } {
    const { id = uuidOf(`comment ${this.world.comments.length} ${input.body}`) } = input;
    const issue = this.find(input.issueId);
    this.#mustBeNew(id, this.world.comments);
    const at = this.#tick();
    const body = this.#markdown(input.body);
    this.world.comments.push({
      id,
      issueId: issue.id,
      userId: actor,
      body,
      createdAt: at,
      updatedAt: at,
      ...(bot !== undefined && { bot }),
    });
    return { id };
  }

  deleteComment(id: string): void {
    const at = this.world.comments.findIndex((each) => each.id === id);
    if (at < 0) throw refusal("Entity not found: Comment");
    this.world.comments.splice(at, 1);
    this.world.usedIds.push(id);
    this.#tick();
  }

  relate(
    from: string,
    to: string,
    { id = uuidOf(`relation ${from} ${to}`), type }: { readonly id?: string; readonly type: string },
  ) {
    this.#mustBeNew(id, this.world.relations);
    const relation = { id, issueId: this.find(from).id, relatedIssueId: this.find(to).id, type, createdAt: this.#tick() };
    this.world.relations.push(relation);
    this.find(to).updatedAt = relation.createdAt;
    return relation;
  }

  attach(id: string, { title, url }: { readonly title: string; readonly url: string }): void {
    const issue = this.find(id);
    const createdAt = this.#tick();
    this.world.attachments.push({ id: uuidOf(`attachment ${url}`), issueId: issue.id, title, url, createdAt });
    issue.updatedAt = createdAt;
  }

  /** Moves an issue to another team, where it gets another identifier and a state of the same type. */
  moveToTeam(id: string, key: string, identifier: string): void {
    const issue = this.find(id);
    const team = this.world.teams.find((each) => each.key === key);
    if (team === undefined) throw new Error(`there is no team ${key}`);
    const type = this.world.states.find((each) => each.id === issue.stateId)?.type ?? "";
    const number = Math.max(0, ...this.world.issues.filter(({ teamId }) => teamId === team.id).map((each) => each.number)) + 1;
    Object.assign(issue, {
      number,
      teamId: team.id,
      stateId: this.stateOf(team.id, type),
      previousIdentifiers: [...issue.previousIdentifiers, identifier],
      updatedAt: this.#tick(),
    });
  }

  /** The team's first state of a type, by position. */
  stateOf(teamId: string, type: string): string {
    const states = this.world.states.filter((each) => each.teamId === teamId && each.type === type);
    const [first] = states.toSorted((a, b) => a.position - b.position);
    if (first === undefined) throw new Error(`the team has no state of the type ${type}`);
    return first.id;
  }

  find(id: string): Issue {
    const issue = issueBy(this.world, id);
    if (issue === undefined) throw refusal("Entity not found: Issue");
    return issue;
  }

  #record(
    issue: Issue,
    change: { readonly toStateId: string | null; readonly actorId: string | null; readonly bot?: string },
  ): void {
    const id = uuidOf(`change ${this.world.history.length}`);
    this.world.history.push({ id, issueId: issue.id, createdAt: issue.updatedAt, ...change });
  }

  #mustBeNew(id: string, all: readonly { readonly id: string }[]): void {
    if (all.some((each) => each.id === id) || this.world.usedIds.includes(id))
      throw refusal("Entity with this id already exists");
  }
}

type IssueChange = Partial<Issue> & { readonly addedLabelIds?: readonly string[]; readonly removedLabelIds?: readonly string[] };
