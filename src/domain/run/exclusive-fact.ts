import type { TicketId } from "../values/ids.ts";

/** Facts about exclusive names that another run of this machine holds. */
export type ExclusiveFact =
  /** A ready ticket does not start: another run holds the name. `by` is that run, if it is known. */
  | { readonly type: "exclusive-awaited"; readonly ticket: TicketId; readonly name: string; readonly by?: string }
  /** The other run has let it go. */
  | { readonly type: "exclusive-freed"; readonly name: string };

/** The holder of an exclusive name, as far as it is known. `since` in milliseconds: when it was first found held. */
export interface HeldElsewhere {
  readonly by?: string;
  readonly since: number;
}
