import { randomBytes } from "node:crypto";
import { trackerProgram } from "../../adapters/tracker/command/tracker-program.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { checkLines, plainCheck, type ShownCheck } from "../doctor/check-result.ts";
import { writeAll } from "../print.ts";
import { TrackerProbe } from "../tracker-probe.ts";
import { TRACKER_RULES, type TrackerRule } from "../tracker-rules.ts";

const MAX_FOUND = 1_000;

type TriedRule = ShownCheck & { readonly status: "ok" | "bad" | "skip" };

/**
 * Checks whether a tracker program keeps to the protocol, by requests in this folder and with this environment. It files two
 * tickets, `loopdash-check-…`, and leaves them done. Prints a line per rule. Exit 1 if one of them is broken, else 0.
 */
export async function trackerCheck(command: readonly string[]): Promise<number> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const program = trackerProgram({ command, cwd: process.cwd(), environment: async () => env });
  const probe = new TrackerProbe(program, randomBytes(4).toString("hex"));
  const width = Math.max(...TRACKER_RULES.map(({ name }) => name.length));
  const unkept = new Set<string>();
  const counts = { ok: 0, bad: 0, skip: 0 };
  for (const rule of TRACKER_RULES) {
    const result = await tryRule(rule, probe, unkept);
    if (result.status !== "ok") unkept.add(rule.name);
    counts[result.status] += 1;
    writeAll(1, `${checkLines(plainCheck(result), width).join("\n")}\n`);
  }
  if (unkept.size > 0) writeLeft(await probe.leaveDone());
  writeAll(1, `\n${counts.ok} ok, ${counts.bad} bad${counts.skip === 0 ? "" : `, ${counts.skip} not tried`}\n`);
  return counts.bad === 0 ? 0 : EXIT.notDone;
}

function writeLeft(ids: readonly string[]): void {
  if (ids.length > 0) writeAll(1, `\nleft in the tracker, perhaps not as done: ${ids.join(", ")}\n`);
}

/** Tries a rule, unless one that it needs is broken or was not tried. */
async function tryRule(rule: TrackerRule, probe: TrackerProbe, unkept: ReadonlySet<string>): Promise<TriedRule> {
  const unmet = rule.needs?.find((need) => unkept.has(need));
  if (unmet !== undefined)
    return { check: rule.name, status: "skip", found: `not tried: it needs the rule "${unmet}"`, fix: null };
  try {
    return { check: rule.name, status: "ok", found: await rule.check(probe), fix: null };
  } catch (error) {
    return { check: rule.name, status: "bad", found: errorMessage(error).slice(0, MAX_FOUND), fix: rule.remedy };
  }
}
