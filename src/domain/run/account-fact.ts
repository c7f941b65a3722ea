import type { Party } from "../batch/party.ts";

/** The agents, or a reviewer, use another account or model of the batch from now on. */
export interface AccountFact {
  readonly type: "account-switched";
  readonly party: Party;
  /** Their numbers; the first is 0, and the others are those of `fallback` in their order. */
  readonly from: number;
  readonly to: number;
  /** The account in words; safe for a terminal. */
  readonly name: string;
  /** One sentence for people. */
  readonly why: string;
}
