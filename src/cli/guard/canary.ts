import { tmpdir } from "node:os";
import { canaryPayload, guardCanary, hookCommand, hookGroup, type InstalledHook, isBlockByRule } from "@loopdash/guard";
import { settingsOf } from "@loopdash/guard/program";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import { plainText } from "../../domain/values/text.ts";

/** Milliseconds that a hook may take to answer a canary. */
const PATIENCE_MS = 30_000;

/**
 * Runs a hook as the vendor's program would, on a command that it must block; the command is not run. Gives the reason if the hook
 * does not block it by a rule.
 */
export async function whyDead(vendor: VendorKind, hook: InstalledHook, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const at = hook.options.indexOf("--settings");
  const file = at === -1 ? undefined : hook.options[at + 1];
  const settings = settingsOf(file);
  if ("problem" in settings) return settings.problem;
  const command = guardCanary(settings);
  if (command === undefined) return "its settings switch off every rule that is tried";
  const { exitCode, stderr, problem } = await runBriefly(argvOf(vendor, hook), {
    env: Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    cwd: tmpdir(),
    timeoutMs: PATIENCE_MS,
    input: JSON.stringify(canaryPayload(vendor, { command, cwd: "/" })),
  });
  if (isBlockByRule(exitCode, stderr)) return undefined;
  if (exitCode === 0) return `it lets "${command}" pass`;
  return plainText(stderr.trim() || problem, 300);
}

function argvOf(vendor: VendorKind, hook: InstalledHook): readonly string[] {
  if (vendor === "opencode") return hookCommand(hook.program, { vendor, event: "before-tool", options: hook.options });
  return ["/bin/sh", "-c", hookGroup(vendor, hook).hooks[0]?.command ?? ""];
}
