import { setImmediate as nextTurn } from "node:timers/promises";
import { displayValue, isObject } from "@loopdash/values";
import { z } from "zod";
import { checkValue, type ValueProblem } from "../../../domain/batch/issues.ts";
import { pathText } from "../../../domain/batch/problem.ts";
import { TicketSpec } from "../../../domain/batch/schema.ts";
import { HumanStep } from "../../../domain/run/command.ts";
import { type TrackerState, textSha } from "../../../domain/run/drift-fact.ts";
import { RepoId, TicketId } from "../../../domain/values/ids.ts";
import { plainText } from "../../../domain/values/text.ts";
import type { FileAnswer, ServiceTicket, StateAnswer } from "../service/ticket-service.ts";

/** Limits of an answer. A batch allows less than these for its own tickets; later edits of people are cut to what it allows. */
const MAX_TICKETS = 20_000;
const MAX_TITLE = 1_000;
const MAX_BODY = 1024 * 1024;
const MAX_NAME = 2_000;
const MAX_PROBLEM = 300;

/** The event loop is given a turn after so much parsing. Milliseconds. */
const SLICE_MS = 10;

/** The answer to `snapshot`: the tickets in the program's order. */
export interface ProgramSnapshot {
  readonly tickets: ReadonlyMap<TicketId, ServiceTicket>;
  /** The same tickets by their lines, so that the next answer costs little where nothing has changed. */
  readonly byLine: ReadonlyMap<string, ServiceTicket>;
}

/** An answer is not what the protocol says. The message says what is wrong, and with which ticket; it is safe for a terminal. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** A state, spelt exactly; the words of a tracker's own are for the program to map. */
const State = z.string();
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const oneLine = z.string().regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/, "must be one line of plain text");

const TicketLine = z.strictObject({
  id: TicketId,
  title: oneLine.max(MAX_TITLE).regex(/\S/, "must not be blank"),
  body: z.string().max(MAX_BODY),
  state: State,
  step: z.string().optional(),
  repo: RepoId.optional(),
  dependsOn: TicketSpec.shape.dependsOn.unwrap().optional(),
  exclusive: TicketSpec.shape.exclusive.unwrap().optional(),
  url: oneLine.max(MAX_NAME).optional(),
  /** It only makes the line another one: a person's undo of a write is no lost write then. */
  version: oneLine.max(MAX_NAME).optional(),
});
const TicketsEnd = z.strictObject({ tickets: z.int().nonnegative() });
const TakenLine = z.strictObject({ id: z.string().min(1).max(MAX_NAME) });
const TakenEnd = z.strictObject({ taken: z.int().nonnegative() });
const Written = z.union([z.strictObject({ conflict: z.unknown() }), z.strictObject({ before: z.unknown(), after: z.unknown() })]);
const Filed = z.union([z.strictObject({ filed: z.unknown() }), z.strictObject({ taken: z.string().min(1).max(MAX_NAME) })]);

/**
 * Reads the answer to `snapshot`. `known` are the lines of an earlier answer, which are not parsed again. Gives the event loop a
 * turn now and then. Throws a ProtocolError.
 */
export async function parseSnapshot(text: string, known: ProgramSnapshot["byLine"] = new Map()): Promise<ProgramSnapshot> {
  const tickets = new Map<TicketId, ServiceTicket>();
  const byLine = new Map<string, ServiceTicket>();
  const { lines, count } = withEnd(text, TicketsEnd, "tickets");
  if (count > MAX_TICKETS) throw new ProtocolError(`it has ${count} tickets, and may have ${MAX_TICKETS}`);
  let slice = performance.now();
  for (const [at, line] of lines.entries()) {
    const ticket = known.get(line) ?? readTicketLine(parseJsonLine(line, `line ${at + 1}`), `line ${at + 1}`);
    if (tickets.has(ticket.id)) throw new ProtocolError(`line ${at + 1}: ticket ${displayValue(ticket.id)} is in it twice`);
    tickets.set(ticket.id, ticket);
    byLine.set(line, ticket);
    if (performance.now() - slice < SLICE_MS) continue;
    await nextTurn();
    slice = performance.now();
  }
  return { tickets, byLine };
}

/** Reads the answer to `taken`: ids of any form. Throws a ProtocolError. */
export function parseTaken(text: string): readonly string[] {
  return withEnd(text, TakenEnd, "taken").lines.map((line, at) => {
    const where = `line ${at + 1}`;
    return mustFit(TakenLine, parseJsonLine(line, where), where).id;
  });
}

