import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tests } from "@loopdash/test-evidence";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { isTicketName } from "../../adapters/tracker/ticket-file.ts";
import { canBeBilled } from "../../domain/batch/api-key-guard.ts";
import type { Route } from "../../domain/batch/complexity-spec.ts";
import { protectGroups } from "../../domain/batch/default-protect.ts";
import type { Standing } from "../../domain/batch/merge-folder.ts";
import { formatProblems } from "../../domain/batch/problem.ts";
import type { Batch, Ticket } from "../../domain/batch/schema.ts";
import { localTicketFolder } from "../../domain/batch/tracker-spec.ts";
import { COMPLEXITIES } from "../../domain/complexity/classes.ts";
import { firstComplexity } from "../../domain/run/reduce-complexity.ts";
import { topologicalOrder } from "../../domain/schedule/plan.ts";
import { firstFewLine, plainText, plural } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { specLabel } from "../../store/labels/tone.ts";
import { describeApiKeys, findApiKeys, howToAllow } from "../engine/api-key-guard.ts";
import { changesSince } from "../engine/changed-batch.ts";
import { findReports, findRules, findTestCommands } from "../engine/find-in-bases.ts";
import { hasBegun } from "../engine/journal-state.ts";
import { type LoadedBatch, loadBatch } from "../engine/load-batch.ts";
import { preflight } from "../engine/preflight.ts";
import { secretsOf } from "../engine/run-secrets.ts";
import { writeAll } from "../print.ts";
import type { Request } from "../program.ts";
import { stateHome } from "../state-home.ts";
import { testCommandLines } from "../test-command-lines.ts";
import { planJson, type StartOutlook } from "./plan-json.ts";

type RunRequest = Extract<Request, { verb: "run" }>;

/** Prints the first steps of a run and their order, as lines or as JSON. Makes every check of a start, but starts and writes nothing. */
export async function dryRun(request: RunRequest): Promise<number> {
  const { batch: file, workers, output } = request;
  const options = { cwd: process.cwd(), findTests: findTestCommands, findReports, findRules, workers };
  const loaded = await loadBatch(file, options);
  const { sandbox, warnings, landings } = await preflight(loaded, {
    env: process.env,
    cwd: process.cwd(),
    isLookOnly: true,
    secrets: loaded.outside?.secrets ?? secretsOf(loaded.batch, { folder: loaded.folder, env: process.env }),
  });
  const { batch } = loaded;
  const notRead = await filesNotRead(localTicketFolder(batch.tracker));
  const unfinished = await unfinishedRun(loaded, request);
  const stray = await strayKeys(loaded, request, sandbox !== undefined);
  const all = [...loaded.warnings, ...warnings];
  if (output === "json") {
    const refusals = [...unfinished.refusals, ...(batch.tickets.length > 0 ? [] : [NO_TICKETS]), ...stray];
    const outlook = { ...unfinished, refusals };
    writeAll(
      1,
      planJson({ loaded, landings, layers: openLayers(loaded), sandbox: sandbox?.kind, notRead, outlook, warnings: all }),
    );
    return 0;
  }
  const lines = [
    ...planLines(loaded, sandbox === undefined ? "none; agents and checks would run with your rights" : sandbox.kind),
    ...(landings.length === 0 ? [] : ["", ...landings]),
    ...(notRead.length === 0 ? [] : ["", `not read as tickets: ${notRead.join(", ")}`]),
    ...(batch.tickets.length > 0 ? [] : ["", `a start would be refused: ${NO_TICKETS.why}`]),
    ...unfinishedLines(unfinished),
    "",
    "nothing was started",
  ];
  writeAll(1, `${lines.map((text) => plainText(text)).join("\n")}\n`);
  for (const { why } of stray) writeAll(2, `loopdash: a start would be refused: ${plainText(why)} (see --allow-api-key)\n`);
  if (all.length > 0) writeAll(2, `${formatProblems(file, all)}\n`);
  return 0;
}

const NO_TICKETS = {
  why: "the query of the tracker selects no tickets",
  todo: 'Look at the keys of "tracker".',
};

/** The keys for which a start would be refused. */
async function strayKeys(
  loaded: LoadedBatch,
  { allowApiKey }: RunRequest,
  isConfined: boolean,
): Promise<StartOutlook["refusals"]> {
  if (allowApiKey || !canBeBilled(loaded.batch, isConfined)) return [];
  const found = await findApiKeys(process.env, loaded);
  return describeApiKeys(found).map((why) => ({ why, todo: howToAllow(found) }));
}

