import { Guard } from "./guard.ts";
import { isWithin, normalPath, type Places, TEMP_FOLDERS } from "./paths.ts";
import { RULES, type RuleId } from "./rule-table.ts";
import { firstScope, type ShellScope } from "./shell/scope.ts";
import type { GuardContext, GuardVerdict } from "./verdict.ts";

/**
 * Judges a command line of a POSIX shell or bash, without running anything. It is a guard rail, and no wall: what a script file
 * does cannot be seen here. A line that loopdash cannot read is blocked, unless the settings say otherwise.
 */
export function judgeCommand(line: string, context: GuardContext): GuardVerdict {
  return judgement(context, (guard) => guard.line(line, contextScope(context)));
}

/** The judgement by the first rule that forbids something. What takes longer than the context allows cannot be read. */
export function judgement(context: GuardContext, look: (guard: Guard) => void): GuardVerdict {
  const guard = new Guard(guardPlaces(context), ruleSwitch(context));
  const { limited = (work) => work() } = context;
  const whole = (): true => {
    look(guard);
    return true;
  };
  try {
    if (limited(whole) === undefined) guard.report("unreadable");
  } catch {
    // A defect of the parser or of a rule: the line is not understood.
    guard.report("unreadable");
  }
  const [rule] = guard.findings;
  if (rule === undefined) return { verdict: "allow" };
  const { reason, alternative } = RULES[rule];
  return { verdict: "block", rule, reason, alternative };
}

export function contextScope(context: GuardContext): ShellScope {
  const { cwd, home, branch } = context;
  return firstScope({ cwd: normalPath(cwd), home: normalPath(home), branch, ...normalTemp(context) });
}

function normalTemp({ temp }: GuardContext): { temp?: string } {
  return temp === undefined || temp === "" ? {} : { temp: normalPath(temp) };
}

function guardPlaces({ cwd, worktree = cwd, home, temp, kept = [] }: GuardContext): Places {
  const [tree, own] = [normalPath(worktree), normalPath(home)];
  return {
    worktree: isWithin(own, tree) ? undefined : tree,
    home: own,
    kept: kept.map(normalPath),
    temp: temp === undefined || temp === "" || normalPath(temp) === "/" ? TEMP_FOLDERS : [...TEMP_FOLDERS, normalPath(temp)],
  };
}

/** Tells which rules are switched on. */
function ruleSwitch({ settings = {} }: GuardContext): (rule: RuleId) => boolean {
  const { families, rules, onParseError } = settings;
  return (rule) => (rule === "unreadable" ? onParseError !== "allow" : (rules?.[rule] ?? families?.[RULES[rule].family] ?? true));
}
