import type { Trial } from "../../domain/review/trial.ts";
import { errorMessage } from "../../domain/values/text.ts";
import type { ReviewerTask } from "../../ports/reviewer.ts";
import type { Repo } from "../../ports/vcs.ts";
import { confineTrial, sandboxCheckoutPath } from "../programs/confine.ts";
import { howItEnded, runIn } from "../programs/run-in.ts";
import { besideMarker, type ProgramContext, type StepScope } from "../programs/scope.ts";

/** Minutes that one command may take. */
const MINUTES = 10;
/** The part of the time after which a silent reviewer is ended: it prints nothing while it waits. */
const OF_SILENCE = 0.5;

/**
 * Starts the words of a reviewer. A sandbox shows a command the folder of its program, so the program is the shell here: no word of a
 * reviewer opens anything.
 */
const STARTER = ["/bin/sh", "-c", 'exec "$@"', "sh"] as const;

/** What the trials of one question need. */
interface TrialOptions {
  readonly name: string;
  readonly checkout: string;
  readonly copyTo: (path: string) => Promise<void>;
}

/**
 * Runs commands of a reviewer one after another on a copy of the change, each in a sandbox of its own: without the reviewer's processes,
 * prompt, answer and files, and without a network. `copyTo` makes the copy for the first one; in a command, the path of the checkout stands
 * for it. Without a sandbox they run as the user. `end` ends what runs, and removes the copy.
 */
export function openTrials(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  { name, checkout, copyTo }: TrialOptions,
): Pick<ReviewerTask, "tryOut"> & { end(): Promise<void> } {
  const copy = ctx.files.checkoutPath(scope.ticket.id, `${name}-trial`);
  const place = ctx.confined ? sandboxCheckoutPath(ctx, repo, copy) : copy;
  const minutes = Math.min(MINUTES, ctx.batch.limits.silenceMinutes * OF_SILENCE);
  const over = new AbortController();
  const signal = AbortSignal.any([scope.signal, over.signal]);
  const own = { ...scope, signal, marker: besideMarker(scope.marker, "trial") };
  let copied: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const run = async (argv: readonly [string, ...string[]]): Promise<Trial> => {
    try {
      signal.throwIfAborted();
      copied ??= copyTo(copy);
      await copied;
      const confinement = confineTrial(ctx, repo, { from: copy, at: place, write: true });
      const command = [...STARTER, ...argv.map((word) => word.replaceAll(checkout, place))] as const;
      const toRun = { argv: command, cwd: copy, confinement, log: `${name}-trial`, minutes };
      const result = await runIn({ ...ctx, commandFiles: () => [] }, own, toRun);
      return { exitCode: result.ending === "exited" ? result.exitCode : null, ended: howItEnded(result), output: result.tail };
    } catch (error) {
      return { exitCode: null, ended: `was not run: ${errorMessage(error)}`, output: "" };
    }
  };
  return {
    tryOut: (argv) => {
      const next = last.then(() => run(argv));
      last = next;
      return next;
    },
    end: async () => {
      over.abort();
      await last;
      await ctx.files.remove(copy);
    },
  };
}
