import { z } from "zod";
import type { GitHubSpec } from "../../../../domain/batch/tracker-spec.ts";
import type { RepoId, TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import type { FiledTicket } from "../../../../ports/tracker.ts";
import type { GitHubClient } from "../../../github/client.ts";
import { GitHubRefusal, LostAnswer } from "../../../github/failures.ts";
import { GATE_LABEL, labelsFor } from "../../service/labels.ts";
import type { FileAnswer, ServiceTicket } from "../../service/ticket-service.ts";
import { LOOPDASH_LABEL, withoutMark, withTrailer } from "../marks.ts";
import type { IssueReader } from "../read/issue-reader.ts";
import type { Snapshots } from "../read/snapshots.ts";
import { type IssuePlace, issuePlaceKey } from "../repositories.ts";
import { numberOfComment } from "../ticket/comments.ts";
import type { Step } from "./state-plan.ts";
import type { UnconfirmedWrites } from "./unconfirmed-writes.ts";

/** What is told about labels that loopdash makes. */
const LABELS: Readonly<Record<string, { readonly color: string; readonly description: string }>> = {
  [GATE_LABEL]: { color: "d93f0b", description: "A person must do what the comment says" },
  [LOOPDASH_LABEL]: { color: "5319e7", description: "Found by loopdash while it worked on another issue" },
};
const OTHER_LABEL = { color: "ededed", description: "" };

const Updated = z.object({ number: z.int(), state: z.string(), state_reason: z.string().nullish(), updated_at: z.string() });
const Created = z.object({
  number: z.int(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string() })])),
  updated_at: z.string(),
});
const Labels = z.array(z.object({ name: z.string() }));
const Anything = z.unknown();

/** Sends single writes to GitHub. None of them is repeated here. */
export class Writer {
  readonly #client: GitHubClient;
  readonly #reader: IssueReader;
  readonly #unconfirmed: UnconfirmedWrites;
  /** Labels that are known to exist, by repository. */
  readonly #labels = new Set<string>();

  constructor(client: GitHubClient, reader: IssueReader, unconfirmed: UnconfirmedWrites) {
    this.#client = client;
    this.#reader = reader;
    this.#unconfirmed = unconfirmed;
  }

