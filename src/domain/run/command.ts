import { z } from "zod";
import type { WholeChange } from "../review/shown-change.ts";
import { TicketId } from "../values/ids.ts";

/** The exact step that is left to a person: 1 to 500 characters on one line. */
export const HumanStep = z
  .string()
  .trim()
  .min(1, "say the exact step that is left")
  .max(500)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "one line of plain text");

/** The login of a person at a forge. */
export const Login = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, "a login has letters, digits, - and _");

/** A person's command. The engine may refuse it; the refusal is an event with its reason. */
export const Command = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("kill"), ticket: TicketId }),
  z.strictObject({ type: z.literal("gate"), ticket: TicketId, step: HumanStep }),
  z.strictObject({ type: z.literal("pause") }),
  z.strictObject({ type: z.literal("unpause") }),
  z.strictObject({ type: z.literal("stop") }),
  z.strictObject({ type: z.literal("judge") }),
  /** Retries one or several stalled tickets, with as many attempts as fresh ones have. */
  z.strictObject({ type: z.literal("retry"), ticket: z.union([TicketId, z.array(TicketId).min(1)]) }),
  /** Checks at once what has landed and is not live: one ticket, or all of them. */
  z.strictObject({
    type: z.literal("verify"),
    ticket: TicketId.optional(),
    /** A random name by which the sender recognises what came of this command. */
    request: z.string().min(1).max(64).optional(),
  }),
  /** Sets the number of worker slots. Working agents keep theirs until they end. */
  z.strictObject({ type: z.literal("workers"), workers: z.int().min(1).max(64) }),
  /** Heals the harness once the running attempts are over. Nothing new starts before that. */
  z.strictObject({ type: z.literal("heal") }),
  /** Cancels a requested heal that has not begun. */
  z.strictObject({ type: z.literal("drop-heal") }),
  /** Adds a ticket to the batch, as a ticket file writes it. */
  z.strictObject({
    type: z.literal("add"),
    ticket: z.record(z.string(), z.json()),
    /** A random name by which the sender recognises what came of this command. */
    request: z.string().min(1).max(64).optional(),
  }),
  /** Starts the failed checks of a ticket's pull request again. */
  z.strictObject({ type: z.literal("rerun-checks"), ticket: TicketId }),
  /** Requests a person's review of a ticket's pull request. */
  z.strictObject({ type: z.literal("request-review"), ticket: TicketId, login: Login }),
  /** Reverts a ticket's landed change, and opens the ticket again. */
  z.strictObject({
    type: z.literal("revert"),
    ticket: TicketId,
    /** A random name by which the sender recognises what came of this command. */
    request: z.string().min(1).max(64).optional(),
  }),
  /** Lets exactly this change of danger zones land. `commit` is the candidate that the person has looked at. */
  z.strictObject({
    type: z.literal("approve"),
    ticket: TicketId,
    commit: z.string().regex(/^[0-9a-f]{7,64}$/, "name the commit by at least 7 of its digits"),
  }),
  /** Notes something that a person did to the run outside the dashboard, so that it is counted. */
  z.strictObject({ type: z.literal("note"), kind: z.enum(["work", "harness"]), text: HumanStep }),
]);
export type Command = z.infer<typeof Command>;

/** A ticket as a person wrote it, not checked yet. */
export type RawTicket = Extract<Command, { type: "add" }>["ticket"];

/** A client's message on a run's socket: commands only. Checked on arrival; a bad line is answered by closing the connection. */
export const ClientMessage = z.strictObject({ kind: z.literal("command"), command: Command });
export type ClientMessage = z.infer<typeof ClientMessage>;

/** The reason why a command was not even sent; undefined if it was. One line for people. */
export type RefusalReason = string | undefined;

/** The commands as functions. Each only asks: the engine may refuse, and reports that by an event. */
export interface RunActions {
  kill(ticket: TicketId): RefusalReason;
  gate(ticket: TicketId, step: string): RefusalReason;
  retry(ticket: TicketId | readonly TicketId[]): RefusalReason;
  verify(ticket?: TicketId): RefusalReason;
  pause(): RefusalReason;
  unpause(): RefusalReason;
  stop(): RefusalReason;
  judge(): RefusalReason;
  setWorkers(workers: number): RefusalReason;
  heal(): RefusalReason;
  dropHeal(): RefusalReason;
  note(kind: "work" | "harness", text: string): RefusalReason;
  add(ticket: RawTicket): RefusalReason;
  rerunChecks(ticket: TicketId): RefusalReason;
  requestReview(ticket: TicketId, login: string): RefusalReason;
  approve(ticket: TicketId, shown: WholeChange): RefusalReason;
  revert(ticket: TicketId): RefusalReason;
}

/** The approval of a change. It is made of what a person was shown whole. */
export function approveCommand(ticket: TicketId, { commit }: WholeChange): Extract<Command, { type: "approve" }> {
  return { type: "approve", ticket, commit };
}

/** The functions over a sender, which passes a command to the engine or refuses it. */
export function runActions(send: (command: Command) => RefusalReason): RunActions {
  return {
    kill: (ticket) => send({ type: "kill", ticket }),
    gate: (ticket, step) => send({ type: "gate", ticket, step }),
    retry: (ticket) => send({ type: "retry", ticket: typeof ticket === "string" ? ticket : [...ticket] }),
    verify: (ticket) => send({ type: "verify", ...(ticket === undefined ? {} : { ticket }) }),
    pause: () => send({ type: "pause" }),
    unpause: () => send({ type: "unpause" }),
    stop: () => send({ type: "stop" }),
    judge: () => send({ type: "judge" }),
    setWorkers: (workers) => send({ type: "workers", workers }),
    heal: () => send({ type: "heal" }),
    dropHeal: () => send({ type: "drop-heal" }),
    note: (kind, text) => send({ type: "note", kind, text }),
    add: (ticket) => send({ type: "add", ticket }),
    rerunChecks: (ticket) => send({ type: "rerun-checks", ticket }),
    requestReview: (ticket, login) => send({ type: "request-review", ticket, login }),
    approve: (ticket, shown) => send(approveCommand(ticket, shown)),
    revert: (ticket) => send({ type: "revert", ticket }),
  };
}
