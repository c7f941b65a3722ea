import type { LinearSpec } from "../../../../domain/batch/tracker-spec.ts";
import type { TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import type { LinearRequests } from "../client/requests.ts";
import { isUuid } from "../ticket/uuid.ts";
import { NamesAnswer, ViewsAnswer } from "./answers.ts";
import { NAMES, VIEWS } from "./documents.ts";

/** An IssueFilter of Linear's API. */
export type IssueFilter = Readonly<Record<string, unknown>>;

/** The filter of a batch's query: all that it names, together. Throws if there is not exactly one view of the name. */
export async function queryFilter(spec: LinearSpec, requests: LinearRequests): Promise<IssueFilter> {
  const { team, project, cycle, label, view, filter } = spec;
  const parts: IssueFilter[] = [];
  if (team !== undefined) parts.push({ team: { key: { eq: team } } });
  if (project !== undefined) parts.push({ project: named(project) });
  if (cycle !== undefined) parts.push({ cycle: cycle === "current" ? { isActive: { eq: true } } : { number: { eq: cycle } } });
  if (label !== undefined) parts.push({ labels: { some: { name: { eq: label } } } });
  if (view !== undefined) parts.push(...(await viewFilters(view, requests)));
  if (filter !== undefined) parts.push(filter);
  return { and: parts };
}

/** The filter of listed tickets: by the key of the team and the number, because an IssueFilter has no identifier. */
export function listedFilter(ids: readonly TicketId[]): IssueFilter {
  const numbers = new Map<string, number[]>();
  for (const id of ids) {
    const [, key, number] = IDENTIFIER.exec(id) ?? [];
    if (key !== undefined && number !== undefined) numbers.set(key, [...(numbers.get(key) ?? []), Number(number)]);
  }
  return matchAny([...numbers].map(([key, all]) => ({ team: { key: { eq: key } }, number: { in: all } })));
}

/** True for an id of the form `ENG-12`. */
export function isIdentifier(id: string): boolean {
  return IDENTIFIER.test(id);
}

const IDENTIFIER = /^([A-Za-z0-9]+)-(\d{1,9})$/;

/** Issues that one of the filters finds. Without a filter it finds none. */
export function matchAny(filters: readonly IssueFilter[]): IssueFilter {
  if (filters.length === 1 && filters[0] !== undefined) return filters[0];
  return filters.length === 0 ? withIds([]) : { or: filters };
}

/** Issues with these UUIDs. */
export function withIds(uuids: readonly string[]): IssueFilter {
  return { id: { in: uuids } };
}

/** Issues that were changed or commented after a time. */
export function changedSince(time: string): IssueFilter {
  return { or: [{ updatedAt: { gt: time } }, { comments: { some: { updatedAt: { gt: time } } } }] };
}

/** What has this name, or this id. */
function named(nameOrId: string): IssueFilter {
  return isUuid(nameOrId) ? { id: { eq: nameOrId } } : { name: { eq: nameOrId } };
}

async function viewFilters(view: string, requests: LinearRequests): Promise<readonly IssueFilter[]> {
  const { customViews } = await requests.query(VIEWS, { filter: named(view) }, ViewsAnswer);
  const views = customViews.nodes.filter(({ modelName }) => modelName === "Issue");
  const shown = JSON.stringify(plainText(view, 100));
  const [found, another] = views;
  if (found === undefined) throw new Error(`Linear has no view of issues ${shown}: correct tracker.view`);
  if (another !== undefined) throw new Error(`Linear has several views ${shown}: give tracker.view the id of one of them`);
  return [found.filterData, ...(found.team === null ? [] : [{ team: { id: { eq: found.team.id } } }])];
}

/** Finds whatever there is: a part of the query that the batch does not name. */
const ANYTHING = {};

/**
 * Throws if a query that found nothing names a team, project, cycle or label that Linear does not have, or that the token may not see:
 * an empty batch would hide a slip. It takes one request. A team without a current cycle has none for now, which is no slip.
 */
export async function refuseUnknownNames(spec: LinearSpec, requests: LinearRequests): Promise<void> {
  const { team, project, cycle, label } = spec;
  if (team === undefined && project === undefined && label === undefined) return;
  const teams = team === undefined ? ANYTHING : { key: { eq: team } };
  const variables = {
    teams,
    projects: project === undefined ? ANYTHING : named(project),
    labels: label === undefined ? ANYTHING : { name: { eq: label } },
    cycles: typeof cycle === "number" ? { number: { eq: cycle }, team: teams } : ANYTHING,
  };
  const found = await requests.query(NAMES, variables, NamesAnswer);
  const shown = (text: string): string => JSON.stringify(plainText(text, 100));
  const refuse = (what: string, key: keyof LinearSpec): never => {
    throw new Error(`Linear has no ${what}, or the token may not see it: correct tracker.${key}`);
  };
  if (team !== undefined && found.teams.nodes.length === 0) refuse(`team with the key ${shown(team)}`, "team");
  if (project !== undefined && found.projects.nodes.length === 0) refuse(`project ${shown(project)}`, "project");
  if (label !== undefined && found.issueLabels.nodes.length === 0) refuse(`label ${shown(label)}`, "label");
  if (typeof cycle === "number" && found.cycles.nodes.length === 0)
    refuse(`cycle ${cycle} of the team ${shown(team ?? "")}`, "cycle");
}
