import type { Trial } from "../../domain/review/trial.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { ReviewerTask } from "../../ports/reviewer.ts";
import type { Repo } from "../../ports/vcs.ts";
import { confineTrial, placeOf } from "../programs/confine.ts";
import type { ProgramContext } from "../programs/context.ts";
import { howItEnded } from "../programs/output.ts";
import { runIn } from "../programs/run-in.ts";
import { besideMarker, type StepScope } from "../programs/scope.ts";

/** Minutes that one command may take. */
const MINUTES = 10;

/** A sandbox shows a command of the batch the files that it names, and its program's folder. No word of a reviewer opens anything. */
const NAMED_BY_NOBODY = ["/bin/sh", "-c", 'exec "$@"', "sh"] as const;

/** The trials of one question, on one copy of the change: what a command changes in it, the next one finds. */
export interface Trials {
  readonly tryOut: ReviewerTask["tryOut"];
  /** Ends what runs, and removes the copy. */
  end(): Promise<void>;
}

/**
 * Runs commands of a reviewer on a copy of the change, one after another, each in a sandbox of its own: without the reviewer's processes,
 * prompt, answer and files, and without a network. The copy is made for the first one. Without a sandbox they run as the user.
 */
export function openTrials(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  options: {
    /** A question's own name, for the log and the copy. */
    readonly name: string;
    /** The path at which the reviewer reads the change. In a command it stands for the copy. */
    readonly checkout: string;
    /** Checks the change out at a path. */
    readonly copyTo: (path: string) => Promise<void>;
  },
): Trials {
  const { name, checkout } = options;
  const copy = ctx.files.checkoutPath(scope.ticket.id, `${name}-trial`);
  const place = ctx.confined ? placeOf(ctx, repo, copy) : copy;
  const over = new AbortController();
  const marker = besideMarker(scope.marker, "trial");
  const own = { ...scope, marker, signal: AbortSignal.any([scope.signal, over.signal]) };
  let copied: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const run = async (argv: readonly [string, ...string[]]): Promise<Trial> => {
    try {
      own.signal.throwIfAborted();
      copied ??= options.copyTo(copy);
      await copied;
      const confinement = confineTrial(ctx, repo, { from: copy, at: place, write: true });
      const command = [...NAMED_BY_NOBODY, ...argv.map((word) => word.replaceAll(checkout, place))] as const;
      const toRun = { argv: command, cwd: copy, confinement, log: `${name}-trial`, minutes: MINUTES };
      const result = await runIn({ ...ctx, commandFiles: () => [] }, own, toRun);
      const exitCode = result.ending === "exited" && result.signal === null ? result.exitCode : null;
      return { exitCode, ended: howItEnded(result), output: result.tail };
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
