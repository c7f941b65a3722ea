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
      .describe("A change of a danger zone waits for a person's approval, or is refused and the sandbox mounts zones read-only"),
    waitMinutes: minutes
      .optional()
      .describe(
        "Minutes that a run which has nothing else to do waits for approvals; default: it leaves the tickets to a person",
      ),
    dangerZones: z
      .array(
        z.union([
          ZonePath,
          z.strictObject({
            path: ZonePath.describe("The path, by whole segments: * stands for a part of a name, ** for any number of folders"),
            why: RuleText.optional().describe("The reason, for people"),
          }),
        ]),
      )
      .max(200)
      .readonly()
      .default([])
      .describe("Paths by whole segments, relative to the top of each repository; a change of them waits for a person"),
    neverDo: z
      .array(RuleText)
      .max(200)
      .readonly()
      .default([])
      .describe("Forbidden behaviour, in prose: for prompts and the reviewer"),
    ironLaws: z
      .array(
        z.union([
          RuleText,
          z.strictObject({
            command: Argv.describe("Program and arguments; exit 0 means that the law holds"),
            why: RuleText.optional().describe("The law in words"),
          }),
        ]),
      )
      .max(50)
      .readonly()
      .default([])
      .describe("What always holds: a command that exits 0 on every candidate and on what landed, or prose"),
  })
  .describe("Boundaries beside those in the BOUND.md of the repositories");
export type BoundSpec = z.infer<typeof BoundSpec>;
