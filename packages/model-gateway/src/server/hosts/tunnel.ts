import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Refusal } from "../refusals.ts";
import { readAuthority } from "./authority.ts";
import { dial } from "./dial.ts";
import type { HostConnections } from "./host-connections.ts";

/**
 * Connects a client that asked by CONNECT to an allowed host; settles when both have closed. Rejects with a Refusal if it is not
 * allowed; nothing has been sent to the client then.
 */
export async function openTunnel(
  req: IncomingMessage,
  client: Duplex,
  head: Buffer,
  hostConnections: HostConnections,
): Promise<void> {
  const { traffic, limits } = hostConnections;
  // CONNECT takes host and port and nothing else (RFC 9112, 3.2.3).
  const to = readAuthority(req.url ?? "");
  if (to === undefined) throw new Refusal(403, "CONNECT needs a host name and a port");
  if (traffic.open >= limits.tunnels) throw new Refusal(503, "too many connections are open", true);
  traffic.open += 1;
  let remote: Socket | undefined;
  // The client may leave while the host is still being looked up.
  let gone = client.destroyed;
  const end = (): void => {
    gone = true;
    client.destroy();
    remote?.destroy();
  };
  client.once("close", end);
  const ended = hostConnections.connections.add(end);
  try {
    remote = await dial(to, hostConnections.dialler);
    if (gone) return void remote.destroy();
    // From here on, pending data outlives the client.
    client.off("close", end);
    traffic.tunnels += 1;
    await join(client, remote, head, hostConnections);
  } finally {
    traffic.open -= 1;
    ended();
  }
}

function join(client: Duplex, remote: Socket, head: Buffer, { limits, traffic }: HostConnections): Promise<void> {
  return new Promise((settle) => {
    const end = (): void => {
      client.destroy();
      remote.destroy();
    };
    // One clock for both directions: the remote's socket counts what it reads and writes.
    remote.setTimeout(limits.idleMs, end);
    for (const [side, other] of [
      [client, remote],
      [remote, client],
    ] as const) {
      side.on("error", end);
      side.on("close", () => {
        if (other.closed) settle();
        else flushAndClose(other, limits.idleMs);
      });
    }
    client.on("data", (chunk: Buffer) => {
      traffic.bytesOut += chunk.length;
    });
    remote.on("data", (chunk: Buffer) => {
      traffic.bytesIn += chunk.length;
    });
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    // Bytes that came right behind the request. Not by `unshift`: a flowing stream already gives them to its listeners.
    traffic.bytesOut += head.length;
    if (head.length > 0) remote.write(head);
    client.pipe(remote);
    remote.pipe(client);
  });
}

/** Pending data still arrives at a side whose partner is gone; then the side is closed. */
function flushAndClose(side: Duplex, mostMs: number): void {
  if (side.writableFinished) return void side.destroy();
  const timer = setTimeout(() => side.destroy(), mostMs);
  side.once("close", () => clearTimeout(timer));
  side.once("finish", () => side.destroy());
  side.end();
}
