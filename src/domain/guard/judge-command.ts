import { Guard } from "./guard.ts";
import { isWithin, normalPath, type Places, TEMP_FOLDERS } from "./paths.ts";
import { RULES, type RuleId } from "./rule-table.ts";
import { firstScope } from "./shell/scope.ts";
import type { GuardContext, GuardSettings, GuardVerdict } from "./verdict.ts";

/**
 * Judges a command line of a POSIX shell or bash, without running anything. It is a guard rail, and no wall: what a script file
 * does cannot be seen here. A line that loopdash cannot read is blocked, unless the settings say otherwise.
 */
export function judgeCommand(line: string, context: GuardContext): GuardVerdict {
  const { settings = {} } = context;
  const guard = new Guard(placesOf(context), (rule) => isEnabled(rule, settings));
  try {
    guard.line(line, firstScope({ cwd: normalPath(context.cwd), home: normalPath(context.home), ...tempOf(context) }));
  } catch {
    // A defect of the parser or of a rule: the line is not understood.
    guard.report("unreadable");
  }
  const rule = guard.findings[0];
  if (rule === undefined) return { verdict: "allow" };
  const { reason, alternative } = RULES[rule];
  return { verdict: "block", rule, reason, alternative };
}

function tempOf({ temp }: GuardContext): { temp?: string } {
  return temp === undefined || temp === "" ? {} : { temp: normalPath(temp) };
}

function placesOf({ cwd, worktree = cwd, home, temp }: GuardContext): Places {
  const [tree, own] = [normalPath(worktree), normalPath(home)];
  return {
    worktree: isWithin(own, tree) ? undefined : tree,
    home: own,
    temp: temp === undefined || temp === "" || normalPath(temp) === "/" ? TEMP_FOLDERS : [...TEMP_FOLDERS, normalPath(temp)],
  };
}

function isEnabled(rule: RuleId, { families, rules, onParseError }: GuardSettings): boolean {
  if (rule === "unreadable") return onParseError !== "allow";
  return rules?.[rule] ?? families?.[RULES[rule].family] ?? true;
}
