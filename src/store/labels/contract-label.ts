import type { Ticket } from "../../domain/batch/schema.ts";
import { findCheckPhase, isCriterion, type StepSpec, stepName, wantedExitCode } from "../../domain/batch/step-spec.ts";
import { displayText } from "../format.ts";

/** A ticket's contract by its file: `contract shop.md`; undefined if it has none. */
export function contractLabel({ contract }: Pick<Ticket, "contract">): string | undefined {
  return contract === undefined ? undefined : `contract ${displayText(contract.path)}`;
}

/** Gives the contract and its criteria in one line; empty without a contract. */
export function contractLines(ticket: Pick<Ticket, "contract" | "finish">): readonly string[] {
  const label = contractLabel(ticket);
  const names = ticket.finish.filter(isCriterion).map((step) => displayText(stepName(step)));
  return label === undefined ? [] : [`${label}: ${names.join(", ")}`];
}

/** Describes a step as a criterion of the ticket's contract, in a line; undefined if it is none. */
export function criterionLabel(ticket: Pick<Ticket, "contract">, spec: StepSpec | undefined): string | undefined {
  if (spec?.step !== "check" || !isCriterion(spec)) return undefined;
  const phase = findCheckPhase(ticket.contract ?? {}, stepName(spec));
  const parts = [
    `a criterion of the ${contractLabel(ticket) ?? "contract"}`,
    ...(phase === undefined ? [] : [`phase ${displayText(phase)}`]),
    ...(spec.report === undefined ? [`must exit ${wantedExitCode(spec)}`] : []),
    ...(spec.criterion?.condition === undefined ? [] : [displayText(spec.criterion.condition)]),
  ];
  return parts.join(", ");
}
