import { type TrackerState, textSha } from "../../domain/run/drift-fact.ts";
import type { FiledTicket } from "../../ports/tracker.ts";
import { type Field, type FrontMatter, type ListKey, readFrontMatter, type WordKey } from "./front-matter.ts";
import { noteLine, stateRecord } from "./state-record.ts";
import { ticketParts } from "./ticket-text.ts";

/** The end of every note that loopdash writes: four digits of the text's hash, so that whatever a person changes in it shows. */
const SIGNATURE = / \(loopdash ([0-9a-f]{4})\)$/;

/** A note as the line that is written; empty if there is nothing to say. */
export function signedNote(note: string): string {
  const line = noteLine(note);
  return line === "" ? "" : `${line} (loopdash ${noteSignature(line)})`;
}

function noteSignature(line: string): string {
  return textSha(line).slice(0, 4);
}

/** True if a person wrote the note of a ticket, or changed it: it stays as it is. */
function isPersonsNote({ ownNote, words }: FrontMatter): boolean {
  const note = words.get("note")?.value ?? "";
  const signature = SIGNATURE.exec(note);
  const isOurs = signature !== null && signature[1] === noteSignature(note.slice(0, signature.index));
  return ownNote || (note !== "" && !isOurs);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * The ticket's text with another state. Only `state`, `humanStep` and `note` change; every other byte stays: comments, order,
 * quotes, line ends, byte order mark and body. The YAML parser locates the values, and they are replaced in place. The step of a
 * gate is removed when the state is no longer human-gated; a comment on its line stays. A step beside another state is a person's
 * draft: it stays, as a comment once a gate needs its place.
 */
export function withState(text: string, state: TrackerState, note: string): string {
  const parts = ticketParts(text);
  if (parts === undefined) throw new Error("the front matter is not closed");
  const { eol, start, front } = parts;
  const { state: word, humanStep } = stateRecord(state);
  const line = signedNote(note);
  if (front === undefined) {
    const lines = ["---", `state: ${word}`, ...entry("humanStep", humanStep), ...entry("note", line || undefined), "---", ""];
    return text.slice(0, start) + lines.join(eol) + text.slice(start);
  }
  const yaml = text.slice(front.from, front.to);
  const found = readFrontMatter(yaml);
  const isDraft = found.words.get("state")?.value !== "human-gated";
  const unused = isDraft ? [] : remove(found, yaml, "humanStep");
  const replaced = isDraft ? keptDraft(found, eol) : [];
  const edits = [
    ...put(found, yaml, eol, "state", word, word),
    ...(humanStep === undefined ? unused : [...replaced, ...put(found, yaml, eol, "humanStep", quoted(humanStep))]),
    ...(line === "" || isPersonsNote(found) ? [] : put(found, yaml, eol, "note", quoted(line))),
  ];
  return text.slice(0, front.from) + applied(yaml, edits) + text.slice(front.to);
}

/** The text of a ticket that loopdash files. Its front matter has only what the oracle reads, and its body is the given one. */
export function newTicketText({ id, title, body, repo, dependsOn = [], exclusive = [], note }: FiledTicket): string {
  const line = signedNote(note);
  const front = [
    `id: ${id}`,
    ...entry("title", title),
    `repo: ${repo}`,
    ...list("dependsOn", dependsOn),
    ...list("exclusive", exclusive),
    "state: open",
    ...entry("note", line || undefined),
  ];
  return `---\n${front.join("\n")}\n---\n\n${body}\n`;
}

function entry(key: WordKey, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${key}: ${quoted(value)}`];
}

function list(key: ListKey, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${key}: [${values.map(quoted).join(", ")}]`];
}

/** JSON is YAML (YAML 1.2.2, 1.3), and a text without control characters needs escapes only for quote and backslash. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** `word` is given if the value may keep its quotes. */
function put(front: FrontMatter, yaml: string, eol: string, key: WordKey, value: string, word?: string): readonly Edit[] {
  const field = front.words.get(key);
  if (field === undefined) return [{ from: yaml.length, to: yaml.length, text: `${key}: ${value}${eol}` }];
  if (field.to > field.from)
    return [{ from: field.from, to: field.to, text: word === undefined ? value : field.quote + word + field.quote }];
  const colon = yaml.indexOf(":", field.keyEnd) + 1;
  return [{ from: colon, to: colon, text: ` ${value}` }];
}

/** A comment with a person's draft of a step, above the line that a gate's step takes. */
function keptDraft({ words }: FrontMatter, eol: string): readonly Edit[] {
  const draft = words.get("humanStep");
  if (draft === undefined || draft.value.trim() === "") return [];
  return [{ from: draft.key, to: draft.key, text: `# humanStep before: ${quoted(draft.value)}${eol}` }];
}

function remove(front: FrontMatter, yaml: string, key: WordKey): readonly Edit[] {
  const field = front.words.get(key);
  if (field === undefined) return [];
  const end = yaml.indexOf("\n", field.key);
  const next = end === -1 ? yaml.length : end + 1;
  const comment = commentStart(field, yaml.slice(0, next));
  return [{ from: field.key, to: comment ?? next, text: "" }];
}

function commentStart(field: Field, yaml: string): number | undefined {
  const after = yaml.slice(Math.max(field.to, field.keyEnd));
  const sign = /^\s*(?::\s*)?#/.exec(after);
  return sign === null ? undefined : yaml.length - after.length + sign[0].length - 1;
}

/** Edits never overlap; those at one place keep their order. */
function applied(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return result + text.slice(at);
}