  /** Carries out one step of a plan. */
  async apply(place: IssuePlace, step: Step): Promise<void> {
    const name = this.#reader.currentName(place.repo);
    switch (step.do) {
      case "close":
        return await this.#update(place, { state: "closed", state_reason: "completed" });
      case "reopen":
        return await this.#update(place, { state: "open", state_reason: "reopened" });
      case "label":
        return await this.#label(place);
      case "unlabel":
        return await this.#unlabel(place);
      case "create comment":
        return await this.#comment(place, step.text);
      case "edit comment": {
        const comment_id = numberOfComment(step.comment);
        await this.#client.write("edit its comment", Anything, ({ rest }) =>
          rest.issues.updateComment({ ...name, comment_id, body: step.text }),
        );
        return;
      }
      case "delete comment": {
        const comment_id = numberOfComment(step.comment);
        await unlessGone(
          this.#client.write("delete its comment", Anything, ({ rest }) => rest.issues.deleteComment({ ...name, comment_id })),
        );
      }
    }
  }

  /** Opens an issue. Throws if GitHub left out the labels, which it does if the token's user has no right to set them. */
  async open(
    repo: number,
    issue: { readonly title: string; readonly body: string; readonly labels: readonly string[] },
  ): Promise<number> {
    const name = this.#reader.currentName(repo);
    for (const label of issue.labels) await this.#ensureLabel(repo, label);
    const { number, labels, updated_at } = await this.#client.write("open an issue", Created, ({ rest }) =>
      rest.issues.create({ ...name, title: issue.title, body: issue.body, labels: [...issue.labels] }),
    );
    this.#reader.noteUpdate({ repo, number }, updated_at);
    const has = labels.map((label) => (typeof label === "string" ? label : label.name));
    if (has.some((label) => label.toLowerCase() === LOOPDASH_LABEL)) return number;
    await this.withdraw({ repo, number }, issue.body);
    throw new Error(
      `GitHub left out the label ${LOOPDASH_LABEL} of ${name.owner}/${name.repo}#${number}, which was closed again; the token's user needs the right to set labels`,
    );
  }

  /** Closes an issue that was opened by mistake, without its mark. */
  async withdraw(place: IssuePlace, body: string): Promise<void> {
    await this.#update(place, { state: "closed", state_reason: "not_planned", body: withoutMark(body) });
  }

  async #update(
    place: IssuePlace,
    change: {
      readonly state: "open" | "closed";
      readonly state_reason: "completed" | "reopened" | "not_planned";
      readonly body?: string;
    },
  ): Promise<void> {
    const what = `set the issue to ${change.state}`;
    const answer = await this.#client.write(what, Updated, ({ rest }) =>
      rest.issues.update({ ...this.#reader.currentName(place.repo), issue_number: place.number, ...change }),
    );
    if (answer.number !== place.number || answer.state !== change.state)
      throw new LostAnswer(`GitHub was asked to ${what} and answers with another state`);
    this.#reader.noteUpdate(place, answer.updated_at);
  }

  /** The comment's answer may be lost: see UnconfirmedWrites. */
  async #comment(place: IssuePlace, text: string): Promise<void> {
    const written = `comment ${issuePlaceKey(place)}`;
    this.#unconfirmed.mustBeSettled(written);
    try {
      await this.#client.write("comment on the issue", Anything, ({ rest }) =>
        rest.issues.createComment({ ...this.#reader.currentName(place.repo), issue_number: place.number, body: text }),
      );
      this.#unconfirmed.clear(written);
    } catch (error) {
      if (error instanceof LostAnswer) this.#unconfirmed.add(written);
      throw error;
    }
  }

  async #label(place: IssuePlace): Promise<void> {
    await this.#ensureLabel(place.repo, GATE_LABEL);
    const name = this.#reader.currentName(place.repo);
    const labels = await this.#client.write("label the issue", Labels, ({ rest }) =>
      rest.issues.addLabels({ ...name, issue_number: place.number, labels: [GATE_LABEL] }),
    );
    const alike = labels.find((label) => label.name.trim().toLowerCase() === GATE_LABEL);
    if (alike === undefined || alike.name === GATE_LABEL) return;
    throw new Error(`${name.owner}/${name.repo} has a label "${plainText(alike.name, 60)}": rename it to ${GATE_LABEL}`);
  }

  async #unlabel(place: IssuePlace): Promise<void> {
    const name = this.#reader.currentName(place.repo);
    const request = this.#client.write("remove its label", Anything, ({ rest }) =>
      rest.issues.removeLabel({ ...name, issue_number: place.number, name: GATE_LABEL }),
    );
    await unlessGone(request);
  }

  /** Makes a label, unless the repository has it, which GitHub says by 422. */
  async #ensureLabel(repo: number, label: string): Promise<void> {
    const key = `${repo} ${label}`;
    if (this.#labels.has(key)) return;
    const like = LABELS[label] ?? OTHER_LABEL;
    try {
      await this.#client.write(`make the label ${label}`, Anything, ({ rest }) =>
        rest.issues.createLabel({ ...this.#reader.currentName(repo), name: label, ...like }),
      );
    } catch (error) {
      if (!(error instanceof GitHubRefusal && error.status === 422 && /already_exists/.test(error.message))) throw error;
    }
    this.#labels.add(key);
  }
}

/** What is gone need not be removed. */
async function unlessGone(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof GitHubRefusal && error.status === 404)) throw error;
  }
}

/** Services of filing an issue. */
interface FilingContext {
  readonly snapshots: Snapshots;
  readonly writer: Writer;
  readonly unconfirmed: UnconfirmedWrites;
  readonly wait: (ms: number) => Promise<void>;
  readonly options: { readonly spec: GitHubSpec; readonly repos: readonly RepoId[] };
}

/** Reads of a new issue until it is there, and the time between two. Milliseconds. */
const [READS, READ_WAIT_MS] = [4, 500];

/**
 * Opens an issue for a discovered ticket, in the repository that it changes, or its parent's. Its dependencies are in its text, so
 * that they are there as soon as the issue is. Should an older issue have the same mark, because a read lagged behind a write whose
 * answer was lost, the new one is closed and loses the mark.
 */
