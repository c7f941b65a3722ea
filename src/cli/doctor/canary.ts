import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

/** What a canary tries, as its own words go from one process to another. */
export interface CanaryTask {
  /** Proof of life: the one place that it may write. */
  readonly alive: string;
  /** A file beside its own folder, which it must not be able to change, and one that it must not be able to make. */
  readonly victim: string;
  /** A file of loopdash's state that it must not be able to read; empty where there is none. */
  readonly secret: string;
  readonly escaped: string;
  /** Something in the command line of a process outside, said backwards so that the canary does not find itself. */
  readonly tokenBackwards: string;
  readonly port: number;
  /** A Unix socket that somebody outside listens on. */
  readonly socket: string;
}

/** Runs confined and tries to get out. What it could do it writes into `alive`; who asked looks for itself as well. */
export const CANARY = `const fs = require("node:fs"), net = require("node:net");
const task = JSON.parse(process.argv[1]), did = [];
const attempt = (what, act) => { try { if (act() !== false) did.push(what); } catch { return; } };
attempt("read loopdash's state", () => task.secret !== "" && fs.readFileSync(task.secret));
attempt("change a file outside its folder", () => fs.appendFileSync(task.victim, "changed"));
attempt("delete a file outside its folder", () => fs.rmSync(task.victim));
attempt("make a file outside its folder", () => fs.writeFileSync(task.escaped, "escaped"));
const token = [...task.tokenBackwards].reverse().join("");
for (const pid of fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)))
  attempt("see a process outside", () => fs.readFileSync("/proc/" + pid + "/cmdline", "utf8").includes(token));
const reach = (what, options) => new Promise((settle) => {
  const socket = net.connect(options);
  socket.once("connect", () => { did.push(what); socket.destroy(); settle(); });
  socket.once("error", settle);
});
Promise.all([
  reach("reach a port of this machine", { host: "127.0.0.1", port: task.port }),
  reach("reach a Unix socket", { path: task.socket }),
  reach("reach an abstract socket", { path: "\\0" + token }),
]).then(() => fs.writeFileSync(task.alive, JSON.stringify(did)));`;

/** What every system takes as the path of a socket (sun_path: 108 bytes on Linux, 104 elsewhere). A longer one is not tried. */
const LONGEST_SOCKET_PATH = 100;

/** Where a canary must not get through: a port, a Unix socket, an abstract socket; and whether anybody came. */
export interface Doors extends AsyncDisposable {
  readonly port: number;
  readonly visited: () => boolean;
}

/** Opens them all, the Unix socket at `path`. Abstract sockets are Linux's: they have no file, and only a network namespace closes them. */
export async function openDoors(token: string, path: string): Promise<Doors> {
  let visits = 0;
  const visit = (socket: Socket): void => {
    visits += 1;
    socket.destroy();
  };
  const [tcp, unix, abstract] = [createServer(visit), createServer(visit), createServer(visit)];
  await listen(tcp, { port: 0, host: "127.0.0.1" });
  const servers = [tcp];
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) {
    await listen(unix, { path });
    servers.push(unix);
  }
  if (process.platform === "linux") {
    await listen(abstract, { path: `\0${token}` });
    servers.push(abstract);
  }
  const address = tcp.address();
  if (address === null || typeof address === "string") throw new Error("the port that was opened is not known");
  return {
    port: address.port,
    visited: () => visits > 0,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))));
    },
  };
}

function listen(server: Server, on: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(on, () => settle());
  });
}

/** The files of a canary: `inside` is its own folder, `outside` is not. */
export function canaryFiles(inside: string, outside: string): Pick<CanaryTask, "alive" | "victim" | "escaped" | "socket"> {
  const [victim, escaped, socket] = [join(outside, "victim"), join(outside, "escaped"), join(outside, "s")];
  return { alive: join(inside, "alive"), victim, escaped, socket };
}
