import type { Call, Inspector } from "../call.ts";
import { hasOption, type Options, optionValue, readOptions } from "../options.ts";
import { absolutePath, isDevice, isWithin, type Places, zoneOf } from "../paths.ts";
import { isUnknown } from "../shell/marks.ts";
import type { Scope } from "../shell/scope.ts";
import { judgeWrite } from "./protected-files.ts";

/** Judges the deletion of a path. */
export function judgeDeletion(
  word: string,
  { scope, guard, places, isRecursive }: { scope: Scope; guard: Inspector; places: Places; isRecursive: boolean },
): void {
  switch (zoneOf(word, scope, places)) {
    case "root":
      return guard.report("delete-root");
    case "repository":
      return guard.report("delete-repository");
    case "outside":
      return guard.report("delete-outside");
    case "unknown":
      if (isRecursive) guard.report("delete-unknown");
      else if (!mayStay(word, scope, places)) guard.report("delete-outside");
      return;
    default:
  }
}

/** True unless the folder of a file with an unknown name is known to be outside. */
function mayStay(word: string, scope: Scope, { worktree, temp }: Places): boolean {
  const path = absolutePath(word, scope);
  if (path === undefined) return true;
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  return [worktree, ...temp].some((place) => place !== undefined && isWithin(folder, place));
}

/** Judges `rm` and its like. */
export function judgeRm({ args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, {});
  if (isHelp(options)) return;
  const isRecursive = hasOption(options, "r", "R", "recursive");
  for (const operand of options.operands) judgeDeletion(operand, { scope, guard, places, isRecursive });
}

/** Judges programs that delete all their operands: rimraf, shred, unlink, srm, truncate. */
export function judgeDeleter({ name, args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, {
    letters: name === "truncate" ? "sr" : name === "shred" ? "ns" : "",
    names: ["size", "iterations"],
  });
  if (isHelp(options)) return;
  const isRecursive = ["rimraf", "del", "del-cli", "srm"].includes(name);
  for (const operand of options.operands) {
    if (judgeDevice(operand, scope, guard)) continue;
    if (name === "truncate") judgeWrite(operand, scope, guard, places);
    else judgeDeletion(operand, { scope, guard, places, isRecursive });
  }
}

/** Reports a block device. True if it is one. */
function judgeDevice(word: string, scope: Scope, guard: Inspector): boolean {
  const isDisk = isDevice(absolutePath(word, scope) ?? "");
  if (isDisk) guard.report("overwrite-disk");
  return isDisk;
}

function isHelp(options: Options): boolean {
  return options.longs.includes("help") || options.longs.includes("version");
}

/** Judges programs that make file systems or partitions. */
export function judgeDiskTool({ name, args }: Call, guard: Inspector): void {
  const options = readOptions(args, {});
  const readsOnly = isHelp(options) || options.shorts.has("l") || options.longs.includes("list") || options.shorts.has("V");
  const hasDevice = options.operands.some((operand) => operand.startsWith("/dev/") || isUnknown(operand));
  if (!readsOnly && (hasDevice || (name === "diskutil" && /^(?:erase|zero|partition|reformat)/i.test(options.operands[0] ?? ""))))
    guard.report("overwrite-disk");
}

/** Judges `dd`: where it writes. */
export function judgeDd({ args, scope }: Call, guard: Inspector, places: Places): void {
  for (const arg of args) {
    if (!arg.startsWith("of=")) continue;
    const path = arg.slice(3);
    if (!judgeDevice(path, scope, guard)) judgeWrite(path, scope, guard, places);
  }
}

/** Judges `mv`, `cp`, `ln` and `install`: what is moved away, and what is written. */
export function judgeCopy({ name, args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, { letters: "tSmog", names: ["target-directory", "suffix", "mode", "owner", "group"] });
  const target = optionValue(options, "t", "target-directory");
  const operands = target === undefined ? options.operands : [...options.operands, target];
  const last = operands.at(-1);
  if (last !== undefined && operands.length > 1 && !judgeDevice(last, scope, guard)) judgeWrite(last, scope, guard, places);
  if (name !== "mv") return;
  for (const operand of operands.slice(0, -1)) {
    const zone = zoneOf(operand, scope, places);
    if (zone === "root") guard.report("move-outside");
    else if (zone === "repository") guard.report("delete-repository");
    else if (zone !== "inside" && zone !== "temp" && absolutePath(last ?? "", scope) === "/dev/null")
      guard.report("delete-outside");
  }
}

/** Judges `chmod`, `chown` and `chgrp` of whole folders. */
export function judgePermissions({ args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, { names: ["reference", "from"] });
  const isRecursive = hasOption(options, "R", "recursive");
  const paths = optionValue(options, "reference") === undefined ? options.operands.slice(1) : options.operands;
  for (const path of paths) {
    const zone = zoneOf(path, scope, places);
    const isWhole = absolutePath(path, scope) === places.worktree;
    if (isRecursive && (zone === "outside" || zone === "unknown" || (zone === "root" && !isWhole)))
      guard.report("change-permissions");
    else if (zone === "root" && !isWhole) guard.report("change-permissions");
  }
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
  const target = options.operands.at(-1);
  if (target === undefined) return;
  if (!options.longs.some((long) => /^del(?:ete|$)/.test(long))) return;
  if (/^[^/]+:/.test(target)) guard.report("delete-outside");
  else {
    const zone = zoneOf(target, scope, places);
    if (zone !== "inside" && zone !== "temp") guard.report(zone === "root" ? "delete-root" : "delete-outside");
  }
}
