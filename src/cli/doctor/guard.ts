import { mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GuardProgram, installGuard, tryGuard } from "../../adapters/agent/guard-files.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { confinedExecutor } from "../../adapters/sandbox/confined-executor.ts";
import type { FoundSandbox } from "../../adapters/sandbox/find-sandbox.ts";
import { resolveWorkerGuard } from "../../domain/batch/guard-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";

interface GuardOptions {
  readonly batch: Pick<Batch, "agent" | "guard" | "sandbox">;
  readonly find: (options: { readonly path: string }) => Promise<FoundSandbox>;
  readonly program: GuardProgram;
  readonly path: string;
}

const FIX =
  'Install loopdash again. A run goes on without its guard in the sandbox, and ends its attempts without one; "guard": false needs none.';

/** Tries the guard of the batch's agent as each attempt does: the hook of its program must block a command, in the sandbox if there is one. */
export async function checkGuard({ batch, find, program, path }: GuardOptions): Promise<readonly CheckResult[]> {
  const { agent, sandbox: mode } = batch;
  const guard = resolveWorkerGuard(batch);
  if (guard === undefined) return [warn("guard", "the batch switches it off", 'Leave "guard" out of the batch file.')];
  if (agent.kind === "command") return [ok("guard", "an agent of your own asks it by $LOOPDASH_GUARD")];
  const vendor = agent.kind;
  const found = mode === "off" ? undefined : await find({ path });
  const isConfined = found?.ok === true;
  const executor = isConfined ? confinedExecutor(createExecutor(), found.sandbox) : createExecutor();
  const where = isConfined ? "in the sandbox" : "without a sandbox";
  return await withProbeFolder(realpathSync(tmpdir()), async (folder) => {
    const worktree = join(folder, "worktree");
    mkdirSync(worktree);
    let dead: string | undefined;
    const onDead = (why: string): void => {
      dead = why;
    };
    const files = { folder: join(folder, "guard"), report: join(folder, "report.jsonl") };
    const task = { ...files, settings: guard.settings, onDead, outbox: undefined };
    const installed = await installGuard(vendor, program, task);
    const { signal } = new AbortController();
    await tryGuard(installed, {
      executor,
      env: { PATH: path },
      task: { logFile: join(folder, "log"), marker: `doctor-${folder}`, signal, worktree },
      confinement: isConfined ? { write: [folder], read: installed.read, mounts: [], sockets: [] } : undefined,
    });
    if (dead !== undefined) return [bad("guard", `the hook of ${vendor} is dead ${where}: ${dead}`, FIX)];
    return [ok("guard", `the hook of ${vendor} blocks a test command ${where}`)];
  });
}
