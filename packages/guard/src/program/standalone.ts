import { isAbsolute, join } from "node:path";
import { errorMessage } from "@loopdash/values";
import { passwordHome } from "@loopdash/values/node";
import { thisProcess } from "./caller.ts";
import type { GuardHost } from "./guard-host.ts";
import { runGuard } from "./run-guard.ts";

const USAGE = `loopdash-guard says what a command line would destroy, and runs nothing.

  loopdash-guard check -- "git reset --hard"   exit 0: allowed; 2: blocked, with the reason and an alternative on stderr
  loopdash-guard check                         judges JSON strings, one per line of stdin; prints a JSON verdict for each
  loopdash-guard hook <event> --agent <kind>   judges the use of a tool, which a coding agent's program writes to stdin

check takes --json. Events: before-tool, after-tool, after-failed-tool, session-start, stop. Kinds: claude, codex, gemini, opencode. Options of
hook: --settings <file>, --report <file>, --audit <file>. What cannot be judged is blocked.
`;

/** The guard alone: what it told a session is in the XDG state folder, and only the checks of its settings can be unmet. */
const ALONE: GuardHost = ({ env }) => {
  const { HOME, XDG_STATE_HOME: state } = env;
  const home = HOME?.startsWith("/") === true ? HOME : (passwordHome() ?? "/");
  return {
    stateFolder: join(state !== undefined && isAbsolute(state) ? state : join(home, ".local", "state"), "loopdash-guard"),
    unfinished: () => Promise.resolve({ failed: [], late: [] }),
  };
};

async function main(args: readonly string[]): Promise<number> {
  const caller = thisProcess();
  const isCheck = args[0] === "check";
  const code = isCheck || args[0] === "hook" ? runGuard(isCheck ? ["guard", ...args] : args, ALONE, caller) : undefined;
  if (code !== undefined) return code;
  const isHelp = args.length === 0 || args.some((word) => word === "-h" || word === "--help");
  caller.print(isHelp ? 1 : 2, USAGE);
  return isHelp ? 0 : 2;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`loopdash-guard: ${errorMessage(error)}\n`);
    // Any other code lets a tool pass.
    process.exitCode = 2;
  },
);
