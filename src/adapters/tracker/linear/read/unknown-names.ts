import type { LinearSpec } from "../../../../domain/batch/tracker-spec.ts";
import { plainText } from "../../../../domain/values/text.ts";
import type { LinearRequests } from "../client/requests.ts";
import { NamesAnswer } from "./answers.ts";
import { NAMES } from "./documents.ts";
import { named } from "./issue-filter.ts";

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
