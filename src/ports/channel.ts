import type { Command } from "../domain/run/command.ts";
import type { RunEvent } from "../domain/run/event.ts";
import type { ServerMessage } from "../domain/run/wire.ts";

/** The engine's side of the run's socket. Clients come and go; none can slow or stop the run. */
export interface Channel {
  /** Sends an event to every client. A client that does not keep up is dropped, never waited for. */
  publish(event: RunEvent): void;
  /** Replaces the host: its snapshot goes to every client, and the events that are published next follow it. */
  serve(host: ChannelHost): void;
  /** Sends what is still queued, then closes every connection and removes the socket. */
  close(): Promise<void>;
}

/** The engine's part of a channel. */
export interface ChannelHost {
  /** The state and recent events for a new client. */
  snapshot(): Extract<ServerMessage, { kind: "snapshot" }>;
  command(command: Command): void;
}