/** What becomes of the batch's unfinished run: a start continues it, gives it up, or refuses to. */
async function unfinishedRun(loaded: LoadedBatch, { fresh, acceptChanges }: RunRequest): Promise<StartOutlook> {
  const home = stateHome(process.env, process.cwd());
  if (!existsSync(home.db)) return { refusals: [] };
  const store = openRunStore(home.db);
  try {
    const row = store.unfinished(loaded.path);
    if (row === undefined || !hasBegun(store, row.run)) return { refusals: [] };
    if (fresh) return { givesUp: row.run, refusals: [] };
    await changesSince({ loaded, row, store, acceptChanges: acceptChanges ? "all" : undefined });
    return { continues: row.run, refusals: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { refusals: [{ why: `${error.what}: ${error.why}`, todo: error.todo }] };
  } finally {
    store.close();
  }
}

function unfinishedLines({ continues, givesUp, refusals }: StartOutlook): readonly string[] {
  if (givesUp !== undefined) return ["", `a start gives up the unfinished run ${givesUp}`];
  if (continues !== undefined) return ["", `a start continues the unfinished run ${continues}: see loopdash status ${continues}`];
  return refusals.flatMap(({ why, todo }) => ["", `a start would be refused: ${why}`, todo]);
}

/** The plan of a batch: its bounds, the finish line that most tickets have, and its tickets in the order of their dependencies. */
export function planLines({ batch, standings }: Plan, sandbox: string): readonly string[] {
  const { name, tickets, repos, limits, agent, protect } = batch;
  const usual = usualFinish(tickets);
  return [
    `plan of "${name}": ${plural(tickets.length, "ticket")}, ${plural(Object.keys(repos).length, "repository", "repositories")}, ${plural(limits.workers, "worker")}`,
    `limits: ${plural(limits.attempts, "attempt")} a ticket, ${limits.minutesPerAttempt} min an attempt, ${limits.silenceMinutes} min of silence, $ ${limits.usdPerRun} a run`,
    ...complexityLines(batch),
    ...(agent.kind === "command" && agent.usdPerAttempt === undefined ? [UNPRICED] : []),
    `sandbox: ${sandbox}`,
    `finish line: ${usual}${tickets.every((ticket) => finishText(ticket) === usual) ? "" : " (tickets that have another name it)"}`,
    ...testCommandLines(batch.testCommands ?? {}),
    ...comparisonLines(tickets),
    ...protectLines(protect),
    ...graphLines({ batch, standings }),
  ];
}

/** A batch, and the tickets of it that no agent would work on now. */
type Plan = Pick<LoadedBatch, "standings"> & { readonly batch: Batch };

/**
 * The tickets in the order of their dependencies, the ready set first; then those that no agent would work on now. Each group begins
 * with an empty line.
 */
export function graphLines(plan: Plan): readonly string[] {
  const { batch, standings } = plan;
  const { tickets } = batch;
  const usual = usualFinish(tickets);
  const group = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `${title} (${lines.length})`, ...lines];
  const standing = (as: Standing["as"]) =>
    tickets.flatMap(({ id, repo, title }) => {
      const found = standings.get(id);
      return found?.as === as ? [`  ${id}  [${repo}]  ${title}${found.text === "" ? "" : `: ${found.text}`}`] : [];
    });
  return [
    ...openLayers(plan).flatMap((layer, i) => {
      const lines = layer.map((ticket) => `${ticketLine(ticket, usual)}${complexityOf(batch, ticket)}`);
      return group(i === 0 ? "ready at once" : `layer ${i + 1}`, lines);
    }),
    ...STANDINGS.flatMap((as) => group(as, standing(as))),
  ];
}

/** The tickets that agents will work on, by the length of their chain of dependencies that are not done. */
function openLayers({ batch: { tickets }, standings }: Plan): readonly (readonly Ticket[])[] {
  const isDone = (id: Ticket["id"]) => standings.get(id)?.as === "done";
  const open = tickets
    .filter(({ id }) => !isDone(id))
    .map((ticket) => ({ ...ticket, dependsOn: ticket.dependsOn.filter((id) => !isDone(id)) }));
  return layersOf(open).map((layer) => layer.filter(({ id }) => !standings.has(id)));
}

const STANDINGS = ["on hold", "left to a person", "done"] as const satisfies readonly Standing["as"][];

/** The classes for which the batch asks more than of every ticket, or has bounds of their own; nothing without routing. */
function complexityLines({ complexity: routes, secondReviewer }: Batch): readonly string[] {
  if (routes === undefined) return [];
  const classes = COMPLEXITIES.flatMap((one) => {
    const words = routeWords(routes[one], secondReviewer !== undefined);
    return words.length === 0 ? [] : [`${one}: ${words.join(", ")}`];
  });
  return [`by complexity: ${classes.length === 0 ? "every class as the batch" : classes.join("; ")}`];
}

