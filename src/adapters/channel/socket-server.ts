import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { ClientMessage, type Command } from "../../domain/run/command.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { ServerMessage } from "../../domain/run/wire.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Channel, ChannelHost } from "../../ports/channel.ts";
import { diskProblem, systemCode } from "../disk-error.ts";
import { JsonLinesReader, jsonLine, LineTooLong } from "./json-lines.ts";

/** Clients, at most. Each may hold a snapshot and its queue in memory. */
const MOST_CLIENTS = 32;
/** Time that `close` waits for clients to take their queues, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;
/** Longest line from a client, in bytes. */
const LONGEST_COMMAND = 64 * 1024;
/** Bytes that may wait for a client beyond its snapshot. */
const QUEUE_BYTES = 8 * 1024 * 1024;
/** Time in which events are gathered before they are sent together. Milliseconds; the dashboard waits longer before it draws. */
const TOGETHER_MS = 20;
/** Time after which a client that takes nothing of a waiting queue counts as gone. Milliseconds. */
const STALLED_MS = 30_000;

/** The host and the address of a channel. */
export interface ChannelOptions {
  /** At most `LONGEST_SOCKET_PATH` bytes; see `newSocketPath`. In a folder of this user alone. */
  readonly socketPath: string;
  readonly host: ChannelHost;
  /** Reports a problem of one client; the run continues. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * Listens on the run's socket. Replaces a socket that a killed engine left there: the caller holds the run's lock. Rejects with a
 * UserError (exit 4) if the socket cannot be made.
 */
export async function openChannel(options: ChannelOptions): Promise<Channel> {
  try {
    removeStale(options.socketPath);
    const server = createServer();
    server.maxConnections = MOST_CLIENTS;
    await listen(server, options.socketPath);
    return new SocketChannel(server, options);
  } catch (error) {
    const problem = diskProblem(error);
    if (problem === undefined) throw error;
    throw new UserError({ what: `cannot listen on ${options.socketPath}`, ...problem, exitCode: EXIT.refused, cause: error });
  }
}

class SocketChannel implements Channel {
  readonly #server: Server;
  readonly #options: ChannelOptions;
  #host: ChannelHost;
  readonly #clients = new Map<Socket, ServedClient>();
  #closing: Promise<void> | undefined;

