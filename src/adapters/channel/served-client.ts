import type { Socket } from "node:net";
import type { Command } from "../../domain/run/command.ts";
import { ClientMessage } from "../../domain/run/wire.ts";
import { LineSplitter, LineTooLong } from "./lines.ts";

/** Longest line from a client, in bytes. */
const LONGEST_WISH = 64 * 1024;
/** What may wait for a client beyond its snapshot, in bytes. */
const QUEUE_BYTES = 8 * 1024 * 1024;
/** So long events are gathered before they go out together. Milliseconds; what is shown waits longer before it is drawn. */
const TOGETHER_MS = 20;
/** A client that takes nothing for this long while something waits for it is gone. Milliseconds. */
const STALLED_MS = 30_000;

/** What a connection tells its server. */
export interface ServedOf {
  readonly socket: Socket;
  /** The snapshot message as a line, and the state's place in the run. */
  readonly snapshot: { readonly line: Buffer; readonly seq: number };
  readonly onCommand: (command: Command) => void;
  /** The engine ended the connection, and why. */
  readonly onDropped: (why: string) => void;
}

/** The engine's end of one client's connection. Never waits for the client and never throws. */
export class ServedClient {
  readonly #of: ServedOf;
  readonly #lines = new LineSplitter(LONGEST_WISH);
  /** The place of the last event that the client has or knows from its snapshot. */
  #seq: number;
  /** The most that may wait in memory; the snapshot is on top until it is gone. */
  #bound: number;

  constructor(servedOf: ServedOf) {
    this.#of = servedOf;
    this.#seq = servedOf.snapshot.seq;
    this.#bound = QUEUE_BYTES + servedOf.snapshot.line.length;
    servedOf.socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    servedOf.socket.setTimeout(STALLED_MS, () => {
      if (servedOf.socket.writableLength > 0) this.#drop("it takes nothing");
    });
    servedOf.socket.write(servedOf.snapshot.line, () => {
      this.#bound = QUEUE_BYTES;
    });
  }

  /** Sends an event that follows what the client has; one that it knows already is left out. */
  send(event: { readonly line: Buffer; readonly seq: number }): void {
    if (!this.#of.socket.writable || event.seq <= this.#seq) return;
    // With a hole in it the client's picture would be wrong without a sign; a new connection begins with a whole one.
    if (event.seq !== this.#seq + 1) return this.#drop(`it would miss events ${this.#seq + 1} to ${event.seq - 1}`);
    if (this.#of.socket.writableLength + event.line.length > this.#bound) return this.#drop("it does not keep up");
    this.#seq = event.seq;
    this.#gather();
    this.#of.socket.write(event.line);
  }

  /** 64 agents that talk are 256 events a second: each that went out by itself would cost both ends a turn. */
  #gather(): void {
    const { socket } = this.#of;
    if (socket.writableCorked > 0) return;
    socket.cork();
    // The end of the connection lets out what is gathered by itself.
    setTimeout(() => socket.uncork(), TOGETHER_MS);
  }

  #receive(chunk: Buffer): void {
    const lines = this.#lines.push(chunk);
    for (;;) {
      const wish = this.#next(lines);
      if (wish === undefined) return;
      if (wish === "bad") return this.#drop("it sent a line that is no command");
      this.#of.onCommand(wish);
    }
  }

  /** The next command that is complete, "bad" for a line that is none, undefined at the end of what came. */
  #next(lines: Generator<string>): Command | "bad" | undefined {
    if (this.#of.socket.destroyed) return undefined;
    try {
      const line = lines.next();
      if (line.done) return undefined;
      return ClientMessage.safeParse(JSON.parse(line.value)).data?.command ?? "bad";
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof LineTooLong) return "bad";
      throw error;
    }
  }

  #drop(why: string): void {
    if (this.#of.socket.destroyed) return;
    this.#of.socket.destroy();
    this.#of.onDropped(why);
  }
}
