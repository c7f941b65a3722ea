import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { commandWords } from "../../domain/batch/command-words.ts";
import { VENDORS, type VendorKind, vendorsWith } from "../../domain/batch/vendors.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ProgramAnswer } from "./answers.ts";
import type { InitFlags } from "./flags.ts";
import { type InstalledAgent, isSet } from "./installed-agents.ts";
import type { Choice, Interview, ParsedAnswer } from "./interview.ts";

const KINDS = vendorsWith(() => true);

/** Programs that have a model of their own: the others are named with one, as kind:model. */
const COMPLETE = vendorsWith(({ needsModel }) => needsModel !== true);

/** The surroundings of the questions for programs. */
export interface ProgramSurroundings {
  readonly installed: readonly InstalledAgent[];
  readonly env: NodeJS.ProcessEnv;
  /** The PATH of programs. */
  readonly path: string;
  /** The batch file's folder, where the words of a command are looked for. */
  readonly folder: string;
}

/** A vendor's program before it is known who pays. */
type Chosen = "none" | Extract<ProgramAnswer, { kind: "command" }> | { readonly kind: VendorKind; readonly model?: string };

/** Asks for the program that works tickets, and who pays for it. Undefined if an answer is missing. */
export async function askAgent(
  interview: Interview,
  flags: InitFlags,
  surroundings: ProgramSurroundings,
): Promise<ProgramAnswer | undefined> {
  const offered = surroundings.installed.filter(({ kind }) => COMPLETE.includes(kind));
  const best = offered.find(isPaid) ?? offered[0];
  if (offered.length === 0 && flags.agent === undefined)
    interview.tell(`  none of these agents is on PATH: ${COMPLETE.join(", ")} (docs/use/agents.md)`);
  const chosen = await interview.answer({
    flag: `--agent ${KINDS.join("|")}`,
    given: flags.agent,
    text: agentText(offered),
    choices: offered.map(choiceOf),
    fallback: best?.kind,
    parse: (text) => readProgram(text, surroundings),
  });
  if (chosen === undefined || chosen === "none") return undefined;
  return askAccount(interview, chosen, { who: "agent", given: flags.agentKey, ...surroundings });
}

/** Asks for the program that reviews, which is another vendor's. "none" if there is none; undefined if an answer is missing. */
export async function askReviewer(
  interview: Interview,
  flags: InitFlags,
  {
    agent,
    refusal,
    ...surroundings
  }: ProgramSurroundings & {
    readonly agent: ProgramAnswer;
    /** The reason why the batch cannot have this reviewer; undefined if it can. */
    readonly refusal: (reviewer: ProgramAnswer) => string | undefined;
  },
): Promise<ProgramAnswer | "none" | undefined> {
  const others = surroundings.installed.filter(
    ({ kind }) => COMPLETE.includes(kind) && agent.kind !== "command" && VENDORS[kind].maker !== VENDORS[agent.kind].maker,
  );
  const chosen = await interview.answer({
    flag: `--reviewer none|${KINDS.join("|")}`,
    given: flags.reviewer,
    text: "Who reviews each change before it lands? (another vendor's program)",
    choices: [...others.map(choiceOf), { value: "none", label: "none" }],
    fallback: others.find(isPaid)?.kind ?? "none",
    parse: async (text) => {
      if (text === "none") return { value: "none" as const };
      const read = await readProgram(text, surroundings);
      if ("problem" in read || read.value === "none") return read;
      const why = refusal("command" in read.value ? read.value : { ...read.value, apiKeyEnv: "KEY" });
      return why === undefined ? read : { problem: why };
    },
  });
  if (chosen === undefined || chosen === "none") return chosen;
  return askAccount(interview, chosen, { who: "reviewer", given: flags.reviewerKey, ...surroundings });
}

function agentText(offered: readonly InstalledAgent[]): string {
  if (offered.length > 0) return "Which agent works the tickets? (a number, kind:model, or a command)";
  return "The command of your agent, such as: node agent.mjs";
}

function isPaid({ hasLogin, keyVariable }: InstalledAgent): boolean {
  return hasLogin || keyVariable !== undefined;
}

function choiceOf({ kind, hasLogin, keyVariable }: InstalledAgent): Choice {
  const sources = [...(hasLogin ? ["logged in"] : []), ...(keyVariable === undefined ? [] : [`${keyVariable} is set`])];
  return { value: kind, label: `${kind} (${sources.length === 0 ? "not logged in" : sources.join(", ")})` };
}

async function readProgram(text: string, { installed, path, folder }: ProgramSurroundings): Promise<ParsedAnswer<Chosen>> {
  const [name = "", model] = splitOnce(text);
  const kind = KINDS.find((each) => each === name);
  if (kind !== undefined) {
    if (!installed.some((each) => each.kind === kind))
      return { problem: `${kind} is not on PATH: install it (docs/use/agents.md), or choose another` };
    if (VENDORS[kind].needsModel === true && model === undefined)
      return { problem: `${kind} needs a model: write ${kind}:MODEL` };
    return { value: { kind, ...(model !== undefined && { model }) } };
  }
  const command = commandWords(text);
  if ("problem" in command) return command;
  const [program = ""] = command.value;
  if ((await resolveProgram(program, { cwd: folder, path })) === undefined)
    return { problem: `there is no program "${plainText(program, 100)}"; vendors' programs are ${KINDS.join(", ")}` };
  return { value: { kind: "command", command: command.value } };
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const at = text.indexOf(":");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Asks who pays for a vendor's program, unless there is just one answer. A command needs nobody. */
async function askAccount(
  interview: Interview,
  program: Exclude<Chosen, "none">,
  {
    who,
    given,
    installed,
    env,
  }: ProgramSurroundings & { readonly who: "agent" | "reviewer"; readonly given: string | undefined },
): Promise<ProgramAnswer | undefined> {
  if (program.kind === "command") return program;
  const { kind } = program;
  const { hasLogin = false, keyVariable } = installed.find((each) => each.kind === kind) ?? {};
  const takesLogin = VENDORS[kind].takesSubscription === true;
  // With one source the question would be idle.
  const only = hasLogin && keyVariable === undefined ? "login" : hasLogin ? undefined : keyVariable;
  const account = await interview.answer({
    flag: `--${who}-key VARIABLE${takesLogin ? "|login" : ""}`,
    given: given ?? only,
    text: `Key of ${kind}: the name of its variable${takesLogin ? ", or login (its own login here)" : ""}`,
    fallback: takesLogin ? "login" : undefined,
    parse: (text) => readAccount(text, { kind, takesLogin, env }),
  });
  return account === undefined ? undefined : { ...program, ...account };
}

type Account = { readonly billing: "subscription" } | { readonly apiKeyEnv: string };

/** The text of an answer that is no variable is not shown: it may be the key itself. */
function readAccount(
  text: string,
  { kind, takesLogin, env }: { readonly kind: VendorKind; readonly takesLogin: boolean; readonly env: NodeJS.ProcessEnv },
): ParsedAnswer<Account> {
  if (text === "login")
    return takesLogin ? { value: { billing: "subscription" } } : { problem: `${kind} has no login that loopdash can use` };
  const isName = /^[A-Z_][A-Z0-9_]{0,99}$/.test(text) || (/^\w{1,100}$/.test(text) && isSet(env, text));
  if (!isName) return { problem: "name the variable that holds the key, such as WORKER_KEY; never write the key itself" };
  return { value: { apiKeyEnv: text } };
}
