import { createServer, type Server, type Socket } from "node:net";
import type { Caller } from "../program/caller.ts";

/**
 * Serves judgements of the guard at a Unix socket, because a process of Node that loads the guard takes longer to start than it takes to
 * judge. `client.pl` asks; each connection is one question, answered as `loopdash hook` or `loopdash guard check` would in its place. If
 * anything goes wrong, the connection is closed without an answer, and the client starts Node: so nothing passes because a server fails.
 */
export function guardServer(runGuard: RunGuard): Server {
  const server = createServer({ allowHalfOpen: true }, (connection) => answerQuestion(connection, runGuard));
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

/** Reads the question of one connection and answers it. A client that takes too long is hung up on. */
export function answerQuestion(connection: Socket, runGuard: RunGuard): void {
  const late = setTimeout(() => connection.destroy(), PATIENCE_MS).unref();
  connection.on("close", () => clearTimeout(late));
  // A client that has gone needs no answer.
  connection.on("error", () => connection.destroy());
  // Grows by doubling: a list of pieces would take hundreds of times the bytes of a question that comes one by one.
  let question = Buffer.alloc(FIRST_BYTES);
  let bytes = 0;
  connection.on("data", (piece: Buffer) => {
    const needed = bytes + piece.length;
    if (needed > MOST_BYTES) return void connection.destroy();
    if (needed > question.length) question = Buffer.concat([question], Math.max(needed, 2 * question.length));
    piece.copy(question, bytes);
    bytes = needed;
  });
  connection.on("end", () => void answer(connection, question.subarray(0, bytes), runGuard));
}

/** `runGuard` of run-guard.ts. Undefined: not a question for the guard alone. */
export type RunGuard = (args: readonly string[], caller: Caller) => number | Promise<number> | undefined;

/** Bytes of a question: the longest payload that client.pl sends, and its head. */
const MOST_BYTES = 2 * 2 ** 20;
const MOST_CONNECTIONS = 64;
const FIRST_BYTES = 8 * 1024;
/** Milliseconds for a question and its answer. client.pl gives up sooner. */
const PATIENCE_MS = 10_000;

async function answer(connection: Socket, question: Buffer, runGuard: RunGuard): Promise<void> {
  try {
    const asked = readQuestion(question);
    const printed: Record<1 | 2, string> = { 1: "", 2: "" };
    const print = (fd: 1 | 2, text: string): void => {
      printed[fd] += text;
    };
    const code = asked && (await runGuard(asked.args, { ...asked, print }));
    if (code === undefined) return void connection.destroy();
    const [out, err] = [Buffer.from(printed[1]), Buffer.from(printed[2])];
    connection.end(Buffer.concat([Buffer.from(`${code} ${out.length} ${err.length}\n`), out, err]));
  } catch {
    // The client has Node judge, which says what is wrong.
    connection.destroy();
  }
}

/** Reads a question as client.pl writes it; undefined if it is none, or one that only a process of its own can answer. */
function readQuestion(bytes: Buffer): (Pick<Caller, "cwd" | "env" | "input"> & { readonly args: readonly string[] }) | undefined {
  const from = bytes.indexOf("\n") + 1;
  const length = Number(bytes.subarray(0, Math.max(0, from - 1)).toString("latin1"));
  if (from === 0 || !Number.isSafeInteger(length) || from + length > bytes.length) return undefined;
  const head = bytes.subarray(from, from + length).toString("utf8");
  const [cwd = "", home, temporary, ...args] = head.split("\0");
  if (!cwd.startsWith("/") || !isServable(args)) return undefined;
  const env = { ...(home !== "" && { HOME: home }), ...(temporary !== "" && { TMPDIR: temporary }) };
  const payload = bytes.subarray(from + length).toString("utf8");
  return { args, cwd, env, input: () => Promise.resolve(payload) };
}

/** True for what is judged without starting a program, and without a stream on stdin. */
function isServable([verb, what = "", ...options]: readonly string[]): boolean {
  if (verb === "hook") return /^(?:before|after|after-failed)-tool$/.test(what);
  const dashes = options.indexOf("--");
  return verb === "guard" && what === "check" && dashes !== -1 && dashes < options.length - 1;
}
