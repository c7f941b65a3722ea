import { hash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import type { ClientMessage, Command } from "../../domain/run/command.ts";
import type { ServerMessage } from "../../domain/run/wire.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { LONGEST_SOCKET_PATH, privateTmp } from "../private-tmp.ts";
import { JsonLinesReader, jsonLine, LineTooLong } from "./json-lines.ts";

/** Longest message from an engine, in bytes: well below the longest string of V8 (about 512 MB). */
const LONGEST_MESSAGE = 256 * 1024 * 1024;

/** The socket of a client's connection, and its callbacks. */
export interface ConnectOptions {
  readonly socketPath: string;
  /** Called with a snapshot first, then with every event after it. A later snapshot replaces everything before it. */
  readonly onMessage: (message: ServerMessage) => void;
  /** Called when the connection is over, for any cause but `close()`. Called once; no message follows. */
  readonly onClose: (reason: string) => void;
}

/** A connection to an engine. */
export interface ChannelClient {
  /** Sends a command. Does nothing once the connection is over (`onClose` has reported that). */
  send(command: Command): void;
  /** Ends the connection. No callback follows. */
  close(): void;
}

/** Connects to the engine of a run. Rejects with a UserError (exit 4) if none listens. */
export function connectChannel(options: ConnectOptions): Promise<ChannelClient> {
  return new Promise((settle, reject) => {
    const socket = createConnection(options.socketPath);
    const refuse = (cause: Error) => reject(notRunning(options.socketPath, cause));
    socket.once("error", refuse);
    socket.once("connect", () => {
      socket.off("error", refuse);
      settle(new SocketClient(socket, options));
    });
  });
}

class SocketClient implements ChannelClient {
  readonly #socket: Socket;
  readonly #options: ConnectOptions;
  readonly #lines = new JsonLinesReader(LONGEST_MESSAGE);
  /** The reason that the connection ends. The first cause wins. */
  #reason: string | undefined;
  #open = true;
  #begun = false;

  constructor(socket: Socket, options: ConnectOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => {
      this.#reason ??= `the connection to the engine broke (${error.message})`;
    });
    socket.on("close", () => this.#end("the engine closed the connection"));
  }

  send(command: Command): void {
    if (!this.#open) return;
    const message: ClientMessage = { kind: "command", command };
    this.#socket.write(jsonLine(message));
  }

  close(): void {
    this.#open = false;
    // Sent commands still go out; an engine that does not read has only a moment.
    this.#socket.end();
    this.#socket.setTimeout(1_000, () => this.#socket.destroy());
    this.#socket.unref();
  }

  #receive(chunk: Buffer): void {
    const lines = this.#lines.push(chunk);
    for (;;) {
      const message = this.#next(lines);
      if (message === undefined || !this.#open) return;
      this.#options.onMessage(message);
    }
  }

  /** Separate from `onMessage`, so that a failure in it is never mistaken for a bad line. */
  #next(lines: Generator<unknown, undefined>): ServerMessage | undefined {
    if (!this.#open) return undefined;
    try {
      const { done, value: message } = lines.next();
      if (done) return undefined;
      if (isServerMessage(message) && (this.#begun || message.kind === "snapshot")) {
        this.#begun = true;
        return message;
      }
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof LineTooLong)) throw error;
    }
    this.#end("the engine sent something this program cannot read (is it another version of loopdash?)");
    return undefined;
  }

  #end(reason: string): void {
    this.#socket.destroy();
    if (!this.#open) return;
    this.#open = false;
    this.#options.onClose(this.#reason ?? reason);
  }
}

/** Checks only the outer shape: the engine is this same program, and its socket is this user's alone. */
function isServerMessage(value: unknown): value is ServerMessage {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  if (value.kind === "snapshot") return "state" in value && "recent" in value;
  return value.kind === "event" && "event" in value;
}

function notRunning(socketPath: string, cause: Error): UserError {
  return new UserError({
    what: "cannot reach the run's engine",
    why: `nothing answers at ${socketPath} (${cause.message})`,
    todo: "See `loopdash status`; start the batch again to resume a run whose engine is gone.",
    exitCode: EXIT.refused,
    cause,
  });
}

/** The name of the engine's socket, in the run's folder next to "engine". */
const DOOR = "engine.door";

/**
 * Chooses a name for the socket of a new engine that nobody can guess, and notes it in the run's folder. Removes the files of an
 * earlier engine. An edited oracle may connect (Node's permission model does not cover that), but can read neither the note nor
 * the folder: it finds no engine to send commands to.
 */
export function newSocketPath(runFolder: string): string {
  for (const name of readdirSync(runFolder)) if (/^engine-[0-9a-f]+\.sock$/.test(name)) rmSync(join(runFolder, name));
  const door = randomBytes(8).toString("hex");
  const path = pathFor(runFolder, door);
  writeFileSync(join(runFolder, DOOR), door, { mode: 0o600 });
  return path;
}

/** The path of the socket of a run's engine, for its clients. Throws as `newSocketPath` does, and if no engine ever listened. */
export function runSocketPath(runFolder: string): string {
  return pathFor(runFolder, readFileSync(join(runFolder, DOOR), "utf8").trim());
}

/**
 * In the run's folder or, if that path is too long for a socket, in a private folder of this user under the system's temporary
 * folder. Engine and clients get the same answer. Throws a UserError (exit 4) if that folder is not this user's alone.
 */
function pathFor(runFolder: string, door: string): string {
  const near = join(runFolder, `engine-${door}.sock`);
  if (fits(near)) return near;
  const folder = privateTmp();
  const far = join(folder, `${hash("sha256", `${runFolder}\0${door}`).slice(0, 32)}.sock`);
  if (!fits(far)) {
    throw new UserError({
      what: `cannot put the run's socket in ${folder}`,
      why: `its path is too long for a socket (${LONGEST_SOCKET_PATH} bytes)`,
      todo: "Set TMPDIR to a folder with a shorter path.",
      exitCode: EXIT.refused,
    });
  }
  return far;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
}
