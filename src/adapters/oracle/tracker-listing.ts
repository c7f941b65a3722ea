import type { TrackerPlace } from "../../ports/oracle.ts";
import { layOutCommand } from "./frozen-command.ts";
import { refuseChanged } from "./frozen-file.ts";
import { plainLine } from "./oracle-output.ts";
import { runOracle } from "./oracle-process.ts";

/** Limit of a listing. Characters. */
const MAX_LISTING = 64 * 1024 * 1024;

/** What the program of a tracker runs with. */
export interface ListingOptions {
  /** The whole environment; asked for each run, because secrets in it are renewed. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly how?: "background" | undefined;
}

/** The program of a tracker ran, and gave no listing: nothing can be judged. Any other error is a fault of the machine. */
export class NoListing extends Error {
  override readonly name = "NoListing";
}

/** Runs the frozen program of a tracker once, and gives what it printed. Throws a NoListing if it did not end with 0 by itself. */
export async function printedListing(
  { program, folder }: Extract<TrackerPlace, { kind: "command" }>,
  { environment, deadlineMs, signal, how }: ListingOptions,
): Promise<string> {
  const { argv, files } = await layOutCommand(new TextEncoder().encode(program), folder);
  const env = await environment();
  const common = { who: "the tracker's program", maxOutput: MAX_LISTING, folder, env, deadlineMs, signal, how, family: true };
  const exit = await runOracle({ ...common, argv });
  await refuseChanged(files);
  if ("problem" in exit) throw exit.ran ? new NoListing(exit.problem) : new Error(exit.problem);
  if (exit.exitCode === 0) return exit.stdout;
  const why = plainLine(exit.stderr.trimEnd().split("\n").at(-1) ?? "");
  throw new NoListing(`the tracker's program exited with code ${exit.exitCode}${why === "" ? "" : `: ${why}`}`);
}
