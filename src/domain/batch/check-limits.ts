import type { NoteProblem } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import { vendorsWith } from "./vendors.ts";

/** Programs whose sessions can be counted. */
const COUNTED: readonly string[] = vendorsWith(({ logsSessions }) => logsSessions === true);

/** Reports a limit on a number that nobody can count. */
export function checkLimits({ agent, reviewer, limits }: BatchFile, report: NoteProblem): void {
  if (!limits.countOtherSessions) return;
  const other = [agent, ...(reviewer === undefined ? [] : [reviewer])].find(({ kind }) => !COUNTED.includes(kind));
  if (other === undefined) return;
  const message = `only for ${COUNTED.join(" and ")}: nobody can tell what other sessions of the kind "${other.kind}" have cost`;
  report(["limits", "countOtherSessions"], message, "leave it out");
}
