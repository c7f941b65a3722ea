import {
  type Command,
  type CompoundList,
  type Function as FunctionNode,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import { type Expander, expandText, expandWord } from "./expand.ts";
import { walkAndOr } from "./failed-cd.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { type OutputFile, readRedirects } from "./redirects.ts";
import { copyScope, MARK, mergeBranches, type ShellScope, takeRead, withOwn } from "./scope.ts";

/** A place in a line: the scope, what is on stdin, and the program that reads the output. */
export interface Frame {
  readonly scope: ShellScope;
  readonly stdin: string | undefined;
  readonly reader?: readonly string[];
  /** The words of the programs before it in its pipe. */
  readonly before?: readonly string[];
}

/** What a walk through a line needs of the guard. */
export interface Host {
  /** Runs a program, function or builtin. Returns its output. */
  run(words: readonly string[], frame: Frame): string;
  /** Judges text as shell code in the same scope. */
  runText(text: string, frame: Frame): string;
  /** Keeps the output of a process substitution. Returns the name of its file. */
  keepFile(output: string): string;
  /** The content of a file that the line itself makes. */
  content(path: string, scope: ShellScope): string | undefined;
  /** Keeps what the line writes to a file. */
  onWritten(file: OutputFile, content: string, scope: ShellScope): void;
  /** Judges that a file is opened for writing; programs with these words read what it had. */
  onEmptied(path: string, readers: readonly string[], scope: ShellScope): void;
  /** Judges a redirection that writes to a file, or reads one. */
  onWrite(path: string, scope: ShellScope): void;
  onRead(path: string, scope: ShellScope): void;
  onEnvironment(assignments: ReadonlyMap<string, string>, scope: ShellScope): void;
  onForkBomb(): void;
  /** Counts one step. False if the line is too long to go on. */
  step(): boolean;
  /** Told of every script before it is walked: it may have errors. */
  onScript(script: ParsedScript): void;
}

/** Characters of a variable; a longer value is not known. */
const LONGEST_VALUE = 100_000;
/** A loop's body is walked for at most so many words. */
const MOST_TURNS = 32;

/** Walks the syntax tree of a line in the order in which a shell would execute it. */
export class Walk {
  readonly #host: Host;
  readonly #walked = new WeakSet<ParsedScript>();

  constructor(host: Host) {
    this.#host = host;
  }

  script(script: ParsedScript, frame: Frame): string {
    this.#walked.add(script);
    this.#host.onScript(script);
    return this.#statements(script.commands, frame);
  }

  /** Calls a function: its body in the same scope, with arguments of its own. */
  callFunction(node: FunctionNode, args: readonly string[], frame: Frame): string {
    const { scope } = frame;
    const before = scope.positional;
    scope.positional = args;
    scope.functions.delete(node.name.value);
    const output = this.#node(node.body, frame);
    scope.functions.set(node.name.value, node);
    scope.positional = before;
    return output;
  }

  #statements(statements: readonly Statement[], frame: Frame): string {
    return statements.map((statement) => this.#node(statement.command, frame)).join("");
  }

  #list(list: CompoundList, frame: Frame): string {
    return this.#statements(list.commands, frame);
  }

  #node(node: SyntaxNode, frame: Frame): string {
    if (!this.#host.step()) return "";
    switch (node.type) {
      case "Command":
        return this.#command(node, frame);
      case "Pipeline":
        return this.#pipeline(node, frame);
      case "AndOr":
        return walkAndOr(node, frame.scope, (command) => this.#node(command, frame));
      case "Subshell":
        return this.#list(node.body, { ...frame, scope: copyScope(frame.scope) });
      case "BraceGroup":
        return this.#list(node.body, frame);
      case "CompoundList":
        return this.#list(node, frame);
      case "Redirected":
        return this.#redirected(node, frame);
      case "Coproc":
        return this.#node(node.body, frame);
      case "Function":
        return this.#define(node, frame);
      default:
        return this.#control(node, frame);
    }
  }

  #control(node: SyntaxNode, frame: Frame): string {
    switch (node.type) {
      case "If": {
        const clauses = [node, ...node.elif];
        for (const { clause } of clauses) this.#list(clause, frame);
        const bodies = [...clauses.map(({ then }) => then), ...(node.else === undefined ? [] : [node.else])];
        return this.#branches(bodies, frame, node.else !== undefined);
      }
      case "Case":
        for (const item of node.items) for (const pattern of item.pattern) this.#sweep(pattern, frame);
        this.#text(node.word, frame);
        return this.#branches(
          node.items.map((item) => item.body),
          frame,
          false,
        );
      case "For":
      case "Select":
        return this.#forEach(node.name.value, node.wordlist, node.body, frame);
      case "While":
        return this.#list(node.clause, frame) + this.#list(node.body, frame);
      case "ArithmeticFor":
        this.#sweep(node, frame);
        return this.#list(node.body, frame);
      default:
        this.#sweep(node, frame);
        return "";
    }
  }

  /** Walks branches of which one runs, or none. */
  #branches(bodies: readonly CompoundList[], frame: Frame, isOneSure: boolean): string {
    const scopes = bodies.map(() => copyScope(frame.scope));
    const outputs = bodies.map((body, index) => this.#list(body, { ...frame, scope: scopes[index] ?? frame.scope }));
    mergeBranches(frame.scope, isOneSure ? scopes : [...scopes, copyScope(frame.scope)]);
    return outputs.join("");
  }

  #forEach(name: string, words: readonly Word[] | undefined, body: CompoundList, frame: Frame): string {
    const { scope } = frame;
    const values = words?.flatMap((word) => this.#words(word, frame)) ?? scope.positional ?? [MARK.unknown];
    let output = "";
    for (const value of values.slice(0, MOST_TURNS)) {
      scope.variables.set(name, value);
      output += this.#list(body, frame);
    }
    return output;
  }

  #define(node: FunctionNode, { scope }: Frame): string {
    scope.functions.set(node.name.value, node);
    if (isForkBomb(node, node.name.value, false)) this.#host.onForkBomb();
    return "";
  }

  #pipeline(node: Pipeline, frame: Frame): string {
    let { stdin } = frame;
    const before: string[] = [...(frame.before ?? [])];
    for (const [index, command] of node.commands.entries()) {
      const next = node.commands[index + 1];
      const reader = next?.type === "Command" ? wordsAsWritten(next) : frame.reader;
      const scope = node.commands.length > 1 ? copyScope(frame.scope) : frame.scope;
      stdin = this.#node(command, { scope, stdin, before, reader });
      if (command.type === "Command") before.push(...wordsAsWritten(command));
    }
    return stdin ?? "";
  }

  #redirected(node: Extract<SyntaxNode, { type: "Redirected" }>, frame: Frame): string {
    const { stdin, outputFile } = readRedirects(node.redirects, frame, this.#expander(frame), this.#host);
    return this.#written(this.#node(node.command, { ...frame, stdin }), outputFile, frame.scope);
  }

  #command(node: Command, frame: Frame): string {
    const { scope } = frame;
    const alias = node.name === undefined ? undefined : scope.aliases.get(node.name.text);
    if (alias !== undefined) return this.#aliased(alias, node, frame);
    const words = node.name === undefined ? [] : [...this.#words(node.name, frame)];
    for (const arg of node.args) words.push(...(arg.type === "Word" ? this.#words(arg, frame) : this.#assignment(arg, frame)));
    const own = this.#ownVariables(node, words.length > 0, frame);
    const { stdin, outputFile, opened } = readRedirects(node.redirects, frame, this.#expander(frame), this.#host);
    for (const path of opened) this.#host.onEmptied(path, [], scope);
    if (outputFile?.isAppended === false) this.#host.onEmptied(outputFile.path, [...words, ...(frame.before ?? [])], scope);
    if (own.size > 0) this.#host.onEnvironment(own, scope);
    if (words.length === 0) return this.#written("", outputFile, scope);
    const inner = withOwn(scope, own, words);
    const output = this.#host.run(words, { ...frame, scope: inner, stdin });
    takeRead(scope, inner, own, words);
    return this.#written(output, outputFile, scope);
  }

  /** The assignments before a command. Without a command, they are the shell's own. */
  #ownVariables(node: Command, hasCommand: boolean, frame: Frame): ReadonlyMap<string, string> {
    const { variables } = frame.scope;
    const own = new Map<string, string>();
    for (const part of node.prefix) {
      if (part.type !== "Assignment") continue;
      const before = variables.get(part.name);
      this.#assignment(part, frame);
      const value = variables.get(part.name);
      own.set(part.name, typeof value === "string" ? value : MARK.unknown);
      if (hasCommand) restore(frame.scope, part.name, before);
    }
    return own;
  }

  /** The output that is left if a file gets it. */
  #written(output: string, file: OutputFile | undefined, scope: ShellScope): string {
    if (file === undefined) return output;
    this.#host.onWritten(file, output, scope);
    return "";
  }

  #aliased(alias: string, node: Command, frame: Frame): string {
    const name = node.name?.text ?? "";
    frame.scope.aliases.delete(name);
    const output = this.#host.runText([alias, ...node.args.map((arg) => arg.text)].join(" "), frame);
    frame.scope.aliases.set(name, alias);
    return output;
  }

  /** Sets a variable. Returns the assignment as a word, for builtins that take assignments as arguments. */
  #assignment(node: Extract<SyntaxNode, { type: "Assignment" }>, frame: Frame): readonly string[] {
    const { variables } = frame.scope;
    const { name, value } = node;
    if (value.type === "ArrayValue") {
      const before = variables.get(name);
      const words = value.elements.flatMap((word) => this.#words(word, frame));
      variables.set(name, node.append === true && typeof before === "object" ? [...before, ...words] : words);
      return [name];
    }
    const text = this.#text(value, frame);
    const before = variables.get(name);
    const appended = node.append === true ? `${typeof before === "string" ? before : MARK.unknown}${text}` : text;
    if (node.index === undefined) variables.set(name, appended.length > LONGEST_VALUE ? MARK.unknown : appended);
    return [`${name}=${appended}`];
  }

  #words(word: Word, frame: Frame): readonly string[] {
    const words = expandWord(word, this.#expander(frame));
    if (word.parts !== undefined) this.#sweep(word, frame);
    return words;
  }

  #text(word: Word, frame: Frame): string {
    const text = expandText(word, this.#expander(frame));
    if (word.parts !== undefined) this.#sweep(word, frame);
    return text;
  }

  #expander(frame: Frame): Expander {
    const output = (script: ParsedScript | undefined, stdin: string | undefined): string =>
      script === undefined ? "" : this.script(script, { scope: copyScope(frame.scope), stdin });
    return {
      scope: frame.scope,
      scriptOutput: (script) => output(script, frame.stdin),
      scriptFile: (script, operator) => this.#host.keepFile(output(script, operator === "<" ? undefined : MARK.output)),
    };
  }

  /** Walks all command substitutions in a node that no expansion has walked. */
  #sweep(node: SyntaxNode, frame: Frame): void {
    forEachChild(node, (child) => {
      if (child.type === "Script") {
        if (!this.#walked.has(child)) this.script(child, { ...frame, scope: copyScope(frame.scope) });
      } else if (child.type !== "CompoundList") this.#sweep(child, frame);
    });
  }
}

function restore(scope: ShellScope, name: string, value: string | readonly string[] | undefined): void {
  if (value === undefined) scope.variables.delete(name);
  else scope.variables.set(name, value);
}

function wordsAsWritten(node: Command): readonly string[] {
  return [node.name?.value ?? "", ...node.args.map((arg) => (arg.type === "Word" ? arg.value : arg.text))];
}
