import { errorMessage } from "../../../domain/values/text.ts";
import { GitMissing } from "./git-call.ts";
import type { GitAnswer, GitCancel, GitRequest } from "./git-helper.ts";
import { killBounded } from "./process-groups.ts";
import { runGit } from "./run-git.ts";

/**
 * Runs the helper: starts git as the engine asks, until the engine closes the channel or ends. Requests that have not begun are
 * then dropped; a running git process finishes by itself, and a bounded one is killed.
 */
export function serveGit(): Promise<void> {
  const open = new Map<number, AbortController>();
  process.on("message", (message: GitRequest | GitCancel) => {
    if ("cancel" in message) return open.get(message.cancel)?.abort();
    void answer(message, open);
  });
  const over = new Promise<void>((settle) =>
    process.once("disconnect", () => {
      killBounded();
      settle();
    }),
  );
  tell({ ready: true });
  return over;
}

async function answer({ id, cwd, call }: GitRequest, open: Map<number, AbortController>): Promise<void> {
  const stop = new AbortController();
  if (call.bounded !== undefined) open.set(id, stop);
  const said = await runGit(cwd, call, stop.signal).then(
    (result): GitAnswer => ({ id, result }),
    (error: unknown): GitAnswer => ({
      id,
      error: { missing: error instanceof GitMissing, message: errorMessage(error) },
    }),
  );
  open.delete(id);
  tell(said);
}

/** An engine that has ended needs no answer. */
function tell(what: GitAnswer): void {
  if (process.connected) process.send?.(what);
}
