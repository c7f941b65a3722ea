import type { TicketId } from "../values/ids.ts";

/** A person's request to the forge about a pull request. */
export type ForgeRequest =
  /** Start the failed checks of this commit again. */
  | { readonly kind: "rerun"; readonly head: string; readonly names: readonly string[] }
  /** Request a review of the person with this login. */
  | { readonly kind: "review"; readonly login: string };

/** Facts of such a request. The intent stands before the effect; an engine that finds no end of it asks again. */
export type ForgeRequestFact =
  | {
      readonly type: "forge-request-started";
      readonly ticket: TicketId;
      /** The number of the pull request. */
      readonly number: number;
      readonly request: ForgeRequest;
    }
  | {
      readonly type: "forge-request-ended";
      readonly ticket: TicketId;
      readonly number: number;
      readonly request: ForgeRequest;
      /** The reason if nothing came of it, in one line that is safe for a terminal; absent if the forge has done it. */
      readonly problem?: string;
    };

/** True for a fact of a person's request to the forge. */
export function isAboutForgeRequest<T extends { readonly type: string }>(fact: T): fact is Extract<T, ForgeRequestFact> {
  return fact.type === "forge-request-started" || fact.type === "forge-request-ended";
}

/** Describes a request for the list of interventions. */
export function requestNote(request: ForgeRequest): string {
  return request.kind === "rerun" ? "started failed checks again" : `requested a review of ${request.login}`;
}
