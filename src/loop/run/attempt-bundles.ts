import { join } from "node:path";
import { copiedPaths } from "../../domain/batch/copy-spec.ts";
import { attemptBundle, attemptCommits, type EndedAttempt } from "../../domain/bundle/attempt-bundle.ts";
import { attemptPage } from "../../domain/bundle/attempt-page.ts";
import { BUNDLE_JSON, BUNDLE_MD } from "../../domain/bundle/bundle.ts";
import { CAPTURED_PATCH, CHANGE_STAT, describeFile, LEFT_OUT, REFLECTION } from "../../domain/bundle/describe-file.ts";
import { diffStat } from "../../domain/bundle/diff-stat.ts";
import { isActivity, type RunEvent } from "../../domain/run/event.ts";
import { ticketById } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { Fence, TicketId } from "../../domain/values/ids.ts";
import { serialQueue } from "../../domain/values/serial-queue.ts";
import { errorMessage, hasErrorCode, plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { AttemptFiles } from "../../ports/run-files.ts";
import { type LoopContext, ticketRepo } from "../attempt/context.ts";
import { touchedProtected } from "../steps/gates.ts";

/** Bytes of a patch in a bundle. */
const PATCH_BYTES = 4_000_000;

/** Characters of the reason that a bundle could not be written. */
const WHY_CHARS = 300;

/** An attempt that has ended: its ticket, its number and its fence. */
interface Ended {
  readonly ticket: TicketId;
  readonly n: number;
  readonly events: readonly RunEvent[];
}

/**
 * Writes the bundles of ended attempts, one after the other. `attempt-ended` announces each, and a fact of its own says what became of
 * it. An attempt without that fact gets its bundle from the next engine.
 */
export class AttemptBundles {
  readonly #ctx: LoopContext;
  /** The facts of attempts under way, by fence. */
  readonly #facts = new Map<Fence, RunEvent[]>();
  readonly #queue = serialQueue();
  #writing = 0;

  constructor(ctx: LoopContext) {
    this.#ctx = ctx;
  }

  /** True while a bundle is to be written. */
  get isWriting(): boolean {
    return this.#writing > 0;
  }

  /** Remembers what an attempt's bundle tells. */
  note(event: RunEvent): void {
    if (!("fence" in event) || event.type === "report-dropped") return;
    const facts = event.type === "attempt-claimed" ? [] : this.#facts.get(event.fence);
    if (facts === undefined) return;
    facts.push(event);
    this.#facts.set(event.fence, facts);
  }

  /** Writes the bundle of an attempt that has ended now. Never throws. */
  write({ ticket, fence }: Extract<RunEvent, { type: "attempt-ended" }>): Promise<void> {
    const events = this.#facts.get(fence) ?? [];
    this.#facts.delete(fence);
    const n = ticketById(this.#ctx.state(), ticket).history.at(-1)?.n;
    return n === undefined ? Promise.resolve() : this.#inTurn({ ticket, n, events });
  }

  /** Writes the bundles that earlier engines did not: of attempts that were lost with one, or on a full disk. Never throws. */
  complete(): Promise<void> {
    const missing = [...vecItems(this.#ctx.state().tickets)].flatMap(({ id, history }) =>
      history.flatMap(({ n, bundleSha }) => (bundleSha === undefined ? [`${id} ${n}`] : [])),
    );
    if (missing.length === 0) return Promise.resolve();
    const facts = collectFacts(this.#ctx.events(), new Set(missing));
    return Promise.all(facts.map((ended) => this.#inTurn(ended))).then(() => undefined);
  }

  #inTurn(ended: Ended): Promise<void> {
    this.#writing += 1;
    return this.#queue(() => this.#bundle(ended));
  }

  async #bundle(ended: Ended): Promise<void> {
    const { ticket, n: attempt } = ended;
    const fact = await writeBundle(this.#ctx, ended).then(
      (made) => ({ type: "attempt-bundled", ticket, attempt, ...made }) as const,
      (error: unknown) => ({ type: "attempt-not-bundled", ticket, attempt, why: whyNot(error) }) as const,
    );
    this.#writing -= 1;
    // The last report lets the run end.
    this.#ctx.report(fact);
  }
}

function whyNot(error: unknown): string {
  return hasErrorCode(error, "ENOSPC", "EDQUOT") ? "the disk is full" : plainText(errorMessage(error), WHY_CHARS);
}

/** Writes the bundle of one attempt into its folder: first the page, and last the list that names it. */
async function writeBundle(ctx: LoopContext, { ticket: id, n, events }: Ended): Promise<{ sha256: string; files: number }> {
  const { run, batch, state, files } = ctx;
  const past = ticketById(state(), id).history.find((each) => each.n === n);
  if (past === undefined) throw new Error(`${id} has no attempt ${n}`);
  const ticket = plannedTicket(state().plan, id);
  const folder = await files.attempt(id, n);
  const unwritten = await writeChange(ctx, folder, { ticket, events });
  await writeReflections(ctx, folder, { ticket: id, n });
  const listing = await files.list(folder.folder, [...LEFT_OUT, BUNDLE_JSON, BUNDLE_MD]);
  const listed = listing.files.map((file) => ({ ...file, description: describeFile(file.path) }));
  const ended: EndedAttempt = { run, batch: batch.name, ticket, past, events };
  const leftOut = [...listing.leftOut, ...unwritten];
  const page = attemptPage(attemptBundle(ended, { files: listed, leftOut }), ticket);
  const sum = await files.writeWhole(join(folder.folder, BUNDLE_MD), page);
  const all = [...listed, { path: BUNDLE_MD, ...sum, description: describeFile(BUNDLE_MD) }];
  const text = `${JSON.stringify(attemptBundle(ended, { files: all, leftOut }), undefined, 2)}\n`;
  const { sha256 } = await files.writeWhole(join(folder.folder, BUNDLE_JSON), text);
  return { sha256, files: all.length };
}

/** Writes the change of the attempt as a patch, unless that is there, and its lines by file. Gives what could not be written. */
async function writeChange(
  ctx: LoopContext,
  { folder, patch }: AttemptFiles,
  { ticket, events }: Pick<EndedAttempt, "ticket" | "events">,
): Promise<readonly { readonly path: string; readonly why: string }[]> {
  const commits = attemptCommits(events);
  if (commits === undefined) return [];
  const isKept = await ctx.files.exists(patch);
  const file = isKept ? patch : join(folder, CAPTURED_PATCH);
  try {
    const repo = ticketRepo(ctx, ticket);
    const copied = copiedPaths(ctx.batch.repos[repo.id]?.copy);
    if (copied.length > 0 && touchedProtected(await repo.change(commits), copied).length > 0)
      throw new Error("it has a file that the batch copies");
    if (!isKept) await repo.writePatch({ ...commits, file, maxBytes: PATCH_BYTES });
  } catch (error) {
    if (hasErrorCode(error, "ENOSPC", "EDQUOT")) throw error;
    return [{ path: CAPTURED_PATCH, why: whyNot(error) }];
  }
  await ctx.files.writeWhole(join(folder, CHANGE_STAT), diffStat(await ctx.files.tail(file, PATCH_BYTES)));
  return [];
}

/** Writes the entry of the attempt in the reflective log, and the log of its ticket so far. */
async function writeReflections(
  { state, files }: LoopContext,
  { folder }: AttemptFiles,
  { ticket, n }: { readonly ticket: TicketId; readonly n: number },
): Promise<void> {
  const { reflections = [] } = ticketById(state(), ticket);
  const entry = reflections.find(({ what }) => what.attempt === n);
  if (entry === undefined) return;
  await files.writeWhole(join(folder, REFLECTION), `${JSON.stringify(entry, undefined, 2)}\n`);
  await files.writeWhole(files.reflectiveLog(ticket), reflections.map((each) => `${JSON.stringify(each)}\n`).join(""));
}

/** The facts of some attempts, `<ticket> <n>` each, from the whole journal. */
function collectFacts(events: Iterable<RunEvent>, wanted: ReadonlySet<string>): readonly Ended[] {
  const byFence = new Map<Fence, { ticket: TicketId; n: number; events: RunEvent[] }>();
  for (const event of events) {
    if (!("fence" in event) || event.type === "report-dropped" || isActivity(event)) continue;
    if (event.type === "attempt-claimed" && wanted.has(`${event.ticket} ${event.attempt}`))
      byFence.set(event.fence, { ticket: event.ticket, n: event.attempt, events: [] });
    byFence.get(event.fence)?.events.push(event);
  }
  return [...byFence.values()];
}