/** Reads the answer to `set`. Throws a ProtocolError. */
export function parseSet(text: string): StateAnswer {
  const answer = mustFit(Written, onlyLine(text), 'neither {"before", "after"} nor {"conflict"}');
  if ("conflict" in answer) return { conflict: readTicketLine(answer.conflict, '"conflict"') };
  return { before: readTicketLine(answer.before, '"before"'), after: readTicketLine(answer.after, '"after"') };
}

/** Reads the answer to `file`. Throws a ProtocolError. */
export function parseFiled(text: string): FileAnswer {
  const answer = mustFit(Filed, onlyLine(text), 'neither {"filed"} nor {"taken"}');
  return "taken" in answer ? answer : { filed: readTicketLine(answer.filed, '"filed"') };
}

/** The lines before the end line, whose number it must give. */
function withEnd<K extends string>(
  text: string,
  schema: z.ZodType<Record<K, number>>,
  key: K,
): { readonly lines: readonly string[]; readonly count: number } {
  const lines = wholeLines(text);
  const last = lines.pop() ?? "";
  const end = `the end line {${JSON.stringify(key)}: N}`;
  const value = parsed(last);
  if (!isObject(value) || !Object.hasOwn(value, key)) throw new ProtocolError(`${end} is missing, so the answer is cut off`);
  const count = mustFit(schema, value, "the end line")[key];
  if (count !== lines.length) throw new ProtocolError(`${end} says ${count}, and ${lines.length} lines came before it`);
  return { lines, count };
}

function wholeLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new ProtocolError("its last line has no line end, so the answer is cut off");
  return lines;
}

function onlyLine(text: string): unknown {
  const [line, ...more] = wholeLines(text);
  if (line === undefined) throw new ProtocolError("it is empty");
  if (more.length > 0) throw new ProtocolError(`it has ${more.length + 1} lines, and must have one`);
  return parseJsonLine(line, "its line");
}

function parseJsonLine(line: string, where: string): unknown {
  const value = parsed(line);
  if (value !== undefined) return value;
  const id = /"id"\s*:\s*"([^"\\]{1,64})"/.exec(line.slice(0, 10_000))?.[1];
  throw new ProtocolError(`${where}${id === undefined ? "" : `, ticket ${displayValue(id)},`} is not JSON, or is cut off`);
}

/** Undefined if it is no JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function readTicketLine(value: unknown, where: string): ServiceTicket {
  const id = isObject(value) && typeof value["id"] === "string" ? `${where}, ticket ${displayValue(value["id"])}` : where;
  const line = mustFit(TicketLine, value, id);
  const title = line.title.toWellFormed();
  const body = line.body.toWellFormed();
  return {
    id: line.id,
    title,
    body,
    state: readTicketState(line, id),
    revision: textSha(canonical(value as object)),
    titleSha: textSha(title),
    bodySha: textSha(body),
    repo: line.repo,
    dependsOn: line.dependsOn,
    exclusive: line.exclusive,
    url: line.url,
  };
}

/** A step beside another state must be valid too: it counts when a person changes the state. */
function readTicketState({ state, step = "" }: z.infer<typeof TicketLine>, where: string): TrackerState {
  const fits = HumanStep.safeParse(step);
  if (step.trim() !== "" && !fits.success) throw new ProtocolError(`${where}: step must be one line of at most 500 characters`);
  if (state === "open" || state === "done") return { as: state };
  if (state !== "human-gated")
    throw new ProtocolError(`${where}: state ${displayValue(state)} is not one of: open, done, human-gated`);
  if (!fits.success) throw new ProtocolError(`${where}: state human-gated needs step, the exact step that is left to a person`);
  return { as: state, step: fits.data };
}

/** The text of a line, whatever the order of its keys. Its values are texts and lists of texts. */
function canonical(line: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(line).sort(([a], [b]) => (a < b ? -1 : 1))));
}

function mustFit<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const checked = checkValue(schema, value);
  if (checked.ok) return checked.value;
  throw new ProtocolError(`${where}: ${checked.findings[0] === undefined ? "is wrong" : sentence(checked.findings[0])}`);
}

function sentence({ path, key, message, hint }: ValueProblem): string {
  const at = key === undefined ? pathText(path) : "";
  const text = `${at} ${message}${hint === undefined ? "" : ` (${hint})`}`.trim();
  return plainText(text, MAX_PROBLEM);
}
