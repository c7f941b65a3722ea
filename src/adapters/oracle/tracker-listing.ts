import type { TrackerPlace } from "../../ports/oracle.ts";
import { exchange } from "../executor/exchange.ts";
import { describeEnding } from "../executor/exchange-ending.ts";
import { layOutCommand } from "./frozen-command.ts";
import { refuseChanged } from "./frozen-file.ts";

/** Limit of a listing. Bytes. */
const MAX_LISTING = 64 * 1024 * 1024;

/** What the program of a tracker runs with. */
export interface ListingOptions {
  /** The whole environment; asked for each run, because secrets in it are renewed. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Milliseconds. */
  readonly deadlineMs: number;
  /** Takes secrets out of what the program printed, before any of it is cut. */
  readonly mask?: ((text: string) => string) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The program of a tracker ran, and gave no listing: nothing can be judged. Any other error is a fault of the machine. */
export class NoListing extends Error {
  override readonly name = "NoListing";
}

/** Runs the frozen program of a tracker once, and gives what it printed. Throws a NoListing if it did not end with 0 by itself. */
export async function printedListing(
  { program, folder }: Extract<TrackerPlace, { kind: "command" }>,
  { environment, deadlineMs: timeoutMs, mask = (text) => text, signal }: ListingOptions,
): Promise<string> {
  const { argv, files } = await layOutCommand(new TextEncoder().encode(program), folder);
  const limits = { timeoutMs, maxBytes: MAX_LISTING };
  const ending = await exchange({ argv, cwd: folder, env: await environment(), input: "", ...limits, signal });
  await refuseChanged(files);
  if (ending.how === "exited" && ending.exitCode === 0) return decoded(ending.stdout);
  const why = `the tracker's program ${describeEnding(ending, { ...limits, mask })}`;
  throw ending.how === "failed-to-start" ? new Error(why) : new NoListing(why);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new NoListing("the tracker's program printed bytes that are not UTF-8", { cause });
  }
}
