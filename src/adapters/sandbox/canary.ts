import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecResult, Executor } from "../../ports/executor.ts";

/** How long a canary may take. Milliseconds. */
const DEADLINE_MS = 15_000;

/** What the canary is to try; given as JSON. */
interface Task {
  readonly outside: string;
  readonly readOnly: string;
  readonly hidden: string;
  readonly own: string;
  /** The pid namespace of this process, as the kernel names it. */
  readonly namespace: string;
  readonly port: number;
  readonly abstract: string;
  readonly socket: string;
}

/**
 * Tries to get out, and prints a JSON array of what it could do. It knows what it may do as well, so that one that cannot
 * do anything at all proves nothing.
 */
const SCRIPT = `const fs = require("node:fs"), net = require("node:net");
const task = JSON.parse(process.argv[1]), did = [];
const attempt = (what, act) => { try { if (act() !== false) did.push(what); } catch { return; } };
attempt("own", () => { fs.writeFileSync(task.own, "x"); return fs.readFileSync(task.readOnly, "utf8") === "seen"; });
attempt("write a file outside", () => fs.writeFileSync(task.outside, "x"));
attempt("write a file that it may only read", () => fs.appendFileSync(task.readOnly, "x"));
attempt("read a hidden file", () => fs.readFileSync(task.hidden));
attempt("change a setting of the kernel", () => fs.accessSync("/proc/sys/kernel/core_pattern", fs.constants.W_OK));
attempt("see a process outside", () => fs.readdirSync("/proc").some((name) => {
  try { return fs.readlinkSync("/proc/" + name + "/ns/pid") === task.namespace; } catch { return false; }
}));
const reach = (what, options) => new Promise((settle) => {
  const socket = net.connect(options);
  socket.once("connect", () => { did.push(what); socket.destroy(); settle(); });
  socket.once("error", settle);
});
Promise.all([
  reach("reach a port of this machine", { host: "127.0.0.1", port: task.port }),
  reach("reach an abstract socket", { path: "\\0" + task.abstract }),
  reach("reach a socket in a hidden folder", { path: task.socket }),
]).then(() => console.log(JSON.stringify(did)));`;

/** What came of a canary: what it could do that it must not, or why it could not even try. */
export type CanaryEnd =
  | { readonly ran: true; readonly escapes: readonly string[] }
  | { readonly ran: false; readonly result: Pick<ExecResult, "tail" | "message"> };

/** Runs a process that tries to leave the sandbox of `executor`, against a port and sockets opened for that. */
export async function runCanary(executor: Executor): Promise<CanaryEnd> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-canary-")));
  const at = (name: string) => join(folder, name);
  const abstract = `loopdash-${randomUUID()}`;
  const servers: Server[] = [];
  try {
    for (const name of ["own", "shown", "kept"]) mkdirSync(at(name));
    writeFileSync(at("shown/file"), "seen");
    writeFileSync(at("kept/file"), "unseen");
    for (const path of [`\0${abstract}`, at("kept/s")]) servers.push(await listening({ path }));
    const tcp = await listening({ port: 0, host: "127.0.0.1" });
    servers.push(tcp);
    const address = tcp.address();
    const task: Task = {
      outside: at("kept/new"),
      readOnly: at("shown/file"),
      hidden: at("kept/file"),
      own: at("own/file"),
      namespace: readlinkSync("/proc/self/ns/pid"),
      port: typeof address === "object" && address !== null ? address.port : 0,
      abstract,
      socket: at("kept/s"),
    };
    return judge(await run(executor, task, folder), () => readFileSync(at("shown/file"), "utf8") === "seen");
  } finally {
    await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))));
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(executor: Executor, task: Task, folder: string): Promise<ExecResult> {
  return executor.run({
    argv: [process.execPath, "-e", SCRIPT, JSON.stringify(task)],
    cwd: join(folder, "own"),
    env: { PATH: "/usr/bin:/bin" },
    logFile: join(folder, "log"),
    timeoutMs: DEADLINE_MS,
    signal: new AbortController().signal,
    marker: `canary-${randomUUID()}`,
    confinement: { write: [join(folder, "own")], read: [join(folder, "shown")], mounts: [], sockets: [] },
  });
}

function judge(result: ExecResult, isUnchanged: () => boolean): CanaryEnd {
  const did = result.ending === "exited" && result.exitCode === 0 ? namesIn(result.tail.trim()) : undefined;
  if (did === undefined || !did.includes("own")) return { ran: false, result };
  const escapes = did.filter((name) => name !== "own");
  return { ran: true, escapes: isUnchanged() ? escapes : [...escapes, "change a file outside"] };
}

function namesIn(text: string): readonly string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.map(String) : undefined;
}

function listening(on: { readonly path: string } | { readonly port: number; readonly host: string }): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(on, () => settle(server));
  });
}
