import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeEach } from "vitest";
import { installedClient } from "../../src/cli/guard/installed-client.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const ROOT = resolve(import.meta.dirname, "../..");
export const PROGRAM = join(ROOT, "dist/loopdash.js");
const BWRAP: string = "bwrap";
export const folder = scratchFolder();

beforeEach(() => mkdirSync(join(folder(), "work/.git"), { recursive: true }));

/** Waits for a condition of a shell, at most 20 s: an end that does not come fails the test. */
const UNTIL = `until_() { n=0; until eval "$1"; do n=$((n+1)); [ $n -lt 400 ] || { echo "never: $1" >&2; exit 99; }; sleep 0.05; done; }`;

/**
 * Runs a script of a shell where /tmp is empty and all processes end with it. `$OWN` are the words of the client, `$NODE` and `$MAIN`
 * start loopdash, `$SOCKETS` is the folder of this user's sockets.
 */
export function inside(script: string, env: Record<string, string> = {}) {
  const own = installedClient("own");
  const files = [dirname(PROGRAM), folder(), dirname(process.execPath), ROOT].flatMap((path) => ["--bind", path, path]);
  const walls = [
    "--unshare-pid",
    "--unshare-net",
    "--die-with-parent",
    "--dev-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
  ];
  const variables = {
    OWN: own.join(" "),
    NODE: process.execPath,
    MAIN: PROGRAM,
    SOCKETS: `/tmp/loopdash-guard-${process.getuid?.()}`,
    WORK: join(folder(), "work"),
    ...env,
  };
  const { status, stdout, stderr } = spawnSync(BWRAP, [...walls, ...files, "sh", "-c", `${UNTIL}\ncd "$WORK"\n${script}`], {
    env: { PATH: process.env["PATH"], HOME: join(folder(), "home"), ...variables },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

export const use = (tool: string, input: object): string =>
  JSON.stringify({
    session_id: "s",
    cwd: join(folder(), "work"),
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: input,
  });
export const payload = (command: string) => ({ P: use("Bash", { command }) });
export const ASK = `printf %s "$P" | $OWN $NODE $MAIN hook before-tool --agent claude`;
/** As ASK, where Node cannot be started: only a server can answer. */
export const ASK_SERVER = ASK.replace("$NODE", "/nowhere/node");
const SERVED = `ls "$SOCKETS" 2>/dev/null | grep -q . && ! ls "$SOCKETS" | grep -q starting`;
export const START = `${ASK} 2>/dev/null; until_ '${SERVED}'`;
export const KILL = `kill -9 $(pgrep -f [_]_guard-server); until_ '! pgrep -f [_]_guard-server > /dev/null'`;
export const BLOCKED =
  "loopdash: the guard blocks this (git-reset)\n  why: It discards uncommitted changes.\n  do:  git stash push --include-untracked\n";

/** A server that does with each connection what this code says; `server` listens at the socket that the client asks. */
export const fake = (act: string): string => `$NODE -e '
  const server = require("node:net").createServer({ allowHalfOpen: true }, (connection) => { connection.on("error", () => 0); ${act} });
  server.listen("\\0loopdash-guard", () => require("node:fs").writeFileSync("/tmp/ready", ""));' & until_ '[ -e /tmp/ready ]'`;
export const ASK_FAKE = ASK.replace("$OWN", "$AT");
