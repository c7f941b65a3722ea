import { z } from "zod";
import { TicketId } from "../values/ids.ts";

/** The exact step that is left to a person: 1 to 500 characters on one line. */
export const HumanStep = z
  .string()
  .trim()
  .min(1, "say the exact step that is left")
  .max(500)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "one line of plain text");

/** A person's command. The engine may refuse it; the refusal is an event with its reason. */
export const Command = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("kill"), ticket: TicketId }),
  z.strictObject({ type: z.literal("gate"), ticket: TicketId, step: HumanStep }),
  z.strictObject({ type: z.literal("pause") }),
  z.strictObject({ type: z.literal("unpause") }),
  z.strictObject({ type: z.literal("stop") }),
  z.strictObject({ type: z.literal("judge") }),
  /** Retries a stalled ticket, with as many attempts as a fresh one has. */
  z.strictObject({ type: z.literal("retry"), ticket: TicketId }),
  /** Sets the number of worker slots. Working agents keep theirs until they end. */
  z.strictObject({ type: z.literal("workers"), workers: z.int().min(1).max(64) }),
  /** Heals the harness once the running attempts are over. Nothing new starts before that. */
  z.strictObject({ type: z.literal("heal") }),
  /** Cancels a requested heal that has not begun. */
  z.strictObject({ type: z.literal("drop-heal") }),
  /** Notes something that a person did to the run outside the dashboard, so that it is counted. */
  z.strictObject({ type: z.literal("note"), kind: z.enum(["work", "harness"]), text: HumanStep }),
]);
export type Command = z.infer<typeof Command>;
