import { phaseOf } from "../../domain/batch/contract-spec.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { isCriterion, type StepSpec, stepName, wantedExitCode } from "../../domain/batch/step-spec.ts";
import { displayText } from "../display-text.ts";

/** A ticket's contract by its file: `contract shop.md`; undefined if it has none. */
export function contractLabel({ contract }: Pick<Ticket, "contract">): string | undefined {
  return contract === undefined ? undefined : `contract ${displayText(contract.path)}`;
}

/** The contract and its criteria, as a list of at most one line. */
export function contractLines(ticket: Pick<Ticket, "contract" | "finish">): readonly string[] {
  const label = contractLabel(ticket);
  const names = ticket.finish.filter(isCriterion).map((step) => displayText(stepName(step)));
  return label === undefined ? [] : [`${label}: ${names.join(", ")}`];
}

/** What a step has to do with the ticket's contract, in a line; undefined if it is no criterion. */
export function criterionLabel(ticket: Pick<Ticket, "contract">, spec: StepSpec | undefined): string | undefined {
  if (spec?.step !== "check" || !isCriterion(spec)) return undefined;
  const phase = phaseOf(ticket.contract ?? {}, stepName(spec));
  const parts = [
    `a criterion of the ${contractLabel(ticket) ?? "contract"}`,
    ...(phase === undefined ? [] : [`phase ${displayText(phase)}`]),
    ...(spec.report === undefined ? [`must exit ${wantedExitCode(spec)}`] : []),
    ...(spec.criterion?.condition === undefined ? [] : [displayText(spec.criterion.condition)]),
  ];
  return parts.join(", ");
}
