import type { Report } from "./problem.ts";
import type { BatchFile } from "./schema.ts";

/** Programs whose sessions can be counted: they log them on this machine, with the usage of each answer. */
const COUNTED: ReadonlySet<string> = new Set(["claude", "codex"]);

/** Reports a limit on a number that nobody can count. */
export function checkLimits({ agent, reviewer, limits }: BatchFile, report: Report): void {
  if (!limits.countOtherSessions) return;
  const other = [agent, ...(reviewer === undefined ? [] : [reviewer])].find(({ kind }) => !COUNTED.has(kind));
  if (other === undefined) return;
  const message = `only for claude and codex: nobody can tell what other sessions of the kind "${other.kind}" have cost`;
  report(["limits", "countOtherSessions"], message, "leave it out");
}
