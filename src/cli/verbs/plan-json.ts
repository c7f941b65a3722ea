import type { Standing } from "../../domain/batch/merge-folder.ts";
import { type BatchProblem, formatProblems } from "../../domain/batch/problem.ts";
import type { Batch, Ticket } from "../../domain/batch/schema.ts";
import { firstComplexity } from "../../domain/run/reduce-complexity.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { specLabel } from "../../store/labels/tone.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { VERSION } from "../version.ts";

/** What a start would do, as `--dry-run` found it. */
export interface StartOutlook {
  /** The unfinished run that a start continues, or gives up. */
  readonly continues?: string;
  readonly givesUp?: string;
  /** Reasons for which a start would be refused, each with what to do. */
  readonly refusals: readonly { readonly why: string; readonly todo: string }[];
}

interface PlanOptions {
  readonly loaded: Pick<LoadedBatch, "batch" | "standings" | "path" | "file">;
  /** Tickets that can be worked on together, the first of them at once; without those of `standings`. */
  readonly layers: readonly (readonly Ticket[])[];
  /** The kind of the sandbox; undefined if there is none. */
  readonly sandbox: string | undefined;
  /** Markdown files of the ticket folder that are no tickets. */
  readonly notRead: readonly string[];
  readonly outlook: StartOutlook;
  /** Where changes land, if that is at a forge too; one line for each such repository. */
  readonly landings: readonly string[];
  readonly warnings: readonly BatchProblem[];
}

/** The output of `--dry-run --json`: one document. */
export function planJson({ loaded, layers, sandbox, notRead, outlook, landings, warnings }: PlanOptions): string {
  const { batch, standings, path, file } = loaded;
  const layerOf = new Map(layers.flatMap((layer, i) => layer.map(({ id }) => [id, i + 1] as const)));
  const { continues = null, givesUp = null, refusals } = outlook;
  const plan = {
    loopdash: VERSION,
    batch: batch.name,
    file: plainText(path),
    ok: refusals.length === 0,
    repos: Object.keys(batch.repos),
    landings: landings.map((line) => plainText(line)),
    limits: batch.limits,
    sandbox: sandbox ?? null,
    tickets: batch.tickets.map((ticket) => planTicket(batch, ticket, layerOf.get(ticket.id), standings.get(ticket.id))),
    notRead,
    start: { continues, givesUp, refusals: refusals.map(({ why, todo }) => ({ why: plainText(why), todo: plainText(todo) })) },
    warnings: warnings.map((warning) => plainText(formatProblems(file, [warning]))),
  };
  return jsonText(plan, 2);
}

function planTicket(batch: Batch, ticket: Ticket, layer: number | undefined, standing: Standing | undefined) {
  const { id, title, repo, dependsOn, exclusive, finish, fixes = [], redFirst = false, contract } = ticket;
  return {
    id,
    title: plainText(title),
    repo,
    dependsOn,
    exclusive,
    fixes,
    redFirst,
    contract: contract === undefined ? null : { path: plainText(contract.path), sha: contract.sha },
    complexity: firstComplexity(batch, ticket).complexity ?? null,
    finish: finish.map(specLabel),
    layer: standing === undefined ? (layer ?? null) : null,
    standing: standing === undefined ? null : { as: standing.as, text: standing.text },
  };
}