export async function fileTicket(context: FilingContext, ticket: FiledTicket): Promise<FileAnswer> {
  const { snapshots, unconfirmed } = context;
  const { id } = ticket;
  const known = await findFiled(context, id);
  if (known !== undefined) {
    unconfirmed.clear(`issue ${id}`);
    return known.id === id && known.title === ticket.title ? { filed: known } : { taken: known.id };
  }
  unconfirmed.mustBeSettled(`issue ${id}`);
  const place = await open(context, ticket);
  snapshots.ids.addFiled(id, place);
  for (let read = 1; ; read += 1) {
    const filed = await findFiled(context, id);
    const oldest = snapshots.issuePlace(id);
    if (filed !== undefined && oldest !== undefined && issuePlaceKey(oldest) !== issuePlaceKey(place)) {
      snapshots.ids.forgetDiscovered(place);
      await context.writer.withdraw(place, issueBody(context, ticket, place.repo));
    }
    if (filed !== undefined) return filed.title === ticket.title ? { filed } : { taken: id };
    if (read === READS) throw new LostAnswer(`GitHub opened an issue for ${id} and does not show it`);
    await context.wait(READ_WAIT_MS);
  }
}

/** The ticket of this id but for its case, as it is now. */
async function findFiled({ snapshots }: FilingContext, id: TicketId): Promise<ServiceTicket | undefined> {
  const tickets = await snapshots.take("whole");
  const same = [...tickets.keys()].find((each) => each.toLowerCase() === id.toLowerCase());
  if (same !== undefined) return tickets.get(same);
  const other = snapshots.ids.discovered(id);
  if (other === undefined) return undefined;
  snapshots.ids.addFiled(other.id, other);
  return (await snapshots.fresh(other.id))?.ticket;
}

async function open(context: FilingContext, ticket: FiledTicket): Promise<IssuePlace> {
  const { writer, unconfirmed, options } = context;
  const { id, title, exclusive = [] } = ticket;
  const repo = targetRepository(context, ticket);
  const repoLabel = options.spec.repos === undefined && options.repos.length > 1 ? ticket.repo : undefined;
  const labels = [LOOPDASH_LABEL, ...labelsFor(repoLabel, exclusive)];
  try {
    const number = await writer.open(repo, { title, body: issueBody(context, ticket, repo), labels });
    unconfirmed.clear(`issue ${id}`);
    return { repo, number };
  } catch (error) {
    if (error instanceof LostAnswer) unconfirmed.add(`issue ${id}`);
    throw error;
  }
}

function issueBody({ snapshots }: FilingContext, { id, body, note, dependsOn = [] }: FiledTicket, repo: number): string {
  const parent = parentTicket(id);
  const foundAt = parent === undefined ? undefined : snapshots.issuePlace(parent);
  const linked = (place: IssuePlace): string => {
    const { owner, repo: name } = snapshots.reader.currentName(place.repo);
    return place.repo === repo ? `#${place.number}` : `${owner}/${name}#${place.number}`;
  };
  const first = dependsOn.map((each) => {
    const place = snapshots.issuePlace(each);
    if (place === undefined) throw new Error(`GitHub: ${id} cannot wait for ${each}, which is no ticket there`);
    return linked(place);
  });
  return withTrailer(body, { id, note, foundAt: foundAt === undefined ? undefined : linked(foundAt), dependsOn: first });
}

/** The ticket at whose work this one was found: `app-7` of `app-7-d1`. */
function parentTicket(id: TicketId): TicketId | undefined {
  const parent = id.replace(/-d\d+$/, "");
  return parent === id ? undefined : (parent as TicketId);
}

/** The index of the repository in which an issue for the ticket is opened. */
function targetRepository({ snapshots, options }: FilingContext, { id, repo }: FiledTicket): number {
  const { repositories } = snapshots.reader;
  const named = options.spec.repos === undefined ? -1 : repositories.findIndex(({ prefix }) => prefix === repo);
  if (named !== -1) return named;
  const parent = parentTicket(id);
  const place = parent === undefined ? undefined : snapshots.issuePlace(parent);
  if (place !== undefined) return place.repo;
  if (repositories.length === 1) return 0;
  throw new Error(`GitHub: no repository for ${id}: "repos" of the tracker does not name ${repo}`);
}
