import { randomBytes } from "node:crypto";
import { trackerProgram } from "../../adapters/tracker/command/tracker-program.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { bad, type CheckResult, checkLines, ok, plainCheck } from "../doctor/check-result.ts";
import { writeAll } from "../print.ts";
import { TrackerProbe } from "../tracker-probe.ts";
import { TRACKER_RULES, type TrackerRule } from "../tracker-rules.ts";

const MAX_FOUND = 1_000;

/**
 * Checks whether a tracker program keeps to the protocol, by requests in this folder and with this environment. It files two
 * tickets, `loopdash-check-…`, and leaves them done. Prints a line per rule. Exit 0 if all of them hold, else 1.
 */
export async function trackerCheck(command: readonly string[]): Promise<number> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const program = trackerProgram({ command, cwd: process.cwd(), environment: async () => env });
  const probe = new TrackerProbe(program, randomBytes(4).toString("hex"));
  const width = Math.max(...TRACKER_RULES.map(({ name }) => name.length));
  const broken = new Set<string>();
  for (const rule of TRACKER_RULES) {
    const result = await tryRule(rule, probe, broken);
    if (result.status === "bad") broken.add(rule.name);
    writeAll(1, `${checkLines(plainCheck(result), width).join("\n")}\n`);
  }
  if (broken.size > 0) writeLeft(await probe.leaveDone());
  writeAll(1, `\n${TRACKER_RULES.length - broken.size} ok, ${broken.size} bad\n`);
  return broken.size === 0 ? 0 : EXIT.notDone;
}

function writeLeft(ids: readonly string[]): void {
  if (ids.length > 0) writeAll(1, `\nleft in the tracker, perhaps not as done: ${ids.join(", ")}\n`);
}

async function tryRule(rule: TrackerRule, probe: TrackerProbe, broken: ReadonlySet<string>): Promise<CheckResult> {
  const unmet = rule.needs?.find((need) => broken.has(need));
  if (unmet !== undefined) return bad(rule.name, "not tried", `Keep the rule "${unmet}" first.`);
  try {
    return ok(rule.name, await rule.check(probe));
  } catch (error) {
    return bad(rule.name, errorMessage(error).slice(0, MAX_FOUND), rule.remedy);
  }
}
