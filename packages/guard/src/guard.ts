import { type ParsedScript, parse } from "unbash";
import { absolutePath, type Call, type Inspector, type Places } from "./paths.ts";
import { judgeProgram } from "./programs.ts";
import type { RuleId } from "./rule-table.ts";
import { judgeEmptying, judgeWrite } from "./rules/deletion.ts";
import { namesLoopdash } from "./rules/oddities.ts";
import { isSecretFile } from "./rules/secrets.ts";
import { builtins } from "./shell/builtins.ts";
import type { OutputFile } from "./shell/redirects.ts";
import { copyScope, MARK, type ShellScope } from "./shell/scope.ts";
import { type Frame, type Host, Walk } from "./shell/walk.ts";
import { judgeEnvironmentVariables } from "./unwrap/git.ts";

/** Lines within lines, such as `sh -c "sh -c …"`; deeper ones are not understood. */
const DEEPEST = 16;
/** Commands of one line, with those within loops and functions. */
const MOST_STEPS = 10_000;
/** Characters of one line: more than any command line of Linux can have in one argument. */
const LONGEST = 1_000_000;

/** Programs that find processes, files that name one, and the name of loopdash in either. */
const FINDERS = /^(?:pgrep|pidof|lsof|fuser)$/;
const PID_FILE = /pid|lock/i;

/** True if `git show HEAD:file` writes a file over itself. */
function isCommitted(word: string, target: string, words: readonly string[], scope: ShellScope): boolean {
  const file = words[0] === "git" && /^(?:show|cat-file)$/.test(words[1] ?? "") ? /^[^:]*:(.+)$/s.exec(word)?.[1] : undefined;
  return file !== undefined && absolutePath(file, scope) === target;
}

/** Walks a command line, and collects the rules that forbid it. */
export class Guard implements Inspector, Host {
  readonly findings: RuleId[] = [];
  readonly #places: Places;
  readonly #isEnabled: (rule: RuleId) => boolean;
  readonly #walk = new Walk(this);
  readonly #files = new Map<string, string>();
  readonly #builtins = builtins((text, call) => this.runText(text, call));
  #depth = 0;
  #steps = 0;
  findsLoopdash = false;
  /** True while text is judged that may be no shell code. */
  #isLenient = false;

  constructor(places: Places, isEnabled: (rule: RuleId) => boolean) {
    this.#places = places;
    this.#isEnabled = isEnabled;
  }

  report(rule: RuleId): void {
    if (this.#isEnabled(rule)) this.findings.push(rule);
  }

  line(text: string, scope: ShellScope, stdin?: string): string {
    return this.runText(text, { scope: copyScope(scope), stdin });
  }

  maybeLine(text: string, scope: ShellScope): void {
    const before = this.#isLenient;
    this.#isLenient = true;
    this.line(text, scope);
    this.#isLenient = before;
  }

  runText(text: string, frame: Frame): string {
    if (this.#depth >= DEEPEST || text.length > LONGEST) {
      this.report("unreadable");
      return "";
    }
    this.#depth++;
    const output = this.#walk.script(parse(text), frame);
    this.#depth--;
    return output;
  }

  words(words: readonly string[], call: Omit<Call, "name" | "args">): string {
    return this.run(words, call);
  }

  run(words: readonly string[], frame: Frame): string {
    const [name, ...args] = words;
    if (name === undefined || (name === "" && args.length === 0) || !this.step()) return "";
    const isFinder = FINDERS.test(name) || frame.before?.includes("ps");
    this.findsLoopdash ||= args.some((arg) => namesLoopdash(arg) && (isFinder || PID_FILE.test(arg)));
    const own = frame.scope.functions.get(name);
    if (own !== undefined) return this.#walk.callFunction(own, args, frame);
    const builtin = Object.hasOwn(this.#builtins, name) ? this.#builtins[name] : undefined;
    const output = builtin?.({ ...frame, name, args }, this);
    const printed = output ?? judgeProgram(words, frame, this, this.#places);
    return printed.length > LONGEST ? MARK.output : printed;
  }

  isForbidden(judge: () => void): boolean {
    const before = this.findings.length;
    judge();
    const isForbidden = this.findings.length > before;
    this.findings.length = before;
    return isForbidden;
  }

  keepFile(output: string): string {
    const path = `/dev/fd/${10 + this.#files.size}`;
    this.#files.set(path, output);
    return path;
  }

  content(path: string, scope: ShellScope): string | undefined {
    return path === "/dev/null" ? "" : this.#files.get(absolutePath(path, scope) ?? path);
  }

  keep(path: string, content: string, scope: ShellScope): void {
    const absolute = absolutePath(path, scope);
    if (absolute !== undefined && !absolute.startsWith("/dev/")) this.#files.set(absolute, content);
  }

  onWrite(path: string, scope: ShellScope): void {
    judgeWrite(path, scope, this, this.#places);
  }

  onWritten({ path, isAppended }: OutputFile, content: string, scope: ShellScope): void {
    const absolute = absolutePath(path, scope);
    if (absolute === undefined || absolute.startsWith("/dev/")) return;
    const before = isAppended ? (this.#files.get(absolute) ?? "") : "";
    this.#files.set(absolute, before + content);
    if (content === "" && !isAppended) judgeEmptying(path, { scope, guard: this, places: this.#places });
  }

  onEmptied(path: string, readers: readonly string[], scope: ShellScope): void {
    const target = absolutePath(path, scope);
    if (target !== undefined && readers.some((word) => isCommitted(word, target, readers, scope))) this.report("git-discard");
    const isRead = readers.some((word) => absolutePath(word.replace(/^~(?=\/)/, scope.home), scope) === target);
    const isReader = !/^(?:echo|printf|touch|tee|sponge|ls|test)$/.test(readers[0] ?? "");
    if (target !== undefined && (readers.length === 0 || (isRead && isReader)))
      judgeEmptying(path, { scope, guard: this, places: this.#places });
  }

  onRead(path: string, scope: ShellScope): void {
    if (PID_FILE.test(path)) this.findsLoopdash ||= namesLoopdash(path);
    if (isSecretFile(path, scope, this.#places)) this.report("read-secret");
  }

  onEnvironment(assignments: ReadonlyMap<string, string>, scope: ShellScope): void {
    judgeEnvironmentVariables(assignments, scope, this);
  }

  onForkBomb(): void {
    this.report("machine-off");
  }

  step(): boolean {
    this.#steps++;
    if (this.#steps === MOST_STEPS) this.report("unreadable");
    return this.#steps < MOST_STEPS;
  }

  onScript({ errors }: ParsedScript): void {
    if (errors !== undefined && errors.length > 0 && !this.#isLenient) this.report("unreadable");
  }
}
