import { chmodSync, rmSync, statSync } from "node:fs";
import { connect, type Server } from "node:net";
import { errorCode } from "@loopdash/values";
import { guardServer, type RunGuard } from "./serve.ts";

/** Milliseconds without a question after which the server ends. */
const IDLE_MS = 10 * 60_000;

/**
 * Hidden verb `__guard-server <socket>`: serves this user's own agents until nobody has asked for ten minutes. `client.pl` starts it.
 * Resolves with the exit code when it has ended: 1 if another server is at the socket, or the socket cannot be made.
 */
export async function ownGuardServer(path: string, runGuard: RunGuard, idleMs = IDLE_MS): Promise<number> {
  // It belongs to no terminal.
  process.on("SIGHUP", () => undefined);
  const server = guardServer(runGuard);
  if (!(await listenAt(server, path))) return 1;
  chmodSync(path, 0o600);
  // The mark by which client.pl starts no other one meanwhile.
  rmSync(`${path}.starting`, { force: true });
  const own = statSync(path).ino;
  await untilIdle(server, idleMs);
  // Another one may have taken its place, if somebody has removed the socket.
  if (statSync(path, { throwIfNoEntry: false })?.ino === own) rmSync(path, { force: true });
  server.close();
  return 0;
}

/** Waits until nobody has asked for so long, or a signal ends the wait. */
function untilIdle(server: Server, idleMs: number): Promise<void> {
  return new Promise((settle) => {
    const end = (): void => {
      clearTimeout(idle);
      settle();
    };
    const idle = setTimeout(end, idleMs);
    server.on("connection", () => idle.refresh());
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, end);
  });
}

/** Listens; a socket that nobody serves any more is replaced. False if another server serves there, or it cannot listen. */
async function listenAt(server: Server, path: string): Promise<boolean> {
  const first = await listen(server, path);
  if (first === undefined) return true;
  if (first !== "EADDRINUSE" || (await hasServer(path))) return false;
  rmSync(path, { force: true });
  return (await listen(server, path)) === undefined;
}

/** Undefined if it listens, else the error's code. */
function listen(server: Server, path: string): Promise<string | undefined> {
  return new Promise((settle) => {
    const failed = (error: Error): void => settle(errorCode(error) ?? error.message);
    server.once("error", failed);
    server.listen(path, () => {
      server.off("error", failed);
      settle(undefined);
    });
  });
}

function hasServer(path: string): Promise<boolean> {
  return new Promise((settle) => {
    const connection = connect(path, () => {
      connection.destroy();
      settle(true);
    });
    connection.once("error", () => settle(false));
  });
}
