import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Command } from "../../domain/run/command.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { ServerMessage } from "../../domain/run/wire.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Channel, ChannelHost } from "../../ports/channel.ts";
import { diskProblem, systemCode } from "../disk-error.ts";
import { ServedClient } from "./served-client.ts";

/** More dashboards than anybody has. Each may hold a snapshot and its queue in memory. */
const MOST_CLIENTS = 32;
/** How long `close` waits for clients to take what is still queued, in milliseconds. */
const FAREWELL_MS = 2_000;

/** What a channel serves, and where. */
export interface ChannelOf {
  /** At most `LONGEST_SOCKET_PATH` bytes; see `newSocketPath`. In a folder of this user alone. */
  readonly socketPath: string;
  readonly host: ChannelHost;
  /** What went wrong with one client; the run goes on. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * Listens on the run's socket. A socket that a killed engine left there is replaced: the caller holds the run's lock.
 * Rejects with a UserError (exit 4) where the socket cannot be made.
 */
export async function openChannel(channelOf: ChannelOf): Promise<Channel> {
  try {
    removeStale(channelOf.socketPath);
    const server = createServer();
    server.maxConnections = MOST_CLIENTS;
    await listen(server, channelOf.socketPath);
    return new SocketChannel(server, channelOf);
  } catch (error) {
    const problem = diskProblem(error);
    if (problem === undefined) throw error;
    throw new UserError({ what: `cannot listen on ${channelOf.socketPath}`, ...problem, exitCode: EXIT.refused, cause: error });
  }
}

class SocketChannel implements Channel {
  readonly #server: Server;
  readonly #of: ChannelOf;
  readonly #clients = new Map<Socket, ServedClient>();
  #closing: Promise<void> | undefined;

  constructor(server: Server, channelOf: ChannelOf) {
    this.#server = server;
    this.#of = channelOf;
    server.on("connection", (socket) => this.#welcome(socket));
    // A failed accept (no descriptor left, say) concerns whoever wanted in.
    server.on("error", (error) => this.#problem(`a client could not connect: ${error.message}`));
  }

  publish(event: RunEvent): void {
    if (this.#clients.size === 0) return;
    const line = lineOf({ kind: "event", event });
    for (const client of this.#clients.values()) client.send({ line, seq: event.seq });
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
    }, FAREWELL_MS);
    await closed;
    clearTimeout(timer);
  }

  /** In one turn of the event loop, so that no event comes between the snapshot and the first one after it. */
  #welcome(socket: Socket): void {
    socket.on("error", (error) => this.#problem(`a client's connection broke: ${error.message}`));
    socket.on("close", () => this.#clients.delete(socket));
    if (this.#closing !== undefined) return void socket.destroy();
    try {
      const snapshot = this.#of.host.snapshot();
      const of = {
        socket,
        snapshot: { line: lineOf(snapshot), seq: snapshot.state.seq },
        onCommand: (command: Command) => this.#command(command),
        onDropped: (why: string) => this.#problem(`a client was dropped: ${why}`),
      };
      this.#clients.set(socket, new ServedClient(of));
    } catch (error) {
      socket.destroy();
      this.#problem(`a client got no snapshot: ${wordsOf(error)}`);
    }
  }

  #command(command: Command): void {
    try {
      this.#of.host.command(command);
    } catch (error) {
      this.#problem(`the command ${command.type} failed: ${wordsOf(error)}`);
    }
  }

  #problem(problem: string): void {
    this.#of.onProblem?.(problem);
  }
}

function lineOf(message: ServerMessage): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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

/** Node binds within the call to `listen`, so the mode is set before anybody can be let in. */
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
      // Where the bind failed there is nothing to chmod: the server's own error follows and says why.
      if (systemCode(error) !== "ENOENT") reject(error);
    }
  });
}
