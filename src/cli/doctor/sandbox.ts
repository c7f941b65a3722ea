import { existsSync } from "node:fs";
import type { FoundSandbox } from "../../adapters/sandbox/find-sandbox.ts";
import type { SandboxMode } from "../../domain/batch/schema.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";

/** Finds a sandbox that hides `state`, if that exists, and tests it; see the adapter. */
type FindSandbox = (options: { readonly path: string; readonly state?: string }) => Promise<FoundSandbox>;

const BROKEN = "Do not run agents with it. Update it, and look whether its program was replaced or wrapped.";

/**
 * Checks that there is a sandbox and that it holds, by the same trial as at the start of a run: a process in it tries to escape,
 * and must fail. `mode` is the batch's, or a batch's default without one. `place` is the folder of the state, which the sandbox
 * has to protect from agents.
 */
export async function checkSandbox({
  mode,
  find,
  path,
  place,
}: {
  readonly find: FindSandbox;
  readonly path: string;
  readonly place: string;
  readonly mode: SandboxMode;
}): Promise<readonly CheckResult[]> {
  if (mode === "off") {
    const fix = 'Set "sandbox" to "required" in the batch file, or leave it out.';
    return [warn("sandbox", "the batch switches it off: agents and commands have your rights", fix)];
  }
  const found = await find({ path, state: existsSync(place) ? place : undefined });
  if (!found.ok && found.escapes !== undefined) return [bad("sandbox-canary", found.why, BROKEN)];
  if (!found.ok) return [(mode === "required" ? bad : warn)("sandbox", `none: ${found.why}`, found.todo)];
  const { sandbox, version, bounds, lacks } = found;
  return [
    ok("sandbox", `${sandbox.kind} ${version}; each in it may use ${bounds}`),
    ok("sandbox-canary", "a process in it could not change, see or reach anything outside"),
    ...lacks.map(({ why, todo }) => warn("sandbox-limits", why, todo)),
  ];
}
