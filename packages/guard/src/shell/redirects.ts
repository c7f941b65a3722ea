import type { Redirect, Redirection } from "unbash";
import { type Expander, expandParts, expandText } from "./expand.ts";
import { MARK, type ShellScope } from "./scope.ts";

interface Redirected {
  /** Text on stdin; undefined if it is not redirected. */
  readonly stdin: string | undefined;
  /** The file that gets the output, if one does. */
  readonly outputFile: OutputFile | undefined;
  /** Files that are opened for writing on other descriptors, which empties them. */
  readonly opened: readonly string[];
}

/** A file that gets the output of a command. */
export interface OutputFile {
  readonly path: string;
  /** True if the file keeps what it has. */
  readonly isAppended: boolean;
}

interface Files {
  content(path: string, scope: ShellScope): string | undefined;
  onWrite(path: string, scope: ShellScope): void;
  onRead(path: string, scope: ShellScope): void;
}

/** Reads redirections, and has those judged that name files. */
export function readRedirects(
  redirects: readonly Redirection[],
  { scope, stdin: before }: { readonly scope: ShellScope; readonly stdin: string | undefined },
  expander: Expander,
  files: Files,
): Redirected {
  let stdin = before;
  let outputFile: OutputFile | undefined;
  const opened: string[] = [];
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect") {
      stdin = hereText(redirect, expander);
      continue;
    }
    const target = redirect.target === undefined ? "" : expandText(redirect.target, expander);
    if (isDescriptor(redirect.operator, target)) continue;
    if (redirect.operator === "<") stdin = readFile(target, scope, files);
    else files.onWrite(target, scope);
    if (redirect.operator === "<") continue;
    if (isStdout(redirect.descriptor)) outputFile = { path: target, isAppended: redirect.operator.endsWith(">>") };
    else if (empties(redirect)) opened.push(target);
  }
  return { stdin, outputFile, opened };
}

function readFile(path: string, scope: ShellScope, files: Files): string {
  files.onRead(path, scope);
  return files.content(path, scope) ?? MARK.file;
}

function hereText(redirect: Exclude<Redirection, Redirect>, expander: Expander): string {
  if (redirect.type === "HereString") return redirect.target === undefined ? "" : `${expandText(redirect.target, expander)}\n`;
  const { text, parts } = redirect.body;
  return parts === undefined ? text : expandParts(parts, expander);
}

/** True for redirections to another descriptor, which name no file. */
function isDescriptor(operator: string, target: string): boolean {
  return operator === "<&" || (operator === ">&" && /^(?:\d+-?|-)$/.test(target));
}

/** True for descriptors that a shell opens by number or into a variable; errors are written to the second one. */
function empties({ operator, descriptor }: Redirect): boolean {
  const isOwn = descriptor?.type !== "FileDescriptor" || descriptor.value > 2;
  return isOwn && (operator === ">" || operator === ">|");
}

function isStdout(descriptor: Redirect["descriptor"]): boolean {
  return descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1);
}