function routeWords(
  { plan, reviewers, gate, attempts, usdPerTicket, minutesPerAttempt }: Route,
  hasSecondReviewer: boolean,
): readonly string[] {
  const byWhom = reviewers === 2 && hasSecondReviewer ? " by two reviewers" : "";
  return [
    ...(plan === true ? ["a plan first"] : []),
    ...(reviewers === undefined ? [] : [`${plural(reviewers, "review")}${byWhom}`]),
    ...(gate === undefined ? [] : ["a person's approval"]),
    ...(attempts === undefined ? [] : [plural(attempts, "attempt")]),
    ...(usdPerTicket === undefined ? [] : [`$ ${usdPerTicket} a ticket`]),
    ...(minutesPerAttempt === undefined ? [] : [`${minutesPerAttempt} min an attempt`]),
  ];
}

const UNPRICED = "money: no cap binds this agent: a command without agent.usdPerAttempt counts as free";

function protectLines(protect: readonly string[]): readonly string[] {
  const groups = protectGroups(protect);
  if (groups.length === 0) return ["protected: nothing"];
  return ["protected from changes:", ...groups.map(([name, globs]) => `  ${name}: ${globs.join(" ")}`)];
}

function ticketLine(ticket: Ticket, usual: string): string {
  const after = ticket.dependsOn.length === 0 ? "" : `  after ${ticket.dependsOn.join(", ")}`;
  const alone = ticket.exclusive.length === 0 ? "" : `  alone on ${ticket.exclusive.join(", ")}`;
  const fixes = ticket.fixes === undefined ? "" : `  fixes ${tests(ticket.fixes.length)} by name`;
  const redFirst = ticket.redFirst ? "  new tests red first" : "";
  const contract = ticket.contract === undefined ? "" : `  contract ${ticket.contract.path}`;
  const finish = finishText(ticket);
  return `  ${ticket.id}  [${ticket.repo}]  ${ticket.title}${after}${alone}${fixes}${redFirst}${contract}${finish === usual ? "" : `  (${finish})`}`;
}

/** The class that the ticket begins with; empty without routing. */
function complexityOf(batch: Batch, ticket: Ticket): string {
  const { complexity } = firstComplexity(batch, ticket);
  return complexity === undefined ? "" : `  ${complexity.class}: ${complexity.why}`;
}

const finishText = ({ finish }: Ticket): string => finish.map(specLabel).join(" → ");

/** The finish line that most tickets have; of several, the first in the batch. */
function usualFinish(tickets: readonly Ticket[]): string {
  const counts = new Map<string, number>();
  for (const ticket of tickets) counts.set(finishText(ticket), (counts.get(finishText(ticket)) ?? 0) + 1);
  const [usual] = [...counts].toSorted(([, a], [, b]) => b - a);
  return usual?.[0] ?? "";
}

/** Markdown files of the ticket folder that are never tickets, whatever is in them. */
async function filesNotRead(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md") && !isTicketName(name));
  return names.toSorted();
}

/** How checks judge: by test, or by the exit code alone. A run measures on the base which tests fail; its plan does not. */
function comparisonLines(tickets: readonly Ticket[]): readonly string[] {
  const checks = tickets.flatMap(({ finish }) => finish.flatMap((step) => (step.step === "check" ? [step] : [])));
  const byExitCode = [...new Set(checks.filter(({ report }) => report === undefined).map(({ name }) => name))];
  return [
    ...(checks.some(({ report }) => report !== undefined)
      ? ["tests: those that fail on the base do not count, unless a ticket names them in fixes"]
      : []),
    ...(byExitCode.length === 0 ? [] : [`tests not compared, by exit code only: ${firstFewLine(byExitCode, 8)}`]),
  ];
}

/** Tickets by the length of their longest chain of dependencies. */
function layersOf(tickets: readonly Ticket[]): readonly (readonly Ticket[])[] {
  const index = new Map(tickets.map((ticket, i) => [ticket.id, i]));
  const dependents = tickets.map((): number[] => []);
  tickets.forEach((ticket, i) => {
    for (const dep of ticket.dependsOn) dependents[index.get(dep) as number]?.push(i);
  });
  const depth = tickets.map(() => 0);
  for (const i of topologicalOrder(tickets, dependents)) {
    for (const d of dependents[i] ?? []) depth[d] = Math.max(depth[d] as number, (depth[i] as number) + 1);
  }
  const layers: Ticket[][] = [];
  tickets.forEach((ticket, i) => {
    const at = depth[i] as number;
    layers[at] ??= [];
    layers[at].push(ticket);
  });
  return layers;
}
