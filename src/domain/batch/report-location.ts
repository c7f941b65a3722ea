import { normalize } from "node:path/posix";
import { unfitForLine } from "./plain-words.ts";
import type { CheckReport, WrittenReport } from "./step-spec.ts";

/** Placeholder for the folder of one judgement, in a report's path and in a command's arguments. */
export const ARTIFACTS = "{artifacts}";

/** The source of a check's report: the command's output, or a file below one of the judgement's two folders. */
export type ReportLocation = { readonly in: "output" } | { readonly in: "artifacts" | "checkout"; readonly path: string };

/** The place that a report's path names. It has passed `unfitForReport`. */
export function reportLocation({ path }: WrittenReport): ReportLocation {
  if (path === "-") return { in: "output" };
  const below = path.startsWith(`${ARTIFACTS}/`);
  return { in: below ? "artifacts" : "checkout", path: normalize(below ? path.slice(ARTIFACTS.length + 1) : path) };
}

/** The reason why a report cannot be expected there, or undefined if it can. */
export function unfitForReport(report: CheckReport): string | undefined {
  if (report.format === "found") return undefined;
  const place = reportLocation(report);
  if (place.in === "output") return report.format === "tap" ? undefined : "only TAP can come from what the command prints";
  if (place.path.includes(ARTIFACTS)) return `${ARTIFACTS} may stand at its beginning only`;
  if (/^\/|^\.{1,2}(?:\/|$)|\/$/.test(place.path)) return "it must name a file below its folder";
  if (/^\.git(?:\/|$)/i.test(place.path)) return "git's own folder holds no reports";
  return unfitForLine(place.path);
}
