import { GitMissing } from "./git-call.ts";
import type { GitAnswer, GitRequest } from "./git-helper.ts";
import { runGit } from "./run-git.ts";

/**
 * The helper's whole life: runs what the engine asks for, as it comes, until the engine lets go or is gone. What it was
 * asked and has not begun is then dropped; a git process that runs comes to its end by itself.
 */
export function serveGit(): Promise<void> {
  process.on("message", (request: GitRequest) => void answer(request));
  return new Promise((settle) => process.once("disconnect", settle));
}

async function answer({ id, cwd, call }: GitRequest): Promise<void> {
  const said = await runGit(cwd, call).then(
    (result): GitAnswer => ({ id, result }),
    (error: unknown): GitAnswer => ({
      id,
      error: { missing: error instanceof GitMissing, message: error instanceof Error ? error.message : String(error) },
    }),
  );
  if (process.connected) process.send?.(said);
}
