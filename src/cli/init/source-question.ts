import { TOKEN_OF } from "../../domain/batch/tracker-spec.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { InitFlags } from "./flags.ts";
import { isSet } from "./installed-agents.ts";
import type { Choice, Interview, ParsedAnswer } from "./interview.ts";
import type { FoundRepository } from "./repository.ts";
import { ticketFolderNear } from "./ticket-folder.ts";

export type Source = NonNullable<InitFlags["from"]>;

/** The flags that only one kind of tracker has. */
const FLAGS_OF: readonly (readonly [Source, readonly (keyof InitFlags)[]])[] = [
  ["linear", ["team", "label", "cycle"]],
  ["github", ["repoIssues", "labels", "milestone", "search"]],
  ["folder", ["tickets"]],
];

interface SourceOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The repository that the current folder lies in. */
  readonly current: FoundRepository | undefined;
}

/** Asks where the tickets are. Undefined if the answer is missing. */
export async function askSource(interview: Interview, flags: InitFlags, options: SourceOptions): Promise<Source | undefined> {
  const choices: readonly Choice[] = [
    { value: "linear", label: `Linear (${tokenText("linear", options.env)})` },
    { value: "github", label: `GitHub issues (${tokenText("github", options.env)})` },
    { value: "folder", label: "Markdown files in a folder" },
  ];
  return interview.answer({
    flag: "--from linear|github|folder",
    given: flags.from ?? impliedSource(flags),
    text: "Where are the tickets?",
    choices,
    fallback: await likelySource(options),
    suggested: "folder",
    parse: (text) => readSource(text, flags),
  });
}

function tokenText(source: "linear" | "github", env: NodeJS.ProcessEnv): string {
  const { variable } = TOKEN_OF[source];
  return `${variable} is ${isSet(env, variable) ? "set" : "not set: a run needs it"}`;
}

/** A token that is set for Linear, one for GitHub and a remote there, or a folder with tickets. */
async function likelySource({ cwd, env, current }: SourceOptions): Promise<Source | undefined> {
  if (isSet(env, TOKEN_OF.linear.variable)) return "linear";
  if (isSet(env, TOKEN_OF.github.variable) && current?.remote?.host === "github.com") return "github";
  const { hasTickets } = await ticketFolderNear(
    cwd,
    current === undefined ? {} : { [current.name]: { ...current, prepare: [] } },
  );
  return hasTickets ? "folder" : undefined;
}

/** The kind of tracker whose own flags are given. */
function impliedSource(flags: InitFlags): Source | undefined {
  return FLAGS_OF.find(([, names]) => names.some((name) => flags[name] !== undefined))?.[0];
}

function readSource(text: string, flags: InitFlags): ParsedAnswer<Source> {
  const found = FLAGS_OF.find(([source]) => source === text);
  if (found === undefined) return { problem: "choose 1, 2 or 3, or write linear, github or folder" };
  const [source] = found;
  const foreign = FLAGS_OF.flatMap(([other, names]) => (other === source ? [] : names)).find((name) => flags[name] !== undefined);
  if (foreign === undefined) return { value: source };
  const flag = `--${foreign.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UserError({
    what: `${flag} is not for tickets from ${source}`,
    why: "each kind of tracker has its own query",
    todo: "See: loopdash init --help",
    exitCode: EXIT.usage,
  });
}
