import { BOUND_FILE } from "../bound/bound.ts";
import { DEFAULT_CHECK } from "./default-finish.ts";
import { listPrograms, type Party } from "./party.ts";
import { type Argv, prepareCommand, prepareCommandPath } from "./prepare-command.ts";
import type { Path } from "./problem.ts";
import type { Batch } from "./schema.ts";
import { isCriterion, isUnsandboxed, type StepSpec, stepName } from "./step-spec.ts";
import { testCommandSource } from "./test-command.ts";

/** A command of a batch, and where it runs. */
export interface BatchCommand {
  readonly argv: Argv;
  /** Its place in the batch file. */
  readonly path: Path;
  /**
   * The part of the batch that names it, and with it its folder: `agent`, the reviewers and `secret` (it prints the value) find relative paths in the batch file's folder, every
   * other command in a checkout of `repo`.
   */
  readonly runs: Party | "prepare" | "check" | "verify" | "smoke" | "secret";
  /** A key of `repos`; absent for the agent and the reviewers. */
  readonly repo?: string;
  /** True if the batch lets it run outside the sandbox. */
  readonly unsandboxed?: true;
  /** Where it was found, for people, if the batch file does not name it. Its path is that of the repository. */
  readonly foundIn?: string;
  /** True for the command of an iron law. */
  readonly isLaw?: true;
}

/**
 * Every command that a run of the batch starts; those of secrets run outside the sandbox. A step of the batch's own finish line
 * counts once per repository in which a ticket inherits it. The command of an oracle is not among them: it is frozen before the
 * start.
 */
export function listBatchCommands(batch: Batch): readonly BatchCommand[] {
  const { repos, finish = [], tickets } = batch;
  const whole = listPrograms(batch).flatMap(({ party, spec }): readonly BatchCommand[] =>
    spec.kind === "command" ? [{ argv: spec.command, path: [party, "command"], runs: party }] : [],
  );
  const prepare = Object.entries(repos).flatMap(([repo, spec]) =>
    spec.prepare.map(
      (entry, i): BatchCommand => ({
        argv: prepareCommand(entry).command,
        path: prepareCommandPath(entry, ["repos", repo, "prepare", i]),
        runs: "prepare",
        repo,
      }),
    ),
  );
  const shared = new Map(finish.map((step, i) => [JSON.stringify(step), ["finish", i] as Path]));
  const found = new Map<string, BatchCommand>();
  tickets.forEach((ticket, t) => {
    ticket.finish.forEach((step, i) => {
      const key = `${ticket.repo} ${JSON.stringify(step)}`;
      if (found.has(key)) return;
      const own: Path = isCriterion(step) ? ["tickets", t, "contract", "criteria", stepName(step)] : ["tickets", t, "finish", i];
      const path = shared.get(JSON.stringify(step)) ?? own;
      const command = foundCommand(batch, ticket.repo, step) ?? lawCommand(batch, ticket.repo, step) ?? stepCommand(step, path);
      if (command !== undefined) found.set(key, { ...command, repo: ticket.repo });
    });
  });
  const secrets = Object.entries(batch.secrets ?? {}).flatMap(([name, { command }]): readonly BatchCommand[] =>
    command === undefined ? [] : [{ argv: command, path: ["secrets", name, "command"], runs: "secret", unsandboxed: true }],
  );
  return [...whole, ...prepare, ...found.values(), ...secrets];
}

/** The check of the default finish line, if the step is that. */
function foundCommand({ testCommands = {} }: Batch, repo: string, step: StepSpec): BatchCommand | undefined {
  const argv = Object.hasOwn(testCommands, repo) ? testCommands[repo] : undefined;
  if (argv === undefined || step.step !== "check" || step.name !== DEFAULT_CHECK) return undefined;
  if (JSON.stringify(step.command) !== JSON.stringify(argv)) return undefined;
  return { argv, path: ["repos", repo], runs: "check", foundIn: testCommandSource(argv) };
}

/** The command of an iron law, if the step is one that no finish line of the batch file names. */
function lawCommand({ bounds = {}, finish = [] }: Batch, repo: string, step: StepSpec): BatchCommand | undefined {
  if (step.step !== "check" && step.step !== "verify") return undefined;
  const laws = (Object.hasOwn(bounds, repo) ? bounds[repo]?.ironLaws : undefined) ?? [];
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const law = laws.find(({ command }) => isSame(command, step.command));
  if (law === undefined || finish.some((one) => isSame(one, step))) return undefined;
  const isOfFile = law.origin.file === BOUND_FILE;
  const path = isOfFile ? ["repos", repo] : ["bound", "ironLaws"];
  return { argv: step.command, path, runs: step.step, foundIn: isOfFile ? BOUND_FILE : "bound.ironLaws", isLaw: true };
}

function stepCommand(step: StepSpec, path: Path): BatchCommand | undefined {
  if (step.step === "adversary")
    return step.smoke === undefined ? undefined : { argv: step.smoke, path: [...path, "smoke"], runs: "smoke" };
  if (step.step !== "check" && step.step !== "verify") return undefined;
  const command = { argv: step.command, path: [...path, "command"], runs: step.step };
  return isUnsandboxed(step) ? { ...command, unsandboxed: true } : command;
}

/** A script that an interpreter is to run. */
export interface NamedScript {
  /** Its position in the command. */
  readonly at: number;
  /** The paths of which the interpreter takes the first that exists. */
  readonly candidates: readonly string[];
}

const INTERPRETERS = /^(?:node|nodejs|python(?:\d(?:\.\d+)?)?|sh|bash|dash|zsh|ksh|ruby|perl|php|tsx|ts-node|Rscript|lua)$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ksh)$/;

/**
 * The script of a command such as `node tools/run.mjs`; undefined if words alone do not tell. An option before the script may
 * take a value, so only options of the form `--name=value` are passed over.
 */
export function findNamedScript(argv: Argv): NamedScript | undefined {
  const [program = "", ...args] = argv;
  const name = program.split("/").at(-1) ?? "";
  if (!INTERPRETERS.test(name)) return undefined;
  const at = args.findIndex((word) => !/^--[\w-]+=/.test(word)) + 1;
  const script = argv[at];
  if (at === 0 || script === undefined || script.startsWith("-")) return undefined;
  // A shell looks for a name without a slash on PATH too.
  if (SHELLS.test(name) && !script.includes("/") && !script.includes(".")) return undefined;
  return { at, candidates: [script, ...otherNames(name, script)] };
}

function otherNames(interpreter: string, script: string): readonly string[] {
  if (/^node/.test(interpreter)) return [".js", ".json", ".node", "/index.js", "/package.json"].map((end) => script + end);
  if (interpreter === "tsx" || interpreter === "ts-node") return [".ts", ".tsx", ".js", "/index.ts"].map((end) => script + end);
  return interpreter.startsWith("python") ? [`${script}/__main__.py`] : [];
}
