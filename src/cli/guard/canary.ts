import { tmpdir } from "node:os";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import { hookCommand } from "../../domain/guard/hooks/hook-settings.ts";
import { hookGroup, type InstalledHook } from "../../domain/guard/install/own-hook.ts";
import { plainText } from "../../domain/values/text.ts";

/** Milliseconds that a hook may take to answer a canary. */
const PATIENCE_MS = 30_000;

/** Commands that no settings of a person let pass together. */
const CANARIES = ["git reset --hard", "rm -rf /"];

const SHELL_TOOL: Readonly<Record<VendorKind, string>> = {
  claude: "Bash",
  codex: "Bash",
  gemini: "run_shell_command",
  opencode: "bash",
};

/**
 * Runs a hook as the vendor's program would, on commands that it must block; they are not run. Gives the reason if it blocks none
 * of them by a rule.
 */
export async function whyDead(vendor: VendorKind, hook: InstalledHook, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  let why = "";
  for (const command of CANARIES) {
    const input = JSON.stringify({ cwd: "/", tool_name: SHELL_TOOL[vendor], tool_input: { command } });
    const { exitCode, stderr, problem } = await runBriefly(argvOf(vendor, hook), {
      env: Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      cwd: tmpdir(),
      timeoutMs: PATIENCE_MS,
      input,
    });
    if (exitCode === 2 && /the guard blocks this \(/.test(stderr)) return undefined;
    const said = stderr.trim() === "" ? (exitCode === 0 ? "" : problem) : stderr.trim();
    why = exitCode === 0 ? `it lets "${command}" pass` : plainText(said, 300);
  }
  return why;
}

function argvOf(vendor: VendorKind, hook: InstalledHook): readonly string[] {
  if (vendor === "opencode") return hookCommand(hook.program, { vendor, event: "before-tool", options: hook.options });
  return ["/bin/sh", "-c", hookGroup(vendor, hook).hooks[0]?.command ?? ""];
}
