import { z } from "zod";
import { Argv } from "./prepare-command.ts";
import { SecretName } from "./secret-spec.ts";

/** What a notice tells, and whether a route has it by default. */
export const NOTICE_KINDS = ["needs-you", "stalled", "limit", "incident", "ended", "engine-died", "landed", "slept"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** The kinds of a route that names none: what a person who is away wants to know at once. */
export const MILESTONES: readonly NoticeKind[] = ["needs-you", "stalled", "limit", "incident", "ended", "engine-died"];

const time = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const Url = z.url({ protocol: /^https?$/, error: "write an address such as https://ntfy.example/topic" });

const common = {
  on: z
    .array(z.enum(NOTICE_KINDS))
    .min(1)
    .readonly()
    .optional()
    .describe(`What it is told; default: ${MILESTONES.join(", ")}`),
  quiet: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/, 'write it as "22:00-07:00"')
    .optional()
    .describe("Hours of this machine's clock in which nothing is sent; it follows afterwards"),
  digest: z.string().regex(time, 'write it as "08:00"').optional().describe("One message a day, at this time"),
};

const address = {
  url: Url.optional().describe("Its address"),
  urlSecret: SecretName.optional().describe("The secret with its address, in place of url"),
};

/** One receiver of notices. */
const NotifyRoute = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("command").describe("A program of this machine, which gets the text on its standard input (mail(1), say)"),
    command: Argv.describe("The program; {batch} stands for this file's folder"),
    ...common,
  }),
  z.strictObject({
    kind: z.literal("webhook").describe("JSON by POST, signed (docs/use/notices.md#webhooks)"),
    ...address,
    signSecret: SecretName.describe("The secret that signs it, by HMAC-SHA256"),
    ...common,
  }),
  z.strictObject({ kind: z.literal("slack").describe("An incoming webhook of Slack"), ...address, ...common }),
  z.strictObject({ kind: z.literal("discord").describe("A webhook of Discord"), ...address, ...common }),
  z.strictObject({
    kind: z.literal("ntfy").describe("A topic of ntfy"),
    ...address,
    tokenSecret: SecretName.optional().describe("The secret with its access token"),
    ...common,
  }),
]);
export type NotifyRoute = z.infer<typeof NotifyRoute>;

/** Who is told while nobody looks. */
export const NotifySpec = z
  .array(NotifyRoute)
  .min(1)
  .max(10)
  .readonly()
  .describe("Who is told while nobody looks (docs/use/notices.md)");
export type NotifySpec = z.infer<typeof NotifySpec>;
