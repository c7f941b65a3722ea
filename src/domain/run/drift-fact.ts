import { createHash } from "node:crypto";
import type { TicketId } from "../values/ids.ts";
import { firstFewLine, plainText } from "../values/text.ts";
import { webAddress } from "../values/web-address.ts";

/** The state of a ticket, in loopdash's words. If a tracker cannot map its state, that is an error, not "open". */
export type TrackerState =
  | { readonly as: "open" }
  | { readonly as: "done" }
  | { readonly as: "human-gated"; readonly step: string };

/** Characters of what people call a ticket. */
const SERVICE_ID_CHARS = 40;

/** True if two states are the same; steps are compared without surrounding blanks. */
export function isSameState(a: TrackerState, b: TrackerState): boolean {
  return a.as === b.as && (a.as !== "human-gated" || b.as !== "human-gated" || a.step.trim() === b.step.trim());
}

/** A short hash of a text: 16 hexadecimal digits of its sha256. It recognises accidents, no attacks. */
export function textSha(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * A ticket's words in the tracker, as short hashes (see `textSha`), and its dependencies and the person that it is assigned to if
 * the tracker knows them.
 */
export interface TrackedWords {
  readonly titleSha: string;
  readonly bodySha: string;
  readonly dependsOn?: readonly TicketId[];
  /** The name of the person that it is assigned to, "" for nobody. */
  readonly assignee?: string;
}

/** A ticket as it is first read. It is on record, so nothing of it is checked again. */
export interface FirstReading extends TrackedWords {
  readonly id: TicketId;
  readonly revision: string;
  /** Where people find it in a browser, as `webAddress` gives it; absent if nowhere. */
  readonly url?: string;
  /** What people call it in the tracker, if that is not its id. Safe for a terminal. */
  readonly serviceId?: string;
  /** The reason why nobody may work on it. */
  readonly held?: string;
}

/**
 * The part of a ticket that goes on record when it is first read. An address that is none for people is left out, and a settled
 * ticket is not on hold.
 */
export function firstReading({ state, ...ticket }: FirstReading & { readonly state: TrackerState }): FirstReading {
  const { id, revision, held } = ticket;
  const url = ticket.url === undefined ? undefined : webAddress(ticket.url);
  const serviceId = plainText(ticket.serviceId ?? "", SERVICE_ID_CHARS);
  const hold = held !== undefined && state.as === "open" ? { held } : {};
  return { id, revision, ...trackedWords(ticket), url, serviceId: serviceId || undefined, ...hold };
}

/** A ticket of the tracker as the engine last saw or wrote it. A reading that differs from it is somebody's act. */
export interface TrackedTicket {
  readonly state: TrackerState;
  /** Hash of everything that the tracker keeps of the ticket; absent until it was read. */
  readonly revision?: string;
  readonly words?: TrackedWords;
  /** Where people find it in a browser, as it was first read. */
  readonly url?: string;
  /** What people call it in the tracker, if that is not its id. */
  readonly serviceId?: string;
  /** A person set the state. The engine never overwrites a settled one. */
  readonly isSetByPerson?: true;
  /** A write that was announced, and of which no reading has told yet whether it happened. */
  readonly pendingWrite?: TrackerState;
  /** The engine's last write: the revision that it replaced, and how often it was repeated because it did not persist. */
  readonly lastWrite?: { readonly before: string; readonly repeats: number };
  /** The reason why nobody may work on it: it is gone, cannot be read, or is on hold. Absent while it can be worked on. */
  readonly unavailable?: string;
  /** Set if it is unavailable because it cannot be read. */
  readonly unreadable?: true;
  /** Set if it is unavailable because it is on hold: it is there, and nobody may work on it. */
  readonly onHold?: true;
  /** An integration set it to done in answer to the commit that the engine landed, before the ticket's finish line has passed. */
  readonly closedByCommit?: true;
  /** Dependencies that were refused. They are looked at again, and reported once. */
  readonly refused?: readonly TicketId[];
  /** The last act of a person on it, in a few words. */
  readonly lastAct?: { readonly at: number; readonly text: string };
}

/** True if the tracker lacks a ticket, or has it in a form that cannot be read. One on hold is there. */
export function isMissing({ tracked }: { readonly tracked?: TrackedTicket }): boolean {
  return tracked?.unavailable !== undefined && !tracked.onHold;
}

/** What a person does about a ticket that is missing. */
export function missingRemedy({ tracked }: { readonly tracked?: TrackedTicket }): string {
  return tracked?.unreadable ? "correct it in the tracker" : "restore it in the tracker";
}

/** A ticket as it is seen for the first time. */
export function firstSeen(state: TrackerState, read: Omit<FirstReading, "id">): TrackedTicket {
  const { revision, held, url, serviceId } = read;
  const hold = held === undefined ? {} : { unavailable: held, onHold: true as const };
  const place = { ...(url !== undefined && { url }), ...(serviceId !== undefined && { serviceId }) };
  return { state, revision, words: trackedWords(read), ...place, ...hold };
}

/** The words alone. */
export function trackedWords({ titleSha, bodySha, dependsOn, assignee }: TrackedWords): TrackedWords {
  return { titleSha, bodySha, dependsOn, assignee };
}

/** A difference between the tracker and what the engine last saw or wrote there. Texts are safe for a terminal. */
export type TrackerChange =
  | { readonly kind: "closed" }
  /** An integration closed it in answer to the commit that the engine landed. It is done once its finish line has passed. */
  | { readonly kind: "closed-by-commit" }
  /** An integration closed it, although nothing has landed for it: the engine takes that back. */
  | { readonly kind: "closed-by-integration" }
  | { readonly kind: "reopened" }
  | { readonly kind: "gated"; readonly step: string }
  /**
   * The new text, bounded as in a batch. `isTooLate`: a finished change for the old one waits, which does not land. `retitled`: the
   * title is another one; `from` is the old one, and `isBodySame` is set if nothing else of it changed.
   */
  | {
      readonly kind: "rewritten";
      readonly title: string;
      readonly body: string;
      readonly isTooLate?: true;
      readonly retitled?: { readonly from: string; readonly isBodySame?: true };
    }
  /** `refused`: the reason why the plan stays as it is. */
  | { readonly kind: "dependencies"; readonly dependsOn: readonly TicketId[]; readonly refused?: string }
  /** `unreadable`: it is there, but cannot be read. */
  | { readonly kind: "vanished"; readonly why: string; readonly unreadable?: true }
  | { readonly kind: "returned" }
  /** It is there, and nobody may work on it: canceled, assigned to a person, or blocked by a ticket outside of the batch. */
  | { readonly kind: "held"; readonly why: string }
  | { readonly kind: "released" }
  /** A state in a file that only the engine writes and that an agent could have reached: the engine takes it back. */
  | { readonly kind: "taken-back"; readonly found: TrackerState["as"] };

/** Facts about the tracker. */
export type DriftFact =
  /** Tickets as they were first read. */
  | {
      readonly type: "tracker-read";
      readonly tickets: readonly FirstReading[];
    }
  /** The engine is about to set this state. `isRepeat`: its last write did not persist. */
  | { readonly type: "tracker-writing"; readonly ticket: TicketId; readonly state: TrackerState; readonly isRepeat?: true }
  /** The tracker has the state. `before` is the revision that the write replaced. */
  | {
      readonly type: "tracker-written";
      readonly ticket: TicketId;
      readonly state: TrackerState;
      readonly revision: string;
      readonly before?: string;
    }
  /** The tracker does not have the state that was announced: the same state, found later, is a person's act. */
  | { readonly type: "tracker-not-written"; readonly ticket: TicketId }
  /** Somebody else changed the ticket. One intervention (I7) for each decision. */
  | {
      readonly type: "tracker-drifted";
      readonly ticket: TicketId;
      readonly change: TrackerChange;
      /** The ticket as it is now; absent if it cannot be read. */
      readonly now?: { readonly revision: string } & TrackedWords;
    }
  /** The tracker has tickets that the batch does not name. They are ignored. At most 20 ids; `more` counts the rest. */
  | { readonly type: "tracker-others"; readonly ids: readonly string[]; readonly more: number };

/** The tracker as a whole. */
export interface TrackerStatus {
  /** Tickets that the batch does not name and that were reported. At most 500. */
  readonly others: readonly string[];
}

/** The status of a tracker that was not read yet. */
export const TRACKER_UNREAD: TrackerStatus = { others: [] };

/** Characters of a title in a line about its change. */
const QUOTED_TITLE = 100;

/** What became of a text: titles are quoted, because a change lands under the new one. */
function describeRewriting({ title, retitled }: Extract<TrackerChange, { kind: "rewritten" }>): string {
  if (retitled === undefined) return "rewritten in the tracker";
  const [from, to] = [retitled.from, title].map((text) => JSON.stringify(plainText(text, QUOTED_TITLE)));
  return `retitled in the tracker from ${from} to ${to}${retitled.isBodySame ? "" : ", and its text rewritten"}`;
}

/** The reason why the engine takes back what an integration did. */
export const BY_INTEGRATION = "closed by an integration before its work landed: a person must decide, and close it if it is done";

/** A change in a few words, for people. */
export function describeChange(change: TrackerChange): string {
  switch (change.kind) {
    case "closed":
      return "closed in the tracker";
    case "reopened":
      return "reopened in the tracker";
    case "gated":
      return `gated in the tracker: ${change.step}`;
    case "rewritten":
      return `${describeRewriting(change)}${change.isTooLate ? ": its finished change stays on its branch, and an agent gets the new text" : ""}`;
    case "dependencies":
      return change.refused === undefined
        ? `dependencies changed in the tracker: ${change.dependsOn.length === 0 ? "none" : firstFewLine(change.dependsOn, 8)}`
        : `new dependencies in the tracker refused: ${change.refused}`;
    case "vanished":
      return change.unreadable ? `cannot be read in the tracker: ${change.why}` : `vanished from the tracker: ${change.why}`;
    case "closed-by-commit":
      return "closed in the tracker in answer to its commit";
    case "closed-by-integration":
      return `${BY_INTEGRATION}; it is set back meanwhile`;
    case "returned":
      return "back in the tracker";
    case "held":
      return `on hold: ${change.why}`;
    case "released":
      return "no longer on hold in the tracker";
    case "taken-back":
      return `set to ${change.found} in a file that only loopdash writes: taken back`;
  }
}
