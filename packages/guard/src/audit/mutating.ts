import { Guard } from "../guard.ts";
import { firstScope, isUnknown, type ShellScope } from "../shell/scope.ts";
import { effectOfCommand, effectOfWords, MOST_CHARS as LONGEST_BY_WORDS } from "./shell-effect.ts";

/** Characters of a command that are parsed. A longer one may change something. */
const MOST_CHARS = 4_000;
/** Characters that are parsed of all commands of an attempt together. */
const MOST_PARSED = 1_000_000;

/** `unread`: neither its words nor the parser could tell, because it is too long or the budget is used up. It counts as mutating. */
type CommandClass = "reading" | "mutating" | "unread";

/**
 * Classifies the commands of one attempt. A line is reading if it surely only reads. Two must say so. First its words, as the behaviour
 * signals count them: that is cheap, and settles most lines. They miss a program behind `env`, `$'\''`, a here-document with a substitution,
 * or `./ls` (S2.16). So a line that they call reading is walked as the guard does, which parses it as bash would, and each program that the
 * walk meets must be one that only reads. What is not understood may change something.
 */
export class CommandClassifier {
  #parsed = 0;

  classify(command: string): CommandClass {
    const { edits, runs } = effectOfCommand(command);
    if (edits.length > 0 || (runs && command.length <= LONGEST_BY_WORDS)) return "mutating";
    if (command.length > MOST_CHARS || this.#parsed + command.length > MOST_PARSED) return "unread";
    this.#parsed += command.length;
    const walk = new ReadingWalk();
    try {
      walk.line(command, firstScope({ cwd: "/", home: "/home" }));
    } catch {
      // A defect of the parser: the line is not understood.
      return "mutating";
    }
    return walk.isReading ? "reading" : "mutating";
  }
}

/** Walks a command line as the guard does, and finds out whether all of it only reads. */
class ReadingWalk extends Guard {
  isReading = true;

  constructor() {
    super({ worktree: undefined, home: "/home", temp: [] }, () => true);
  }

  override run(words: readonly string[], frame: Parameters<Guard["run"]>[1]): string {
    const isOwn = frame.scope.functions.has(words[0] ?? "");
    if (!isOwn && !onlyReads(words)) this.isReading = false;
    return super.run(words, frame);
  }

  /** Ends the walk with the first word that settles it. */
  override step(): boolean {
    return this.isReading && super.step();
  }

  /** Whatever a rule of the guard forbids is no mere reading, and neither is what it cannot read. */
  override report(): void {
    this.isReading = false;
  }

  override onWrite(path: string, _scope: ShellScope): void {
    if (path !== "/dev/null" && !/^\/dev\/(?:stdout|stderr|fd\/[12])$/.test(path)) this.isReading = false;
  }

  override onEnvironment(assignments: ReadonlyMap<string, string>): void {
    if ([...assignments.keys()].some((name) => !HARMLESS.test(name))) this.isReading = false;
  }
}

/** Variables that make no program start another: languages, widths, colours. `LD_PRELOAD` or `GIT_EXTERNAL_DIFF` do. */
const HARMLESS = /^(?:LC_\w+|LANG|LANGUAGE|TZ|CI|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|NODE_ENV)$/;

/** Builtins that change nothing but the shell of this line. */
const OWN_SHELL = new Set(["cd", "pushd", "popd", ":", "true", "false", "test", "[", "shift", "wait", "read"]);

/** True if a program with these arguments surely changes nothing and starts nothing. */
function onlyReads(words: readonly string[]): boolean {
  const [program = "", ...args] = words;
  if (isUnknown(program)) return false;
  if (OWN_SHELL.has(program)) return true;
  // A file of the worktree may have the name of a program that reads.
  if (program.includes("/") && !/^\/(?:usr\/)?bin\/[^/]+$/.test(program)) return false;
  const name = program.slice(program.lastIndexOf("/") + 1);
  // The walk goes on with the script, as vendors' programs wrap commands: `bash -lc SCRIPT`.
  if (/^(?:ba|z|da)?sh$/.test(name)) return args.length === 2 && /^-l?c$/.test(args[0] ?? "") && !args.some(isUnknown);
  const { edits, runs } = effectOfWords(words);
  if (runs || edits.length > 0) return false;
  const canWrite = Object.hasOwn(CAN_WRITE, name) ? CAN_WRITE[name] : undefined;
  return canWrite === undefined || !(args.some(isUnknown) || canWrite(args));
}

const some =
  (pattern: RegExp) =>
  (args: readonly string[]): boolean =>
    args.some((arg) => pattern.test(arg));
const files = (args: readonly string[]): number => args.filter((arg) => !arg.startsWith("-")).length;

/** Programs that mostly read: true for arguments with which they may write a file or start a program. GNU options can be shortened. */
const CAN_WRITE: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  ack: some(/^--(?:pager|output)/),
  ag: some(/^--pager/),
  awk: (args) => some(/^-[^Fv]|^--/)(args) || some(/system|getline|[>|@]/)(args),
  bat: some(/^--(?:pager|config|generate)/),
  date: some(/^-[a-zA-Z]*s|^--s/),
  env: (args) => args.length > 0,
  fd: some(/^-[a-zA-Z]*[xX]|^--exec/),
  fdfind: some(/^-[a-zA-Z]*[xX]|^--exec/),
  file: some(/^-[a-zA-Z]*C|^--c/),
  find: some(/^-(?:exec|ok|delete|fprint|fls)/),
  git: some(/^-c$|^-c.|^-O|^--(?:ou|op|ext-diff|textconv|filters|exec-path|config-env)/),
  less: some(/^[-+][^NRSFX]|^--/),
  more: some(/^[-+]/),
  rg: some(/^--(?:pre|hostname-bin)/),
  sed: (args) => !args.every((arg) => /^-[nErsuz]+$|^--(?:quiet|silent)$/.test(arg) || isPrinting(arg)),
  sort: some(/^-[a-zA-Z]*[oST]|^--(?:o|c|t)/),
  tree: some(/^-[a-zA-Z]*[oR]|^--o/),
  uniq: (args) => files(args) > 1,
  xxd: (args) => some(/^-[a-zA-Z]*r/)(args) || files(args) > 1,
};

/** True for a script of sed that prints or deletes lines by number or pattern, and for the name of a file. */
function isPrinting(arg: string): boolean {
  return /^[\d,$;\s!pdq]*$/.test(arg) || /^\/[^/]*\/(?:,\/[^/]*\/)?[pd]$/.test(arg) || /^(?!-)[\w@./-]*\.\w+$/.test(arg);
}
