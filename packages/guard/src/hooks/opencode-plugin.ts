import type { HookEvent } from "./hook-event.ts";

/**
 * The text of a plugin for opencode (1.18.33): it asks the hook before every tool, and an error that it throws there blocks the
 * tool and is what the agent sees. Whatever the hook's process does but exit 0 blocks. What a hook says after a tool is added to the tool's
 * result.
 */
export function opencodePlugin(commands: readonly (readonly [HookEvent, readonly string[]])[]): string {
  return `${HEAD}
const COMMANDS = ${JSON.stringify(Object.fromEntries(commands), undefined, 2)};
${BODY}`;
}

const HEAD = `// The guard of loopdash for opencode. "loopdash guard uninstall" takes it out, "loopdash guard status" tests it.
import { spawnSync } from "node:child_process";
`;

const BODY = `
function ask(event, payload) {
  const [program, ...args] = COMMANDS[event];
  const input = JSON.stringify({ hook_event_name: event, ...payload });
  return spawnSync(program, args, { input, encoding: "utf8", cwd: payload.cwd, timeout: 30000, maxBuffer: 1000000 });
}

function why({ status, stderr, error }) {
  if (status === 2 && stderr) return stderr;
  const end = error ? error.message : \`exit \${status}\`;
  return \`loopdash: the guard did not run (\${end}), so this is blocked. Install loopdash again, or take its plugin out: see loopdash guard status.\`;
}

export const LoopdashGuard = async ({ directory }) => {
  if (COMMANDS["session-start"]) ask("session-start", { cwd: directory });
  const used = new Map();
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const answer = ask("before-tool", { cwd: directory, session_id: sessionID, tool_use_id: callID, tool_name: tool, tool_input: args });
      if (answer.status !== 0) throw new Error(why(answer));
      if (COMMANDS["after-tool"]) used.set(callID, args);
    },
    "tool.execute.after": async ({ tool, sessionID, callID }, result) => {
      const tool_input = used.get(callID);
      used.delete(callID);
      if (!COMMANDS["after-tool"] || typeof result?.output !== "string") return;
      const tool_response = { exit_code: result.metadata?.exit };
      const { status, stdout } = ask("after-tool", { cwd: directory, session_id: sessionID, tool_use_id: callID, tool_name: tool, tool_input, tool_response });
      if (status === 0 && stdout) result.output += "\\n" + stdout;
    },
  };
};
`;
