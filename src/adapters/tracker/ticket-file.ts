import type { FolderTicket } from "../../domain/batch/merge-folder.ts";
import { TicketSpec } from "../../domain/batch/schema.ts";
import type { TrackerState } from "../../domain/run/drift-fact.ts";
import { RepoId, TicketId } from "../../domain/values/ids.ts";
import { type FrontMatter, type FrontMatterProblem, type ListKey, readFrontMatter, type WordKey } from "./front-matter.ts";
import { parseRecord } from "./state-record.ts";
import { firstHeading, ticketParts } from "./ticket-text.ts";

/** The content of a Markdown ticket: the fields of the batch, and its state. The body is everything below the front matter. */
export interface TicketContent extends Omit<FolderTicket, "file"> {
  readonly state: TrackerState;
}

/** `ticket` is absent if the file is no ticket, or if a grave problem hides its content. */
export interface TicketReading {
  readonly ticket?: TicketContent;
  readonly problems: readonly FrontMatterProblem[];
}

/** The YAML parser compares each key with all others: a million characters of them take it some 40 s. */
const MOST_FRONT_CHARS = 64_000;

/** True if a file of the folder can be a ticket by its name: `*.md`, but neither hidden nor a README, in any spelling. */
export function isTicketName(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".") && name.toLowerCase() !== "readme.md";
}

/**
 * Reads the text of one file. Without front matter it is a ticket only if it has a `# heading`. `id` is the file's name without
 * `.md` if the front matter has none, `title` the first heading (without one, the id).
 */
export function parseTicketFile(name: string, text: string): TicketReading {
  const parts = ticketParts(text);
  if (parts === undefined) return { problems: [{ line: 1, why: "the front matter is not closed by a line `---`", grave: true }] };
  if (parts.front !== undefined && parts.front.to - parts.front.from > MOST_FRONT_CHARS)
    return { problems: [{ line: 1, why: "the front matter is longer than 64,000 characters", grave: true }] };
  const body = text.slice(parts.body);
  const heading = firstHeading(body);
  if (parts.front === undefined && heading === undefined) return { problems: [] };
  const front = readFrontMatter(parts.front === undefined ? "" : text.slice(parts.front.from, parts.front.to));
  const reading = new TicketReader(front);
  const id = reading.id(name.slice(0, -".md".length));
  const state = reading.state();
  if (id === undefined || state === undefined) return { problems: reading.problems };
  const repo = reading.repo();
  const contract = reading.contract();
  const named = { ...(repo !== undefined && { repo }), ...(contract !== undefined && { contract }) };
  const plan = { title: reading.title(heading ?? id), body: reading.body(body), ...named };
  const dependsOn = reading.list("dependsOn");
  const ticket = { id, ...plan, dependsOn, exclusive: reading.list("exclusive"), state };
  return reading.problems.some((p) => p.grave) ? { problems: reading.problems } : { ticket, problems: reading.problems };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

class TicketReader {
  readonly problems: FrontMatterProblem[];
  readonly #front: FrontMatter;

  constructor(front: FrontMatter) {
    this.#front = front;
    this.problems = [...front.problems];
  }

  id(fallback: string): TicketId | undefined {
    const field = this.#front.words.get("id");
    const id = TicketId.safeParse(field?.value ?? fallback);
    if (id.success) return id.data;
    const where = field === undefined ? " (taken from the file's name: add `id: …`)" : "";
    this.#problem("id", `${id.error.issues[0]?.message}${where}`, true);
    return undefined;
  }

  state(): TrackerState | undefined {
    const { words } = this.#front;
    const state = parseRecord({ state: words.get("state")?.value ?? "open", humanStep: words.get("humanStep")?.value });
    if (!("problem" in state)) return this.#stepFits() ? state : undefined;
    this.#problem("state", state.problem, true);
    return undefined;
  }

  /** A step beside another state must also be valid: it counts when a person changes the state. */
  #stepFits(): boolean {
    const step = this.#front.words.get("humanStep")?.value.trim() ?? "";
    const fits = step.length <= 500 && !CONTROL.test(step);
    if (!fits) this.#problem("humanStep", "humanStep must be one line of at most 500 characters", true);
    return fits;
  }

  title(fallback: string): string {
    const given = this.#front.words.get("title")?.value.trim() ?? "";
    const title = given === "" ? fallback : given;
    if (CONTROL.test(title)) this.#problem("title", "the title holds control characters", false);
    else if (!TicketSpec.shape.title.safeParse(title).success)
      this.#problem("title", "the title is longer than 200 characters", false);
    return title;
  }

  body(body: string): string {
    if (!TicketSpec.shape.body.safeParse(body).success)
      this.#problem("title", "the text is longer than 64,000 characters", false);
    return body;
  }

  repo(): RepoId | undefined {
    const given = this.#front.words.get("repo")?.value;
    if (given === undefined || given === "") return undefined;
    const repo = RepoId.safeParse(given);
    if (repo.success) return repo.data;
    this.#problem("repo", `repo: ${repo.error.issues[0]?.message}`, false);
    return undefined;
  }

  /** An empty value is a problem: a ticket whose contract was forgotten would be worked without it. */
  contract(): string | undefined {
    const given = this.#front.words.get("contract")?.value;
    if (given === undefined) return undefined;
    const contract = TicketSpec.shape.contract.safeParse(given);
    if (contract.success) return contract.data;
    this.#problem("contract", "contract must name a file, by a path of 1 to 400 characters", false);
    return undefined;
  }

  list<K extends ListKey>(key: K): K extends "dependsOn" ? readonly TicketId[] : readonly string[];
  list(key: ListKey): readonly string[] {
    const list = TicketSpec.shape[key].safeParse(this.#front.lists.get(key)?.items ?? []);
    if (list.success) return list.data;
    const issue = list.error.issues[0];
    this.#problem(key, `${key}, entry ${Number(issue?.path[0] ?? 0) + 1}: ${issue?.message}`, false);
    return [];
  }

  #problem(key: WordKey | ListKey, why: string, grave: boolean): void {
    const line = this.#front.words.get(key as WordKey)?.line ?? this.#front.lists.get(key as ListKey)?.line;
    this.problems.push({ line, why, grave });
  }
}
