import { z } from "zod";
import { hasControl, isPlaceholder, unfitForZone } from "../bound/zone-path.ts";
import { Argv } from "./prepare-command.ts";
import { minutes } from "./values.ts";

const ZonePath = z
  .string()
  .max(400)
  .superRefine((path, ctx) => {
    const unfit = unfitForZone(path);
    if (unfit !== undefined) ctx.addIssue({ code: "custom", message: `${unfit.message}; ${unfit.hint}` });
  });

const RuleText = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .refine((text) => !hasControl(text), "must be one line without control characters")
  .refine((text) => !isPlaceholder(text), "is a placeholder");

/** Boundaries that a batch sets beside those in the BOUND.md of its repositories. They count in every repository of the batch. */
export const BoundSpec = z
  .strictObject({
    zones: z
      .enum(["approve", "read-only"])
      .default("approve")
      .describe("A change of a danger zone waits for approval, or is refused and zones are mounted read-only"),
    waitMinutes: minutes
      .optional()
      .describe("Minutes that an idle run waits for approvals; default: none, they are left to a person"),
    dangerZones: z
      .array(
        z.union([
          ZonePath,
          z.strictObject({
            path: ZonePath.describe("By whole segments: * is a part of a name, ** any number of folders"),
            why: RuleText.optional().describe("The reason"),
          }),
        ]),
      )
      .max(200)
      .readonly()
      .default([])
      .describe("Paths that need a person's approval, relative to each repository"),
    neverDo: z.array(RuleText).max(200).readonly().default([]).describe("What agents must not do, for prompts and the reviewer"),
    ironLaws: z
      .array(
        z.union([
          RuleText,
          z.strictObject({
            command: Argv.describe("What exits 0 if the law holds"),
            why: RuleText.optional().describe("The law in words"),
          }),
        ]),
      )
      .max(50)
      .readonly()
      .default([])
      .describe("What always holds: a command that exits 0 on each candidate and on what landed, or prose"),
  })
  .describe("Boundaries beside those in BOUND.md (docs/use/bound.md)");
export type BoundSpec = z.infer<typeof BoundSpec>;
