import { plainText } from "../../../../domain/values/text.ts";
import type { LinearRequests } from "../client/requests.ts";
import { LabelsAnswer, StatesAnswer } from "../read/answers.ts";
import { LABELS, STATES } from "../read/documents.ts";
import { derivedUuid } from "../ticket/uuid.ts";
import { createOnce, requireSuccess } from "./writes.ts";

/** The id of the label of exactly this name that the team's issues can have. Creates it for the team if there is none. */
export async function labelId(requests: LinearRequests, name: string, team: string): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const { issueLabels } = await requests.query(LABELS, { name }, LabelsAnswer);
    const fits = issueLabels.nodes.filter(
      (label) => label.name === name && !label.isGroup && label.retiredAt === null && (label.team ?? { id: team }).id === team,
    );
    // The team's own one first: a workspace may have both.
    return (fits.find((label) => label.team !== null) ?? fits[0])?.id;
  };
  const found = await find();
  if (found !== undefined) return found;
  const id = derivedUuid("label", team, name);
  await createOnce(
    async () => requireSuccess(await requests.sdk((client) => client.createIssueLabel({ id, name, teamId: team }))),
    async () => (await find()) !== undefined,
  );
  return (await find()) ?? id;
}

/** The states of one team's workflow. */
export type TeamStates = readonly {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: number;
  readonly team: { readonly key: string };
}[];

/** The states of a team's workflow, in order. */
export async function readStates(requests: LinearRequests, team: string): Promise<TeamStates> {
  const { workflowStates } = await requests.query(STATES, { team }, StatesAnswer);
  return workflowStates.nodes.toSorted((a, b) => a.position - b.position);
}

/** Throws if a team of the issues has no completed state of this name: a run would find that out once its work has landed. */
export async function checkDoneState(requests: LinearRequests, teams: Iterable<string>, name: string | undefined): Promise<void> {
  for (const team of teams) doneState(await readStates(requests, team), name);
}

/** The state that done tickets get: the one of this name, or the first completed one. Throws if the team has none. */
export function doneState(states: TeamStates, name: string | undefined): string {
  const team = plainText(states[0]?.team.key ?? "", 40);
  if (name === undefined) return firstStateId(states, ["completed"]);
  const shown = JSON.stringify(plainText(name, 80));
  const named = states.filter((state) => state.name === name);
  const state = named.find(({ type }) => type === "completed");
  if (state !== undefined) return state.id;
  if (named[0] === undefined) throw new Error(`team ${team} of Linear has no state ${shown}: correct tracker.doneState`);
  const type = plainText(named[0].type, 40);
  throw new Error(
    `the state ${shown} of team ${team} in Linear is of the type ${type}, not completed: correct tracker.doneState`,
  );
}

/** The first state of the first of these types that the team has. Throws if it has none of them. */
export function firstStateId(states: TeamStates, types: readonly string[]): string {
  const found = types.flatMap((type) => states.find((state) => state.type === type) ?? [])[0];
  if (found !== undefined) return found.id;
  const team = plainText(states[0]?.team.key ?? "", 40);
  throw new Error(`team ${team} of Linear has no state of the type ${types.join(" or ")}`);
}
