import { createServer, type Server, type Socket } from "node:net";
import { LONGEST_SOCKET_PATH } from "../../private-tmp.ts";

/** Listeners that a canary must not reach: a port, a Unix socket, an abstract socket. They record every connection. */
export interface ProbeListeners extends AsyncDisposable {
  readonly port: number;
  readonly visited: () => boolean;
}

/**
 * Opens all listeners, the Unix socket at `path`. Only Linux has abstract sockets: they have no file, and only a network
 * namespace closes them.
 */
export async function openProbeListeners(abstract: string, path: string): Promise<ProbeListeners> {
  let visits = 0;
  const visit = (socket: Socket): void => {
    visits += 1;
    socket.destroy();
  };
  const servers: Server[] = [];
  const open = async (on: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer(visit);
    await listen(server, on);
    servers.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))));
  };
  try {
    const address = (await open({ port: 0, host: "127.0.0.1" })).address();
    if (address === null || typeof address === "string") throw new Error("the port that was opened is not known");
    // A path that is too long for a socket is not tried.
    if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) await open({ path });
    if (process.platform === "linux") await open({ path: `\0${abstract}` });
    return { port: address.port, visited: () => visits > 0, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listen(server: Server, on: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(on, () => settle());
  });
}
