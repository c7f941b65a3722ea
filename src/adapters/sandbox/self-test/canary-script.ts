/** The task of a canary, given as JSON. */
export interface CanaryTask {
  /** The one folder that it may write. */
  readonly own: string;
  /** A file that it may read and must not change. */
  readonly readOnly: string;
  /** A file that it must not see. */
  readonly hidden: string;
  /** Files that it must not be able to create. */
  readonly outside: readonly string[];
  /** A folder that must look empty; an empty text if there is none. */
  readonly state: string;
  /** SHA-256 of the command line of a process outside, hexadecimal; empty if processes cannot be told apart in this way. */
  readonly engine: string;
  /** A port of this machine and Unix sockets (abstract ones begin with NUL) that a process outside listens on. */
  readonly port: number;
  readonly sockets: readonly string[];
}

/**
 * Tries to escape, and prints a JSON array of what it managed. It also reports permitted actions ("own"), so that a canary that
 * can do nothing at all proves nothing.
 */
export const CANARY = `const fs = require("node:fs"), net = require("node:net");
const task = JSON.parse(process.argv[1]), did = [];
const attempt = (what, act) => { try { if (act() !== false) did.push(what); } catch { return; } };
const hash = (bytes) => require("node:crypto").createHash("sha256").update(bytes).digest("hex");
attempt("own", () => { fs.writeFileSync(task.own, "x"); return fs.readFileSync(task.readOnly, "utf8") === "seen"; });
for (const path of task.outside) attempt("write a file outside", () => fs.writeFileSync(path, "x"));
attempt("read a hidden file", () => fs.readFileSync(task.hidden));
attempt("change a hidden file", () => fs.appendFileSync(task.hidden, "x"));
attempt("delete a hidden file", () => fs.rmSync(task.hidden));
attempt("write a file that it may only read", () => fs.appendFileSync(task.readOnly, "x"));
attempt("delete a file that it may only read", () => fs.rmSync(task.readOnly));
attempt("see loopdash's state", () => task.state !== "" && fs.readdirSync(task.state).length > 0);
attempt("change a setting of the kernel", () => fs.accessSync("/proc/sys/kernel/core_pattern", fs.constants.W_OK));
attempt("see a process outside", () => task.engine !== "" && fs.readdirSync("/proc").some((name) => {
  try { return hash(fs.readFileSync("/proc/" + name + "/cmdline")) === task.engine; } catch { return false; }
}));
const reach = (what, options) => new Promise((settle) => {
  const socket = net.connect(options);
  socket.once("connect", () => { did.push(what); socket.destroy(); settle(); });
  socket.once("error", settle);
});
Promise.all([
  reach("reach a port of this machine", { host: "127.0.0.1", port: task.port }),
  ...task.sockets.map((path) => reach(path[0] === "\\0" ? "reach an abstract socket" : "reach a socket in a hidden folder", { path })),
]).then(() => console.log(JSON.stringify(did)));`;
