import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Hidden verb: the sandbox's side of a gateway. Imports only Node's own modules, because it starts before every program. */

/** Connections at a time; the gateway has its own limit. */
const MOST_CONNECTIONS = 256;
/** Questions to the guard at a time. Node judges the others. */
const MOST_QUESTIONS = 64;
/** Buffer per direction, so that a long request passes without stops. Bytes. */
const AT_A_TIME = 512 * 1024;
/** Passed on to the program. Termination signals do not end the relay itself: it ends with the program. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"] as const;
/** A shell's exit code for a program that does not exist (POSIX, 2.8.2). */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

/** The options, and what each takes. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  "--base-url": /^(\w+)(?:=(\/[\w/.-]*))?$/,
  "--forward": /^[\w.-]+:(\d{1,5})$/,
  "--guard-socket": /^@([\w-]+)$/,
};
/** The longest answer to a tunnel's request. Bytes. */
const LONGEST_HEAD = 8 * 1024;

/** The relay's command line. */
interface RelayArgs {
  readonly socketPath: string;
  /** Variables that get the relay's address, and the path to append to it. */
  readonly baseUrls: readonly { readonly name: string; readonly path: string }[];
  /** `host:port` of opened servers on the loopback outside, each of which the program finds at the same port inside. */
  readonly forwards: readonly string[];
  /** The abstract socket at which the guard is served, without its "@"; see guard-server/serve.ts. */
  readonly guardSocket?: string;
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * `__relay <socket> [--base-url NAME[=/path]]… [--forward host:port]… [--guard-socket @name] -- program args…`: listens on loopback,
 * joins each connection to the gateway's socket, and runs the program with this relay as its proxy. Each `--forward` is a server on the
 * loopback outside: the relay listens at its port too, and asks the gateway for a tunnel to it, so that programs need to know of no proxy.
 * `--guard-socket` has it serve the guard. Ends as the program does: with its exit code, or by its signal, without waiting for open
 * connections. Returns 2 if the command line is invalid.
 */
export async function relay(argv: readonly string[], loadGuard: LoadGuard): Promise<number> {
  const of = readRelayArgs(argv);
  if (of === undefined) {
    process.stderr.write(
      "usage: __relay <socket> [--base-url NAME[=/path]]... [--forward host:port]... [--guard-socket @name] -- program args...\n",
    );
    return 2;
  }
  const port = await listen(joining(of.socketPath));
  for (const to of of.forwards) await forward(of.socketPath, to);
  const serveGuard = of.guardSocket === undefined ? undefined : await takeName(of.guardSocket);
  const ended = run(of, environment(process.env, of, `http://127.0.0.1:${port}`));
  await serveGuard?.(loadGuard);
  return await ended;
}

type LoadGuard = () => Promise<Pick<typeof import("./guard/run-guard.ts"), "runGuard">>;

/**
 * Takes the name at which hooks ask the guard, before any program could. Nobody else can while the relay lives, and the program ends with the
 * relay. No program starts if somebody has the name, who could allow everything. The function that it returns loads the guard, after the
 * program has started, which needs it later. If it cannot be loaded, whoever asks is hung up on, and starts Node.
 */
async function takeName(name: string): Promise<(loadGuard: LoadGuard) => Promise<void>> {
  const early: Socket[] = [];
  let serve = (connection: Socket): void => void early.push(connection);
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on("error", () => connection.destroy());
    serve(connection);
  });
  server.maxConnections = MOST_QUESTIONS;
  await new Promise<void>((settle) => server.once("error", unstartable).listen(`\0${name}`, settle));
  server.off("error", unstartable).on("error", unserved);
  return async (loadGuard) => {
    try {
      const [{ answerQuestion }, { runGuard }] = await Promise.all([import("@loopdash/guard/server"), loadGuard()]);
      serve = (connection) => answerQuestion(connection, runGuard);
    } catch (error) {
      unserved(error);
      serve = (connection) => connection.destroy();
    }
    for (const connection of early) serve(connection);
  };
}

function unserved(error: unknown): void {
  process.stderr.write(`loopdash relay: the guard is not served: ${error instanceof Error ? error.message : String(error)}\n`);
}

function unstartable(error: Error): void {
  process.stderr.write(`loopdash relay: nothing is started, because the guard cannot be served: ${error.message}\n`);
  process.exit(NOT_RUNNABLE);
}

function readRelayArgs(argv: readonly string[]): RelayArgs | undefined {
  const [socketPath, ...rest] = argv;
  const split = rest.indexOf("--");
  const [program, ...args] = split < 0 ? [] : rest.slice(split + 1);
  const options = split < 0 ? undefined : readOptions(rest.slice(0, split));
  if (socketPath === undefined || socketPath === "--" || program === undefined || options === undefined) return undefined;
  return { socketPath, ...options, program, args };
}

function readOptions(words: readonly string[]): Pick<RelayArgs, "baseUrls" | "forwards" | "guardSocket"> | undefined {
  let guardSocket: string | undefined;
  const baseUrls: { name: string; path: string }[] = [];
  const forwards: string[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const [option = "", value = ""] = words.slice(at, at + 2);
    const found = OPTIONS[option]?.exec(value);
    if (!found) return undefined;
    if (option === "--forward") forwards.push(value);
    else if (option === "--guard-socket") guardSocket = found[1];
    else baseUrls.push({ name: found[1] ?? "", path: found[2] ?? "" });
  }
  return { baseUrls, forwards, guardSocket };
}

