import { parseContractText } from "../../src/adapters/contract/contract-file.ts";
import { withCriteria } from "../../src/domain/batch/contract-steps.ts";
import { formatProblems } from "../../src/domain/batch/problem.ts";
import { readContract } from "../../src/domain/batch/read-contract.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";

const FINISH: readonly StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];

/** A ticket's finish line and contract, as a batch that names this file freezes them. `front` is its front matter. */
export function underContract(
  front: string,
  { body = "", finish = FINISH }: { readonly body?: string; readonly finish?: readonly StepSpec[] } = {},
): Pick<Ticket, "finish" | "contract"> {
  const text = `---\n${front}\n---\n${body}`;
  const read = readContract("contracts/c.md", parseContractText(text), { taken: [], hosts: [] });
  if (!read.ok) throw new Error(formatProblems("", read.problems));
  return { finish: withCriteria(finish, read), contract: read.contract };
}
