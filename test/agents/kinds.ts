import type { StandIn } from "../../packages/model-gateway/test/stage.ts";
import { anthropicStandIn, chatStandIn, geminiStandIn, responsesStandIn, type Script, type Turn } from "./stand-in.ts";

/** What a test needs to know of a vendor's program to play its API. */
interface Kind {
  /** Its API on loopback. */
  readonly standIn: (script: Script) => Promise<StandIn>;
  /** The path of that API. */
  readonly base: string;
  /** The use of its tool that runs a shell's command line. */
  readonly shell: (command: string) => { readonly name: string; readonly input: object };
  /** Two models that are in the price list. */
  readonly models: readonly [string, string];
}

export const KINDS = {
  claude: {
    standIn: anthropicStandIn,
    base: "",
    shell: (command) => ({ name: "Bash", input: { command } }),
    models: ["claude-sonnet-4-5", "claude-haiku-4-5"],
  },
  codex: {
    standIn: responsesStandIn,
    base: "/v1",
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    models: ["gpt-5.3-codex", "gpt-5.4"],
  },
  gemini: {
    standIn: geminiStandIn,
    base: "",
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    models: ["gemini-2.5-pro", "gemini-2.5-flash"],
  },
  opencode: {
    standIn: chatStandIn,
    base: "/v1",
    shell: (command) => ({ name: "bash", input: { command, description: "a command" } }),
    models: ["gpt-5.3-codex", "gpt-5.4"],
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

/** The address of a stand-in, as `baseUrl` names it. */
export function baseUrlOf(kind: KindName, { port }: Pick<StandIn, "port">): string {
  return `http://127.0.0.1:${port}${KINDS[kind].base}`;
}

/** A model that runs one command line and says that it is done. */
export function works(kind: KindName, command: string): Script {
  const turns: readonly Turn[] = [
    { say: "I write it.", tool: KINDS[kind].shell(command) },
    { say: "It is done.", usage: { input: 1_000, output: 100 } },
  ];
  return (turn) => turns[Math.min(turn, 1)] ?? { say: "It is done." };
}
