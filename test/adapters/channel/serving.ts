import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ChannelClient, connectChannel } from "../../../src/adapters/channel/socket-client.ts";
import { openChannel } from "../../../src/adapters/channel/socket-server.ts";
import type { Command } from "../../../src/domain/run/command.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { ServerMessage } from "../../../src/domain/run/wire.ts";
import type { Channel, ChannelHost } from "../../../src/ports/channel.ts";

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** As much of a state as a channel looks at, and `padding` characters that it does not. */
export function stateAt(seq: number, padding = 0): RunState {
  return JSON.parse(JSON.stringify({ run: "r", seq, batchPath: "x".repeat(padding) }));
}

export function eventAt(seq: number, text = ""): RunEvent {
  const type: RunEvent["type"] = "run-paused";
  return JSON.parse(JSON.stringify({ type, seq, at: seq, text }));
}

/** An engine that has come to `seq`: `pass` makes and publishes the next event. */
export interface Engine extends ChannelHost {
  readonly socketPath: string;
  readonly channel: Channel;
  readonly commands: Command[];
  readonly problems: string[];
  pass(text?: string): void;
}

export async function engine(options: { padding?: number; socketPath?: string } & Partial<ChannelHost> = {}): Promise<Engine> {
  const socketPath = options.socketPath ?? join(tempFolder(), "engine.sock");
  const commands: Command[] = [];
  const problems: string[] = [];
  let seq = 0;
  const host: ChannelHost = {
    snapshot: options.snapshot ?? (() => ({ kind: "snapshot", state: stateAt(seq, options.padding), recent: [] })),
    command: options.command ?? ((command) => void commands.push(command)),
  };
  const channel = await openChannel({ socketPath, host, onProblem: (problem) => void problems.push(problem) });
  onTestFinished(() => channel.close());
  return {
    ...host,
    socketPath,
    channel,
    commands,
    problems,
    pass(text) {
      seq += 1;
      channel.publish(eventAt(seq, text));
    },
  };
}

/** A client that notes what it is told. */
export interface Watcher extends ChannelClient {
  readonly messages: ServerMessage[];
  readonly reasons: string[];
  /** The place of the last thing it knows, or -1. */
  at(): number;
}

export async function watch(socketPath: string): Promise<Watcher> {
  const messages: ServerMessage[] = [];
  const reasons: string[] = [];
  const client = await connectChannel({
    socketPath,
    onMessage: (message) => void messages.push(message),
    onClose: (reason) => void reasons.push(reason),
  });
  onTestFinished(() => client.close());
  return {
    send: (command) => client.send(command),
    close: () => client.close(),
    messages,
    reasons,
    at() {
      const last = messages.at(-1);
      if (last === undefined) return -1;
      return last.kind === "snapshot" ? last.state.seq : last.event.seq;
    },
  };
}

/** A connection with no client behind it. */
export async function rawConnection(socketPath: string): Promise<Socket> {
  const socket = createConnection(socketPath);
  socket.on("error", () => socket.destroy());
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Lets everything that is due in the event loop happen once. */
export function turn(): Promise<void> {
  return new Promise((settle) => setImmediate(settle));
}
