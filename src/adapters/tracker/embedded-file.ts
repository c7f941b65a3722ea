import { z } from "zod";
import { TicketId } from "../../domain/values/ids.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { readWholeFile, type WholeFile } from "./whole-file.ts";

const EmbeddedTicket = z.strictObject({
  id: TicketId,
  title: z.string(),
  body: z.string(),
  state: z.enum(["open", "done", "human-gated"]),
  humanStep: z.string().optional(),
  note: z.string().optional(),
});
export type EmbeddedTicket = z.infer<typeof EmbeddedTicket>;

const EmbeddedFile = z.strictObject({ version: z.literal(1), tickets: z.array(EmbeddedTicket).readonly() });

/** The largest file that is read, the same as the oracle's bound. Bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

/** An embedded tracker's file and its content. */
export interface EmbeddedRead {
  readonly file: WholeFile;
  readonly tickets: readonly EmbeddedTicket[];
}

/** Reads and checks the file; undefined if there is none. Malformed content is a UserError that names the file. */
export async function readEmbedded(path: string): Promise<EmbeddedRead | undefined> {
  const file = await readWholeFile(path, MAX_BYTES).catch((cause: unknown) => {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  });
  return file === undefined ? undefined : { file, tickets: parse(path, file.text) };
}

/** The file's text: one ticket per line, so that people can read and compare it. */
export function embeddedText(tickets: readonly EmbeddedTicket[]): string {
  return `{"version":1,"tickets":[\n${tickets.map((t) => JSON.stringify(t)).join(",\n")}\n]}\n`;
}

export function brokenTracker(path: string, why: string, cause?: unknown): UserError {
  const todo = "Put back a sound copy of the file, or start the batch again with --fresh.";
  return new UserError({
    what: `The tracker file ${JSON.stringify(path)} cannot be used`,
    why,
    todo,
    exitCode: EXIT.unjudged,
    cause,
  });
}

function parse(path: string, text: string): readonly EmbeddedTicket[] {
  const result = EmbeddedFile.safeParse(parseTrackerFile(path, text));
  if (!result.success) {
    const issue = result.error.issues[0];
    throw brokenTracker(path, `${(issue?.path ?? []).join(".") || "the top"}: ${issue?.message ?? "it is malformed"}`);
  }
  const seen = new Set<string>();
  for (const { id } of result.data.tickets) {
    if (seen.has(id)) throw brokenTracker(path, `ticket ${id} is in it twice`);
    seen.add(id);
  }
  return result.data.tickets;
}

function parseTrackerFile(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw brokenTracker(path, "it is not JSON: it is damaged or only partly written", cause);
  }
}
