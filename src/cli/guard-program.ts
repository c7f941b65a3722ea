import { guardCheck, readGuardArgs } from "./guard-check.ts";
import { hook } from "./hook/hook.ts";

/**
 * What runs before the commands of agents, in a bundle of its own: `guard check` and `hook`. Undefined if the arguments need the
 * parser of all verbs, for its help and its errors.
 */
export function runGuard(args: readonly string[]): number | Promise<number> | undefined {
  const [verb, ...rest] = args;
  if (verb === "hook") return rest.length === 1 && /^(?:-h|--help)$/.test(rest[0] ?? "") ? undefined : hook(rest);
  const request = readGuardArgs(rest.slice(1));
  return request === undefined ? undefined : guardCheck(request);
}
