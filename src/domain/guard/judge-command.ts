import { Guard } from "./guard.ts";
import { isWithin, normalPath, type Places, TEMP_FOLDERS } from "./paths.ts";
import { RULES, type RuleId } from "./rule-table.ts";
import { firstScope, type Scope } from "./shell/scope.ts";
import type { GuardContext, GuardVerdict } from "./verdict.ts";

/**
 * Judges a command line of a POSIX shell or bash, without running anything. It is a guard rail, and no wall: what a script file
 * does cannot be seen here. A line that loopdash cannot read is blocked, unless the settings say otherwise.
 */
export function judgeCommand(line: string, context: GuardContext): GuardVerdict {
  const guard = new Guard(placesOf(context), ruleSwitch(context));
  try {
    guard.line(line, scopeOf(context));
  } catch {
    // A defect of the parser or of a rule: the line is not understood.
    guard.report("unreadable");
  }
  return verdictOf(guard);
}

/** The judgement by the first rule that a guard has found to forbid something. */
export function verdictOf({ findings: [rule] }: Guard): GuardVerdict {
  if (rule === undefined) return { verdict: "allow" };
  const { reason, alternative } = RULES[rule];
  return { verdict: "block", rule, reason, alternative };
}

export function scopeOf(context: GuardContext): Scope {
  const { cwd, home, branch } = context;
  return firstScope({ cwd: normalPath(cwd), home: normalPath(home), branch, ...tempOf(context) });
}

function tempOf({ temp }: GuardContext): { temp?: string } {
  return temp === undefined || temp === "" ? {} : { temp: normalPath(temp) };
}

export function placesOf({ cwd, worktree = cwd, home, temp, kept = [] }: GuardContext): Places {
  const [tree, own] = [normalPath(worktree), normalPath(home)];
  return {
    worktree: isWithin(own, tree) ? undefined : tree,
    home: own,
    kept: kept.map(normalPath),
    temp: temp === undefined || temp === "" || normalPath(temp) === "/" ? TEMP_FOLDERS : [...TEMP_FOLDERS, normalPath(temp)],
  };
}

/** Tells which rules are switched on. */
export function ruleSwitch({ settings = {} }: GuardContext): (rule: RuleId) => boolean {
  const { families, rules, onParseError } = settings;
  return (rule) => (rule === "unreadable" ? onParseError !== "allow" : (rules?.[rule] ?? families?.[RULES[rule].family] ?? true));
}
