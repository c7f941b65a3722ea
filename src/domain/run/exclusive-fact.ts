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

/** The exclusive names that other runs hold. */
interface Exclusives {
  readonly heldElsewhere: Readonly<Record<string, HeldElsewhere>>;
}

/** Folds the events about names that other runs hold. */
export function reduceExclusive<S extends Exclusives>(state: S, event: ExclusiveFact & { readonly at: number }): S {
  const { [event.name]: before, ...others } = state.heldElsewhere;
  if (event.type === "exclusive-freed") return { ...state, heldElsewhere: others };
  const held = { ...(event.by === undefined ? {} : { by: event.by }), since: before?.since ?? event.at };
  return { ...state, heldElsewhere: { ...others, [event.name]: held } };
}
