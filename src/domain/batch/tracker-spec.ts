import { z } from "zod";
import { Argv, Variables } from "./argv.ts";

/**
 * `local`: `path` names a folder of Markdown tickets; without it, the inline tickets seed an embedded tracker. `command`: a program
 * that speaks for any other tracker (docs/tracker-program.md).
 */
export const TrackerSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("local").describe("Tickets on this machine"),
      path: z
        .string()
        .min(1)
        .optional()
        .describe("A folder of Markdown tickets, absolute or relative to this file; else those below are used"),
    }),
    z.strictObject({
      kind: z.literal("command").describe("Tickets of any other tracker, through a program of yours"),
      command: Argv.describe("The program, which gets one more argument: snapshot, taken, set or file"),
      env: Variables.optional(),
      seconds: z.number().positive().max(600).optional().describe("Time limit of one request (60)"),
    }),
  ])
  .describe("Where the tickets truly live");
export type TrackerSpec = z.infer<typeof TrackerSpec>;

/** A tracker behind a program. */
export type TrackerProgramSpec = Extract<TrackerSpec, { kind: "command" }>;

/** The folder in which a tracker keeps its tickets as files; undefined if it has none. */
export function ticketFolderOf(tracker: TrackerSpec): string | undefined {
  return tracker.kind === "local" ? tracker.path : undefined;
}

/** True if people write the tickets where they are kept. False for the tickets in a batch file: the run keeps a copy of its own. */
export function isKeptOutside(tracker: TrackerSpec): boolean {
  return tracker.kind === "command" || tracker.path !== undefined;
}
