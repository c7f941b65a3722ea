import type { Call, Inspector, Places } from "../paths.ts";
import { judgeDeletion, judgeEmptying } from "../rules/deletion.ts";
import { isSecretFile } from "../rules/secrets.ts";
import { isUnknown, MARK } from "../shell/scope.ts";
import { judgeCode } from "./code.ts";

const DELETERS = /^(?:remove-item|ri|rm|del|erase|rd|rmdir)$/i;
const EMPTIERS = /^(?:clear-content|clc)$/i;
const LISTERS = /^(?:get-childitem|get-item|gci|gi|ls|dir)$/i;
const READERS = /^(?:get-content|gc|cat|type)$/i;

/** Judges what PowerShell is told by `-Command` or `-EncodedCommand`, or on stdin. */
export function judgePowerShell(call: Call, guard: Inspector, places: Places): void {
  const { args, stdin } = call;
  const at = args.findIndex((arg) => /^-c(?:o|om|omm|omma|omman|ommand)?$/i.test(arg));
  const encodedAt = args.findIndex((arg) => /^-(?:e|ec|en\w*)$/i.test(arg));
  if (encodedAt !== -1) return judgeEncoded(args[encodedAt + 1] ?? "", call, guard, places);
  const isInline = call.name === "powershell" && args.length === 1 && /\s/.test(args[0] ?? "");
  const code = at !== -1 ? args.slice(at + 1).join(" ") : isInline ? args[0] : stdin;
  if (code !== undefined && code !== "") judgeScript(code, call, guard, places);
}

/** `-EncodedCommand` takes UTF-16 in base64. */
function judgeEncoded(text: string, call: Call, guard: Inspector, places: Places): void {
  if (isUnknown(text)) return guard.report("unknown-code");
  judgeScript(Buffer.from(text, "base64").toString("utf16le"), call, guard, places);
}

function judgeScript(code: string, call: Call, guard: Inspector, places: Places): void {
  const { scope } = call;
  const text = code.replace(/\$(?:env:)?HOME\b|\$env:USERPROFILE\b/gi, () => scope.home);
  if (isUnknown(text) && /^[\s\uE000-\uE005]+$/.test(text)) return guard.report("unknown-code");
  for (const pipeline of text.split(/[;\n]|&&|\|\|/)) {
    let listed: readonly string[] = [];
    for (const command of pipeline.split("|")) listed = judgeCommandlet(wordsIn(command), listed, call, guard, places);
    if (!/^\s*(?:\w+-\w+|\$)/.test(pipeline)) guard.maybeLine(pipeline, scope);
  }
  judgeCode(text.replace(/\bRemove-Item\b/gi, "item"), { scope, guard, places });
}

/** Judges one command. Returns the paths that it lists for the next one. */
function judgeCommandlet(
  [name = "", ...args]: readonly string[],
  listed: readonly string[],
  { scope }: Call,
  guard: Inspector,
  places: Places,
): readonly string[] {
  const given = args.filter((arg) => !arg.startsWith("-")).map((arg) => shellPath(arg, scope.home));
  if (LISTERS.test(name)) {
    if (given.some((path) => /^env:/i.test(path))) guard.report("print-environment");
    return given.length > 0 ? given : ["."];
  }
  if (args.some((arg) => /^-whatif$/i.test(arg))) return listed;
  const paths = given.length > 0 ? given : listed;
  const isRecursive = args.some((arg) => /^-r/i.test(arg));
  for (const path of paths) {
    if (DELETERS.test(name)) judgeWindowsDeletion(path, { scope, guard, places, isRecursive });
    else if (EMPTIERS.test(name)) judgeEmptying(path, { scope, guard, places });
    else if (READERS.test(name) && isSecretFile(path, scope, places)) guard.report("read-secret");
  }
  return listed;
}

/** Judges a deletion by a program of Windows: all drives are outside, but for their folders for temporary files. */
function judgeWindowsDeletion(path: string, around: Parameters<typeof judgeDeletion>[1]): void {
  const isDrive = /^(?:[A-Za-z]:|\/\/|%(?!te?mp)\w+%)/i.test(path);
  if (!isDrive) judgeDeletion(path, around);
  else if (!/\/te?mp\/./i.test(path)) around.guard.report("delete-outside");
}

/** Judges `cmd /c`: what `del`, `rd` and `format` delete, and other programs. */
export function judgeCmd({ args, scope }: Call, guard: Inspector, places: Places): void {
  const at = args.findIndex((arg) => /^\/[ck]$/i.test(arg));
  if (at === -1) return;
  for (const command of args
    .slice(at + 1)
    .join(" ")
    .split(/&&?|\|\|?/)) {
    const [name = "", ...words] = wordsIn(command);
    const paths = words.filter((word) => !/^\/\w/.test(word)).map((word) => shellPath(word, scope.home));
    const isRecursive = words.some((word) => /^\/s$/i.test(word));
    if (/^format$/i.test(name)) guard.report("overwrite-disk");
    else if (DELETERS.test(name)) for (const path of paths) judgeWindowsDeletion(path, { scope, guard, places, isRecursive });
    else guard.maybeLine(command, scope);
  }
}

/** A path of PowerShell as one of a shell. */
function shellPath(word: string, home: string): string {
  return word
    .replaceAll("\\", "/")
    .replace(/^~/, home)
    .replaceAll("*", MARK.star)
    .replace(/\$[\w:]+/g, MARK.unknown);
}

function wordsIn(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s,"'(){}]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
