import { hasOption, type Options, optionValue, readOptions } from "../options.ts";
import { absolutePath, type Call, deletionZone, type Inspector, type Places } from "../paths.ts";
import { isExact, isGlob } from "../shell/scope.ts";
import { judgeDevice, judgeEmptying, judgeWrite } from "./deletion.ts";
import { keepOrigins } from "./links.ts";

/** Judges `mv`, `cp`, `ln` and `install`: what is moved away, and what is written. */
export function judgeCopy(call: Call, guard: Inspector, places: Places): void {
  const { name, args, scope } = call;
  const options = readOptions(args, { letters: "tSmog", names: ["target-directory", "suffix", "mode", "owner", "group"] });
  const target = optionValue(options, "t", "target-directory");
  const operands = target === undefined ? options.operands : [...options.operands, target];
  const last = operands.at(-1);
  if (last === undefined) return;
  if (operands.length > 1 && !judgeDevice(last, scope, guard)) judgeWrite(last, scope, guard, places);
  if (operands[0] === "/dev/null" && name !== "mv") judgeEmptying(last, { scope, guard, places });
  if (name === "mv") for (const source of operands.slice(0, -1)) judgeMove(source, last, call, guard, places);
  if (name === "mv" || (name === "ln" && hasOption(options, "s", "symbolic")))
    keepOrigins({ ...placesOfCopy(operands, options), isLink: name === "ln" }, scope, places);
}

/** What is copied where; a link may have no target. */
function placesOfCopy(
  operands: readonly string[],
  options: Options,
): { readonly sources: readonly string[]; readonly target: string; readonly isFolder: boolean } {
  const last = operands.at(-1) ?? "";
  const sources = operands.slice(0, operands.length > 1 ? -1 : 1);
  const isFolder =
    optionValue(options, "t", "target-directory") !== undefined || sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(last);
  return operands.length > 1 ? { sources, target: last, isFolder } : { sources, target: ".", isFolder: true };
}

function judgeMove(source: string, target: string, { scope }: Call, guard: Inspector, places: Places): void {
  const zone = deletionZone(source, scope, places);
  const isOutside = zone !== "inside" && zone !== "temp";
  if (zone === "root") guard.report("move-outside");
  else if (zone === "repository") guard.report("delete-repository");
  else if (isOutside && absolutePath(target, scope) === "/dev/null") guard.report("delete-outside");
  else if (zone === "outside" && isExact(source) && isFolderName(source)) guard.report("move-outside");
  // One file after the other is moved onto the same name.
  else if (isGlob(source) && /[^/]\.\w+$/.test(target) && deletionZone(target, scope, places) === "outside")
    guard.report("delete-outside");
}

/** True for a name without an ending, as folders have: a file that is moved is in one place or the other. */
function isFolderName(path: string): boolean {
  return path.endsWith("/") || !/[^/]\.\w+$/.test(path);
}

/** Judges `rsync` with deletions: where it deletes. */
export function judgeRsync({ args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, {
    letters: "efBTM",
    names: ["rsh", "exclude", "include", "filter", "files-from", "exclude-from"],
  });
  if (hasOption(options, "n", "dry-run")) return;
  const shell = optionValue(options, "e", "rsh");
  if (shell !== undefined) guard.line(shell, scope);
  const { longs, operands } = options;
  const deleted = longs.includes("remove-source-files") ? operands.slice(0, -1) : [];
  const isMirror = longs.some((long) => /^del(?:ete|$)/.test(long));
  for (const path of isMirror ? [...deleted, ...operands.slice(-1)] : deleted) {
    const zone = /^[^/]+:/.test(path) ? "outside" : deletionZone(path, scope, places);
    if (zone !== "inside" && zone !== "temp") guard.report(zone === "root" ? "delete-root" : "delete-outside");
  }
}

/** Judges `unison -force`: it makes one folder like the other one, whatever is only there. */
export function judgeUnison({ args, scope }: Call, guard: Inspector, places: Places): void {
  const at = args.findIndex((arg) => /^--?force$/.test(arg));
  const attached = args.find((arg) => /^--?force=/.test(arg))?.replace(/^[^=]*=/, "");
  const kept = at === -1 ? attached : args[at + 1];
  if (kept === undefined) return;
  const roots = args.filter((arg, index) => !arg.startsWith("-") && index !== at + 1);
  const overwritten = roots.filter((root) => root !== kept);
  const isHarmless = (root: string): boolean =>
    !/^\w+:/.test(root) && ["inside", "temp"].includes(deletionZone(root, scope, places));
  // A profile names its folders elsewhere.
  if (roots.length < 2 || !overwritten.every(isHarmless)) guard.report("delete-outside");
}
