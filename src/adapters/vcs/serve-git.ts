import { GitMissing } from "./git-call.ts";
import type { GitAnswer, GitRequest } from "./git-helper.ts";
import { runGit } from "./run-git.ts";

/**
 * The helper's whole life: runs what the engine asks for, as it comes, until the engine lets go or is gone. What it was
 * asked and has not begun is then dropped; a git process that runs comes to its end by itself.
 */
export function serveGit(): Promise<void> {
  process.on("message", (request: GitRequest) => void answer(request));
  const over = new Promise<void>((settle) => process.once("disconnect", settle));
  tell({ ready: true });
  return over;
}

async function answer({ id, cwd, call }: GitRequest): Promise<void> {
  const said = await runGit(cwd, call).then(
    (result): GitAnswer => ({ id, result }),
    (error: unknown): GitAnswer => ({
      id,
      error: { missing: error instanceof GitMissing, message: error instanceof Error ? error.message : String(error) },
    }),
  );
  tell(said);
}

/** An engine that is gone needs no answer. */
function tell(what: GitAnswer): void {
  if (process.connected) process.send?.(what);
}
