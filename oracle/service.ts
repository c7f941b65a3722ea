import { readSync, writeSync } from "node:fs";
import { CannotJudge, checkedObject, checkedText, jsonOf } from "./shape.ts";

/**
 * The descriptor of the line to a service. The oracle has no network and no token: it writes a document and its variables to this file descriptor, and
 * whoever started it sends them to the one service, if the document is one that it knows.
 */
const DESCRIPTOR = 3;

/** The largest answer. Bytes. */
const MAX_ANSWER = 48 * 1024 * 1024;

/** Attempts to get one answer, and the pause before the second one, which doubles each time. Milliseconds. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

/** An answer is taken from the next line; what follows belongs to the next answer. */
let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);

/** Asks a service for the tickets with these keys, and gives the `data` of its answer. Repeats what may pass. Throws CannotJudge. */
export function ask(document: string, ids: readonly string[]): ReadonlyMap<string, unknown> {
  for (let attempt = 1, wait = FIRST_PAUSE_MS; ; attempt += 1, wait *= 2) {
    const answer = exchange(`${JSON.stringify({ document, ids })}\n`);
    if (!("again" in answer)) return answer.data;
    if (attempt === ATTEMPTS) throw new CannotJudge(answer.again);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  }
}

type Answer = { readonly data: ReadonlyMap<string, unknown> } | { readonly again: string };

function exchange(request: string): Answer {
  const bytes = Buffer.from(request);
  for (let at = 0; at < bytes.length; ) at += writeSync(DESCRIPTOR, bytes, at);
  const answer = checkedObject(jsonOf(nextLine(), "the answer"), "the answer", [], ["status", "body", "problem"]);
  if (answer.has("problem")) return { again: checkedText(answer.get("problem"), "the problem") };
  const status = answer.get("status");
  if (status === 429 || (typeof status === "number" && status >= 500)) return { again: `the tracker answered ${status}` };
  if (status !== 200) throw new CannotJudge(`the tracker answered ${JSON.stringify(status)}: ${saidIn(answer.get("body"))}`);
  return dataOf(checkedText(answer.get("body"), "the body of the answer"));
}

/** Half an answer is none: a cut body may be whole the next time, and errors beside data mean that something is missing. */
function dataOf(body: string): Answer {
  let root: unknown;
  try {
    root = JSON.parse(body);
  } catch {
    return { again: "the tracker's answer is cut off, or is no JSON" };
  }
  const answer = checkedObject(root, "the tracker's answer", [], ["data", "errors", "extensions"]);
  const errors = answer.get("errors");
  if (errors !== undefined) return { again: `the tracker answered with an error: ${JSON.stringify(errors).slice(0, 300)}` };
  const data = answer.get("data");
  if (typeof data !== "object" || data === null || Array.isArray(data)) throw new CannotJudge("the tracker's answer has no data");
  return { data: new Map(Object.entries(data)) };
}

function saidIn(body: unknown): string {
  return typeof body === "string" ? body.slice(0, 300) : "nothing";
}

function nextLine(): string {
  const chunks = [rest];
  let length = rest.length;
  for (;;) {
    const last = chunks.at(-1) as Buffer;
    const end = last.indexOf(0x0a);
    if (end !== -1) {
      const line = Buffer.concat([...chunks.slice(0, -1), last.subarray(0, end)]);
      rest = last.subarray(end + 1);
      return line.toString("utf8");
    }
    if (length > MAX_ANSWER) throw new CannotJudge("the tracker's answer is too large");
    const chunk = Buffer.alloc(64 * 1024);
    const got = readSync(DESCRIPTOR, chunk, 0, chunk.length, null);
    if (got === 0) throw new CannotJudge("the connection to the tracker was closed");
    chunks.push(chunk.subarray(0, got));
    length += got;
  }
}
