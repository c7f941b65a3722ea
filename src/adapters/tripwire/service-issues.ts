import { createHash, randomInt } from "node:crypto";
import type { TicketId } from "../../domain/values/ids.ts";
import type { ServicePlace } from "../../ports/oracle.ts";
import type { CanaryTicket } from "./canary.ts";
import { chooseOne, flipCoin } from "./random.ts";

/** An issue as a service answers it to the oracle's document. */
type Issue = Readonly<Record<string, unknown>>;

/** A canary in place of a service: its tickets are in a file. */
export type ServiceCanary = ServicePlace & { readonly file: string };

/** The canary with the keys of these tickets, which follow from its file, and with a repository for each name that begins an id. */
export function withKeys<T extends ServicePlace>(place: T, ids: readonly TicketId[]): T {
  const keys = Object.fromEntries(ids.map((id) => [id, serviceKey(place, id)]));
  const names = new Set(ids.map(repositoryName));
  const repos = Object.fromEntries([...names].map((name) => [name, place.repos[name] ?? `${name}/${name}`]));
  if (place.kind !== "github") return { ...place, keys, repos: {} };
  return { ...place, keys, repos, repoIds: Object.fromEntries([...names].map((name) => [name, serviceRepoId(place, name)])) };
}

/** The text of a file with these tickets. */
export function issuesText(place: ServiceCanary, tickets: readonly CanaryTicket[]): string {
  return JSON.stringify({ nodes: tickets.map((ticket) => canaryIssue(place, ticket)) });
}

/** The same text with these issues open; `found` gets the ids that are in it. */
export function withOpenIssues(place: ServicePlace, text: string, wanted: readonly string[], found: Set<string>): string {
  const nodes = issueNodes(text).map((node) => {
    const id = keyedId(place, node);
    if (id === undefined || !wanted.includes(id)) return node;
    found.add(id);
    return { ...node, ...serviceState(place.kind, "open"), labels: { nodes: [] } };
  });
  return JSON.stringify({ nodes });
}

/** The ids of issues that are plainly open, without any label that the oracle looks at. */
export function openIssueIds(place: ServicePlace, text: string): readonly string[] {
  return issueNodes(text).flatMap((node) => (isPlainlyOpen(place.kind, node) ? (keyedId(place, node) ?? []) : []));
}

/** The issues of a file, as a service would give them for these keys. Throws a SyntaxError for a damaged file. */
export function issuesFor(kind: ServicePlace["kind"], text: string, ids: readonly string[]): object {
  const nodes = issueNodes(text).filter((node) => ids.includes(String(node["id"])));
  return { data: kind === "linear" ? { issues: { nodes, pageInfo: { hasNextPage: false } } } : { nodes } };
}

function issueNodes(text: string): readonly Issue[] {
  const { nodes } = JSON.parse(text) as { readonly nodes: readonly (Issue | null)[] };
  return nodes.filter((node) => node !== null);
}

function keyedId(place: ServicePlace, node: Issue): string | undefined {
  return Object.entries(place.keys).find(([, key]) => key === node["id"])?.[0];
}

function isPlainlyOpen(kind: ServicePlace["kind"], node: Issue): boolean {
  const { nodes } = node["labels"] as { readonly nodes: readonly { readonly name: string }[] };
  if (nodes.some(({ name }) => name === "human-gated")) return false;
  const state = kind === "linear" ? (node["state"] as { readonly type: unknown }).type : node["state"];
  return state === "started" || state === "unstarted" || state === "OPEN";
}

/** A key in the service's form. It follows from the canary's place, so that those who write it and those who judge it agree. */
function serviceKey(place: ServicePlace & { readonly file?: string }, id: TicketId): string {
  const hex = createHash("sha256").update(`${place.file}\n${id}`).digest("hex");
  if (place.kind === "github") return `I_kw${Buffer.from(hex.slice(0, 20), "hex").toString("base64url")}`;
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** The id of the repository that a name stands for, in GitHub's form. */
function serviceRepoId(place: ServicePlace & { readonly file?: string }, name: string): string {
  const bytes = createHash("sha256").update(`${place.file}\n${name}`).digest().subarray(0, 6);
  return place.repoIds?.[name] ?? `R_kgDO${bytes.toString("base64url")}`;
}

function repositoryName(id: TicketId): string {
  return /^(.+?)-\d+(?:-d[1-9]\d*)*$/.exec(id)?.[1] ?? id;
}

function canaryIssue(place: ServiceCanary, { id, state, step }: CanaryTicket): Issue {
  const gate = state === "human-gated";
  const age = { updatedAt: new Date(Date.now() - randomInt(60_000, 90 * 86_400_000)).toISOString() };
  const comments = [...(gate && step !== undefined ? [comment(place.kind, `Human step: ${step}`)] : [])];
  const common = {
    id: serviceKey(place, id),
    ...age,
    ...serviceState(place.kind, gate ? "open" : state),
    labels: { nodes: gate ? [{ name: "human-gated" }] : [] },
  };
  if (place.kind === "github") {
    const number = Number(/-(\d+)(?:-d[1-9]\d*)*$/.exec(id)?.[1] ?? 0);
    const name = repositoryName(id);
    const repository = { id: serviceRepoId(place, name), nameWithOwner: place.repos[name] ?? `${name}/${name}` };
    return { __typename: "Issue", number, repository, comments: { nodes: comments }, ...common };
  }
  const page = { nodes: comments, pageInfo: { hasNextPage: false } };
  return { identifier: id, previousIdentifiers: [], trashed: null, archivedAt: null, comments: page, ...common };
}

/** A look-alike becomes a state that the service does not have. */
function serviceState(kind: ServicePlace["kind"], state: string): Issue {
  const word = { open: "open", done: "done", canceled: "canceled" }[state];
  if (kind === "linear") {
    const types = {
      open: chooseOne(["unstarted", "started"]),
      done: "completed",
      canceled: chooseOne(["canceled", "duplicate"]),
    };
    return { state: { type: word === undefined ? unknownType(state) : types[word as keyof typeof types] } };
  }
  const closed = { open: null, done: "COMPLETED", canceled: chooseOne(["NOT_PLANNED", "DUPLICATE"]) };
  if (word === undefined) return { state: chooseOne(["CLOSED", "closed", state]), stateReason: `${state}!` };
  return { state: word === "open" ? "OPEN" : "CLOSED", stateReason: closed[word as keyof typeof closed] };
}

/** One of the look-alikes is Linear's own word. */
function unknownType(state: string): string {
  return state === "completed" ? "Completed" : state;
}

function comment(kind: ServicePlace["kind"], body: string): Issue {
  const createdAt = new Date(Date.now() - randomInt(60_000, 86_400_000)).toISOString();
  if (kind === "linear") return { body, createdAt, user: { app: false, isMe: flipCoin() }, botActor: null };
  return { body, createdAt, authorAssociation: "MEMBER", viewerDidAuthor: false, isMinimized: false };
}