  constructor(server: Server, options: ChannelOptions) {
    this.#server = server;
    this.#options = options;
    this.#host = options.host;
    server.on("connection", (socket) => this.#welcome(socket));
    // A failed accept (no descriptor left, say) concerns only that client.
    server.on("error", (error) => this.#problem(`a client could not connect: ${error.message}`));
  }

  publish(event: RunEvent): void {
    if (this.#clients.size === 0) return;
    const line = messageLine({ kind: "event", event });
    for (const client of this.#clients.values()) client.send({ line, seq: event.seq });
  }

  serve(host: ChannelHost): void {
    this.#host = host;
    if (this.#clients.size === 0) return;
    const snapshot = snapshotLine(host);
    for (const client of this.#clients.values()) client.replaceSnapshot(snapshot);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const sockets = [...this.#clients.keys()];
    const closed = new Promise<void>((settle) => this.#server.close(() => settle()));
    for (const socket of sockets) socket.end();
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }

  /** Runs in one turn of the event loop, so that no event comes between the snapshot and the first one after it. */
  #welcome(socket: Socket): void {
    socket.on("error", (error) => this.#problem(`a client's connection broke: ${error.message}`));
    socket.on("close", () => this.#clients.delete(socket));
    if (this.#closing !== undefined) return void socket.destroy();
    try {
      const client = new ServedClient({
        socket,
        snapshot: snapshotLine(this.#host),
        onCommand: (command) => this.#command(command),
        onDropped: (why) => this.#problem(`a client was dropped: ${why}`),
      });
      this.#clients.set(socket, client);
    } catch (error) {
      socket.destroy();
      this.#problem(`a client got no snapshot: ${errorWords(error)}`);
    }
  }

  #command(command: Command): void {
    try {
      this.#host.command(command);
    } catch (error) {
      this.#problem(`the command ${command.type} failed: ${errorWords(error)}`);
    }
  }

  #problem(problem: string): void {
    this.#options.onProblem?.(problem);
  }
}

/** A snapshot message as a line, and the sequence number of its state. */
interface SnapshotLine {
  readonly line: Buffer;
  readonly seq: number;
}

/** The parameters and callbacks of a connection. */
interface ServedClientOptions {
  readonly socket: Socket;
  readonly snapshot: SnapshotLine;
  readonly onCommand: (command: Command) => void;
  /** Called if the engine ended the connection, with the reason. */
  readonly onDropped: (why: string) => void;
}

/** The engine's end of one client's connection. Never waits for the client and never throws. */
class ServedClient {
  readonly #options: ServedClientOptions;
  readonly #lines = new JsonLinesReader(LONGEST_COMMAND);
  /** The sequence number of the last event that the client has or knows from its snapshot. */
  #seq = 0;
  /** The most bytes that may wait in memory; snapshots are on top until they are sent. */
  #bound = QUEUE_BYTES;

  constructor(options: ServedClientOptions) {
    this.#options = options;
    options.socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    options.socket.setTimeout(STALLED_MS, () => {
      if (options.socket.writableLength > 0) this.#drop("it takes nothing");
    });
    this.#send(options.snapshot);
  }

  /** Sends another snapshot, which replaces all that the client knows. Drops a client that has not taken the last one. */
  replaceSnapshot(snapshot: SnapshotLine): void {
    if (!this.#options.socket.writable) return;
    if (this.#bound > QUEUE_BYTES || this.#options.socket.writableLength > QUEUE_BYTES) return this.#drop("it does not keep up");
    this.#send(snapshot);
  }

  #send({ line, seq }: SnapshotLine): void {
    this.#seq = seq;
    this.#bound = QUEUE_BYTES + line.length;
    this.#options.socket.write(line, () => {
      this.#bound = QUEUE_BYTES;
    });
  }

  /** Sends an event that follows the client's last one; skips one that it has already. */
  send(event: { readonly line: Buffer; readonly seq: number }): void {
    if (!this.#options.socket.writable || event.seq <= this.#seq) return;
    // With a gap in it the client's state would be wrong without a sign; a new connection begins with a complete one.
    if (event.seq !== this.#seq + 1) return this.#drop(`it would miss events ${this.#seq + 1} to ${event.seq - 1}`);
    if (this.#options.socket.writableLength + event.line.length > this.#bound) return this.#drop("it does not keep up");
    this.#seq = event.seq;
    this.#gather();
    this.#options.socket.write(event.line);
  }

  /** 64 talking agents are 256 events a second: sending each by itself would cost both ends a turn. */
  #gather(): void {
    const { socket } = this.#options;
    if (socket.writableCorked > 0) return;
    socket.cork();
    // The end of the connection sends the gathered events by itself.
    setTimeout(() => socket.uncork(), TOGETHER_MS);
  }

  #receive(chunk: Buffer): void {
    const lines = this.#lines.push(chunk);
    for (;;) {
      const command = this.#next(lines);
      if (command === undefined) return;
      if (command === "bad") return this.#drop("it sent a line that is not a command");
      this.#options.onCommand(command);
    }
  }

  /** The next complete command, "bad" for an invalid line, undefined at the end of the received bytes. */
  #next(lines: Generator<unknown, undefined>): Command | "bad" | undefined {
    if (this.#options.socket.destroyed) return undefined;
    try {
      const { done, value } = lines.next();
      return done ? undefined : (ClientMessage.safeParse(value).data?.command ?? "bad");
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof LineTooLong) return "bad";
      throw error;
    }
  }

  #drop(why: string): void {
    if (this.#options.socket.destroyed) return;
    this.#options.socket.destroy();
    this.#options.onDropped(why);
  }
}

function snapshotLine(host: ChannelHost): SnapshotLine {
  const snapshot = host.snapshot();
  return { line: messageLine(snapshot), seq: snapshot.state.seq };
}

function messageLine(message: ServerMessage): Buffer {
  return Buffer.from(jsonLine(message));
}

function errorWords(error: unknown): string {
  return errorMessage(error);
}

function removeStale(socketPath: string): void {
  try {
    if (!lstatSync(socketPath).isSocket()) {
      throw new UserError({
        what: `cannot listen on ${socketPath}`,
        why: "something that is not a socket has that name",
        todo: "Move it away, then run the same command again.",
        exitCode: EXIT.refused,
      });
    }
    rmSync(socketPath);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Node binds within the call to `listen`, so the mode is set before any client can connect. */
function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(socketPath, () => {
      server.off("error", reject);
      settle();
    });
    try {
      chmodSync(socketPath, 0o600);
    } catch (error) {
      // If the bind failed there is nothing to chmod: the server's own error follows with the reason.
      if (systemCode(error) !== "ENOENT") reject(error);
    }
  });
}
