import type { Limits, Ticket } from "../batch/schema.ts";
import type { Contract, StepSpec } from "../batch/step-spec.ts";
import type { TicketId } from "../values/ids.ts";
import type { FrozenSet } from "./frozen-set.ts";

/** The finish lines of a batch, and of those tickets whose own differ from before. */
export interface FinishChange {
  readonly batch: readonly StepSpec[] | undefined;
  readonly testCommands: Readonly<Record<string, readonly string[]>> | undefined;
  readonly tickets: Readonly<Record<TicketId, readonly StepSpec[]>>;
}

/** Facts by which a person changes the batch of a run. */
export type GrowthFact =
  /** A person added a ticket. The engine files it in the tracker. */
  | {
      readonly type: "ticket-added";
      readonly added: Ticket;
      /** The name that the sender of the command gave it. */
      readonly request?: string;
    }
  /** A person changed the bounds of an unfinished run. Only the changed ones are given; `frozen` is the set before and after. */
  | {
      readonly type: "batch-changed";
      readonly limits?: Limits;
      readonly protect?: readonly string[];
      readonly finish?: FinishChange;
      /** The contracts that changed, by ticket; null: it has none any more. */
      readonly contracts?: Readonly<Record<TicketId, Contract | null>>;
      readonly frozen: { readonly before: FrozenSet; readonly after: FrozenSet };
    };
