import { type Caller, thisProcess } from "./caller.ts";
import { guardCheck, readGuardArgs } from "./check-command.ts";
import type { GuardHost } from "./guard-host.ts";
import { hook } from "./hook/hook.ts";

/**
 * Runs `guard check` or `hook`, which agents wait for before each command and which have a bundle of their own. Undefined if the
 * arguments need the parser of all verbs, for its help and its errors.
 */
export function runGuard(
  args: readonly string[],
  host: GuardHost,
  caller: Caller = thisProcess(),
): number | Promise<number> | undefined {
  const [verb, ...rest] = args;
  if (verb === "hook") return rest.length === 1 && /^(?:-h|--help)$/.test(rest[0] ?? "") ? undefined : hook(rest, caller, host);
  const request = readGuardArgs(rest.slice(1));
  return request === undefined ? undefined : guardCheck(request, caller);
}
