import { type Command, Option } from "commander";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** The places that tickets can come from. */
const SOURCES = ["linear", "github", "folder"] as const;
type Source = (typeof SOURCES)[number];

/** The answers that the command line gives. */
export interface InitFlags {
  readonly from?: Source;
  readonly team?: string;
  readonly project?: string;
  readonly label?: string;
  readonly cycle?: string;
  readonly repoIssues?: readonly string[];
  readonly labels?: string;
  readonly milestone?: string;
  readonly search?: string;
  readonly tickets?: string;
  readonly apiUrl?: string;
  readonly repo?: readonly string[];
  readonly prepare?: readonly string[];
  readonly test?: string;
  readonly hooks?: string;
  readonly agent?: string;
  readonly agentKey?: string;
  readonly reviewer?: string;
  readonly reviewerKey?: string;
  readonly name?: string;
  readonly out: string;
  readonly yes?: true;
  readonly force?: true;
  readonly improve?: true;
}

const KINDS = ["claude", "codex", "gemini", "opencode"];

const MORE = `
init asks for what no flag gives, writes the batch file, shows the tickets in the order of their
dependencies, and checks everything as doctor does. Without a terminal it names the flags that are
missing. Exit 0 if a run can start, 2 if an answer is missing, 3 if the tracker cannot be read,
4 if doctor found something bad, 130 if you ended it: then nothing was written.`;

/** Adds the verb `init` to the command line. */
export function addInit(program: Command, onFlags: (flags: InitFlags) => void): void {
  program
    .command("init")
    .description("ask a few questions and write a batch file")
    .optionsGroup("Tickets:")
    .addOption(offering("--from <source>", "where they are: linear, github or folder", SOURCES).argParser(readSource))
    .option("--team <key>", "Linear: the team, such as ENG")
    .option("--project <name>", "Linear: the project; GitHub: owner/number")
    .option("--label <name>", "Linear: a label that they have")
    .option("--cycle <number>", "Linear: the team's cycle, or current")
    .option("--repo-issues <owner/name>", "GitHub: the repository with them; app=owner/name for several", collect)
    .option("--labels <a,b>", "GitHub: labels that they all have")
    .option("--milestone <title>", "GitHub: their milestone")
    .option("--search <query>", "GitHub: a search, such as is:open")
    .option("--tickets <folder>", "folder: the Markdown files")
    .option("--api-url <address>", "the API of your own GitHub or Linear")
    .optionsGroup("Work:")
    .option("--repo <path>", "a repository: path, name=path or path#branch; repeat it for several", collect)
    .option("--prepare <command>", "makes a checkout ready, or none; repeat it for several", collect)
    .option("--test <command>", 'checks each change, such as "npm test", or none')
    .addOption(offering("--hooks <how>", "git hooks of the repository, which no run obeys: checks or none", ["checks", "none"]))
    .addOption(offering("--agent <program>", "a vendor's program, kind:model, or a command", KINDS))
    .option("--agent-key <variable>", "the variable with its key, or login")
    .addOption(offering("--reviewer <program>", "the same for another vendor's, or none", [...KINDS, "none"]))
    .option("--reviewer-key <variable>", "the variable with its key, or login")
    .optionsGroup("The file:")
    .option("--name <name>", "names the runs of the batch")
    .option("--out <file>", "the batch file", "batch.json")
    .option("--force", "replace the file if it exists")
    .option("--improve", "ask nothing; write goal.md for loopdash improve")
    .option("--yes", "ask nothing, take every default")
    .addHelpText("after", MORE)
    .action((flags: InitFlags) => onFlags(flags));
}

/** An option with values that completions offer. It takes others too. */
function offering(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
}

/** Values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function readSource(text: string): Source {
  const source = SOURCES.find((each) => each === text);
  if (source !== undefined) return source;
  const why = `"${text}" is none of them`;
  throw new UserError({ what: "--from takes linear, github or folder", why, todo: "Try: --from folder", exitCode: EXIT.usage });
}
