import type { Redirect, Redirection } from "unbash";
import { type Expander, expandParts, expandText } from "./expand.ts";
import { MARK } from "./marks.ts";
import type { Scope } from "./scope.ts";

interface Redirected {
  /** Text on stdin; undefined if it is not redirected. */
  readonly stdin: string | undefined;
  /** The file that gets the output, if one does. */
  readonly outputFile: string | undefined;
}

interface Files {
  content(path: string, scope: Scope): string | undefined;
  onWrite(path: string, scope: Scope): void;
  onRead(path: string, scope: Scope): void;
}

/** Reads redirections, and has those judged that name files. */
export function readRedirects(
  redirects: readonly Redirection[],
  { scope, stdin: before }: { readonly scope: Scope; readonly stdin: string | undefined },
  expander: Expander,
  files: Files,
): Redirected {
  let stdin = before;
  let outputFile: string | undefined;
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect") {
      stdin = textOf(redirect, expander);
      continue;
    }
    const target = redirect.target === undefined ? "" : expandText(redirect.target, expander);
    if (isDescriptor(redirect.operator, target)) continue;
    if (redirect.operator === "<") stdin = readFile(target, scope, files);
    else files.onWrite(target, scope);
    if (redirect.operator !== "<" && isStdout(redirect.descriptor)) outputFile = target;
  }
  return { stdin, outputFile };
}

function readFile(path: string, scope: Scope, files: Files): string {
  files.onRead(path, scope);
  return files.content(path, scope) ?? MARK.file;
}

function textOf(redirect: Exclude<Redirection, Redirect>, expander: Expander): string {
  if (redirect.type === "HereString") return redirect.target === undefined ? "" : `${expandText(redirect.target, expander)}\n`;
  const { text, parts } = redirect.body;
  return parts === undefined ? text : expandParts(parts, expander);
}

/** True for redirections to another descriptor, which name no file. */
function isDescriptor(operator: string, target: string): boolean {
  return operator === "<&" || (operator === ">&" && /^(?:\d+-?|-)$/.test(target));
}

function isStdout(descriptor: Redirect["descriptor"]): boolean {
  return descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1);
}