/**
 * Loopback stays direct: in the sandbox it leads only to programs of the same step, such as a test's own server. A proxy from
 * outside does not exist inside.
 */
function environment(from: NodeJS.ProcessEnv, { baseUrls }: RelayArgs, address: string): NodeJS.ProcessEnv {
  const { ALL_PROXY: _all, all_proxy: _allLower, ...env } = from;
  const direct = "localhost,127.0.0.1,::1";
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]) env[name] = address;
  for (const name of ["NO_PROXY", "no_proxy"]) env[name] = direct;
  // Without it Node's own fetch and http use no proxy.
  env["NODE_USE_ENV_PROXY"] = "1";
  for (const { name, path } of baseUrls) env[name] = address + path;
  return env;
}

/**
 * Listens at the port of `to` on both loopback addresses. If a port cannot be taken (one below 1024 is reserved, or IPv6 is off),
 * the program still reaches the server through the proxy.
 */
async function forward(socketPath: string, to: string): Promise<void> {
  const port = Number(to.slice(to.lastIndexOf(":") + 1));
  const problems: string[] = [];
  for (const address of ["127.0.0.1", "::1"])
    await listen(joining(socketPath, to), address, port).catch((error: Error) => problems.push(error.message));
  if (problems.length > 1) process.stderr.write(`loopdash relay: ${to} is not at its own port: ${problems[0] ?? ""}\n`);
}

/** Joins each connection to the gateway's socket; with `tunnelTo`, to a tunnel that the gateway opens first. */
function joining(socketPath: string, tunnelTo?: string): Server {
  const to = { path: socketPath, allowHalfOpen: true, highWaterMark: AT_A_TIME };
  const server = createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: AT_A_TIME }, (inside) => {
    const outside = connect(to);
    const end = (): void => {
      inside.destroy();
      outside.destroy();
    };
    for (const [side, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      side.on("error", end);
      // Data on its way to the other side still arrives.
      side.on("close", () => (other.writableFinished ? other.destroy() : other.end(() => other.destroy())));
    }
    if (tunnelTo === undefined) {
      pump(inside, outside);
      pump(outside, inside);
    } else openTunnel(outside, tunnelTo, { inside, end });
  });
  server.maxConnections = MOST_CONNECTIONS;
  // A failed accept (no descriptor left, for example) affects only that connection.
  server.on("error", (error) => process.stderr.write(`loopdash relay: ${error.message}\n`));
  return server;
}

/** Asks for a tunnel and joins both sides once it stands. The program sends nothing meanwhile: it is not read before. */
function openTunnel(outside: Socket, to: string, { inside, end }: { readonly inside: Socket; readonly end: () => void }): void {
  let head = Buffer.alloc(0);
  outside.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const over = head.indexOf("\r\n\r\n");
    if (over < 0) return head.length > LONGEST_HEAD ? end() : undefined;
    outside.off("data", onData);
    if (!head.subarray(0, over).toString("latin1").startsWith("HTTP/1.1 200 ")) return end();
    if (head.length > over + 4) inside.write(head.subarray(over + 4));
    pump(inside, outside);
    pump(outside, inside);
  };
  outside.on("data", onData);
  outside.on("end", () => inside.end());
}

/**
 * Not `pipe` or `pipeline`: both access process.stdout, which makes it non-blocking for the program too, because they share it. A
 * program that does not expect that loses output, or crashes.
 */
function pump(from: Socket, to: Socket): void {
  from.on("data", (chunk) => to.write(chunk) || from.pause());
  to.on("drain", () => from.resume());
  from.on("end", () => to.end());
}

function listen(server: Server, address = "127.0.0.1", port = 0): Promise<number> {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      settle((server.address() as AddressInfo).port);
    });
  });
}

function run({ program, args }: RelayArgs, env: NodeJS.ProcessEnv): Promise<number> {
  let child: ChildProcess | undefined;
  const early: NodeJS.Signals[] = [];
  for (const signal of SIGNALS) process.on(signal, () => (child === undefined ? early.push(signal) : child.kill(signal)));
  return new Promise((settle) => {
    child = spawn(program, args, { stdio: "inherit", env });
    for (const signal of early) child.kill(signal);
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (child?.pid !== undefined) return;
      process.stderr.write(`loopdash relay: ${program} cannot be started: ${error.code ?? error.message}\n`);
      process.exit(error.code === "ENOENT" ? NOT_FOUND : NOT_RUNNABLE);
    });
    child.once("exit", (code, signal) => {
      if (signal !== null) return endBy(signal);
      settle(code ?? 1);
      process.exit(code ?? 1);
    });
  });
}

/** Ends this process by the same signal, so that its parent sees how the program ended. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // For a signal that does not end a process, or cannot be sent to this one (the first of a pid namespace).
  setTimeout(() => process.exit(1), 1_000);
}
