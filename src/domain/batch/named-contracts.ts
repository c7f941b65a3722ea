import { displayValue, hintFor } from "@loopdash/values";
import { TicketId } from "../values/ids.ts";
import { DEFAULT_CHECK } from "./default-finish.ts";
import { type FolderTicket, mergeFolder } from "./merge-folder.ts";
import { parseBatchFile } from "./parse.ts";
import { type BatchProblem, type Locate, type NoteProblem, type Path, pathText, problemAt } from "./problem.ts";
import { type ContractText, type ReadContract, readContract } from "./read-contract.ts";
import type { BatchFile, TicketSpec } from "./schema.ts";

/** Contract files by the path that the batch names them with. */
export type ContractTexts = ReadonlyMap<string, ContractText>;

/** The contracts of a batch by ticket, and what keeps them from being used. */
export interface BatchContracts {
  readonly byTicket: ReadonlyMap<string, ReadContract>;
  readonly problems: readonly BatchProblem[];
  readonly warnings: readonly BatchProblem[];
  /** Also finds the values of contracts: below `tickets[i].contract`, where a criterion is known by its name. */
  readonly locate: Locate;
}

/** The contract of a ticket. The batch file's word about a ticket counts before the ticket's own file. */
function namedContract({ contracts = {} }: BatchFile, { id, contract }: TicketSpec): string | undefined {
  return Object.hasOwn(contracts, id) ? contracts[id] : contract;
}

/** The contract files that a batch file and its tickets name; empty if it has problems that `readBatch` will report. */
export function contractPaths(text: string, folderTickets: readonly FolderTicket[] | undefined): readonly string[] {
  const file = mergedFile(text, folderTickets);
  return file === undefined ? [] : [...new Set(file.tickets.flatMap((ticket) => namedContract(file, ticket) ?? []))];
}

/** The tickets with contracts that the query of a batch in Linear or GitHub does not select; empty for any other batch. */
export function unselectedTickets(text: string, folderTickets: readonly FolderTicket[] | undefined): readonly TicketId[] {
  const file = mergedFile(text, folderTickets);
  return file === undefined || !isInService(file) ? [] : unknownIds(file);
}

function mergedFile(text: string, folderTickets: readonly FolderTicket[] | undefined): BatchFile | undefined {
  const parsed = parseBatchFile(text);
  return parsed.ok ? mergeFolder(parsed, folderTickets).file : undefined;
}

function isInService({ tracker: { kind } }: BatchFile): boolean {
  return kind === "linear" || kind === "github";
}

function unknownIds({ tickets, contracts = {} }: BatchFile): readonly TicketId[] {
  const known = new Set<string>(tickets.map(({ id }) => id));
  return Object.keys(contracts).flatMap((id) => (known.has(id) ? [] : [TicketId.parse(id)]));
}

/** Checks the contracts of a batch. A named file without a text was not read, which is a problem (law 4). */
export function readContracts(file: BatchFile, locate: Locate, texts: ContractTexts): BatchContracts {
  const byTicket = new Map<string, ReadContract>();
  const problems: BatchProblem[] = [];
  const warnings = unknownTickets(file, locate, problems);
  const hosts = Object.keys(file.sandboxPolicy?.hosts ?? {});
  const files = new Map<number, readonly [string, ContractText]>();
  file.tickets.forEach((ticket, i) => {
    const note: NoteProblem = (path, message, hint) => problems.push(problemAt(locate, path, message, hint));
    const path = namedContract(file, ticket);
    if (path === undefined) return;
    const isMapped = Object.hasOwn(file.contracts ?? {}, ticket.id);
    if (isMapped && locate(["tickets", i, "contract"]) !== undefined && !isFromFile(locate, i))
      note(["contracts", ticket.id], `${displayValue(ticket.id)} names a contract in "tickets" as well`, "name it once");
    const text = texts.get(path) ?? { ok: false, problems: [{ message: "the contract was not read" }] };
    const read = readContract(path, text, { taken: checkNames(file, ticket), hosts });
    if (!read.ok) {
      problems.push(...read.problems);
      return;
    }
    files.set(i, [path, text]);
    byTicket.set(ticket.id, read);
    warnings.push(...looserBoundWarnings(file, path, text, read));
  });
  return { byTicket, problems: distinct(problems), warnings: distinct(warnings), locate: locateIn(locate, files) };
}

/** True if a ticket's contract is named by its own file, and not by the batch file. */
function isFromFile(locate: Locate, i: number): boolean {
  const spot = locate(["tickets", i, "contract"]);
  return spot !== undefined && "file" in spot;
}

/**
 * Contracts of tickets that the batch does not have. Those of a query may be gone from it because they are done, so they are only
 * told at each start, unless the tracker does not have them either.
 */
function unknownTickets(file: BatchFile, locate: Locate, problems: BatchProblem[]): BatchProblem[] {
  const known: readonly string[] = file.tickets.map(({ id }) => id);
  return unknownIds(file).flatMap((id) => {
    const hint = hintFor(id, known, "known here");
    const problem = problemAt(locate, ["contracts", id], `the batch has no ticket ${displayValue(id)}`, hint);
    if (isInService(file)) return [{ ...problem, atStart: true as const }];
    problems.push(problem);
    return [];
  });
}

/** The checks that a ticket's finish line has without its contract. */
function checkNames(file: BatchFile, ticket: TicketSpec): readonly string[] {
  const line = ticket.finish ?? file.finish;
  return line === undefined ? [DEFAULT_CHECK] : line.flatMap((step) => (step.step === "check" ? [step.name] : []));
}

/** Bounds that change nothing, because the batch's are tighter. */
function looserBoundWarnings(
  { limits }: BatchFile,
  path: string,
  text: ContractText,
  { contract: { stopWhen = {} } }: ReadContract,
): readonly BatchProblem[] {
  const weak = [
    ["attempts", stopWhen.attempts, limits.attempts, "attempts"],
    ["usd", stopWhen.usd, limits.usdPerTicket, "usdPerTicket"],
  ] as const;
  return weak.flatMap(([key, own, most, limit]) => {
    if (own === undefined || own <= most || !text.ok) return [];
    const at = ["stopWhen", key];
    const message = `${own} has no effect: the batch's limits.${limit} is ${most}`;
    return [{ ...text.locate(at), file: path, path: pathText(at), message }];
  });
}

/** Several tickets may have the same contract, whose problems are told once. */
function distinct(problems: readonly BatchProblem[]): readonly BatchProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function locateIn(locate: Locate, files: ReadonlyMap<number, readonly [string, ContractText]>): Locate {
  return (path) => {
    const [tickets, i, contract, ...rest] = path;
    const found = tickets === "tickets" && typeof i === "number" && contract === "contract" ? files.get(i) : undefined;
    if (found === undefined || rest.length === 0) return locate(path);
    const [file, text] = found;
    const at = byIndex(text, rest);
    const place = text.ok && at !== undefined ? text.locate(at) : undefined;
    return place === undefined || at === undefined ? undefined : { file, path: pathText(at), ...place };
  };
}

/** A path in which the criterion is known by its index. */
function byIndex(text: ContractText, [key, name, ...rest]: Path): Path | undefined {
  if (!text.ok || key !== "criteria" || typeof name !== "string") return undefined;
  const { value } = text;
  const criteria: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "criteria") : undefined;
  const index = Array.isArray(criteria)
    ? criteria.findIndex((each: unknown) => typeof each === "object" && each !== null && Reflect.get(each, "name") === name)
    : -1;
  return index === -1 ? undefined : ["criteria", index, ...rest];
}
