import { hasOption, type Options, optionValue, readOptions } from "../options.ts";
import { absolutePath, type Call, deletionZone, type Inspector, isDevice, isWithin, type Places, pathOnHost } from "../paths.ts";
import { isUnknown, type ShellScope, UNTRACKED } from "../shell/scope.ts";

interface Around {
  readonly guard: Inspector;
  readonly places: Places;
}

/** Judges the deletion of a path. */
export function judgeDeletion(
  word: string,
  { scope, guard, places, isRecursive }: { scope: ShellScope; guard: Inspector; places: Places; isRecursive: boolean },
): void {
  if (word.includes(UNTRACKED)) return guard.report("git-clean");
  if (scope.ifCdFails !== undefined && isAtRisk(word, scope.ifCdFails, scope, places)) return guard.report("delete-root");
  switch (deletionZone(word, scope, places)) {
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

/** True if a relative path means everything in the folder that the shell is still in when a `cd` fails. */
function isAtRisk(word: string, cwd: string, scope: ShellScope, places: Places): boolean {
  if (/^[/~]/.test(word) || isUnknown(word)) return false;
  return ["root", "repository"].includes(deletionZone(word, { ...scope, cwd }, places));
}

/** Judges that a file is emptied: outside, that is a deletion, but for files in `/dev` and on other machines. */
export function judgeEmptying(word: string, { scope, guard, places }: Pick<Call, "scope"> & Around): void {
  const path = absolutePath(word, scope);
  const isHere = !scope.isElsewhere || scope.mounts !== undefined;
  if (path === undefined || !isHere || isWithin(path, "/dev")) return;
  if (["outside", "repository"].includes(deletionZone(word, scope, places))) guard.report("delete-outside");
}

/** True unless the folder of a file with an unknown name is known to be outside. */
function mayStay(word: string, scope: ShellScope, { worktree, temp }: Places): boolean {
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
    if (name === "truncate") judgeTruncate(operand, options, { scope, guard, places });
    else judgeDeletion(operand, { scope, guard, places, isRecursive });
  }
}

/** A size that only grows deletes nothing. */
function judgeTruncate(operand: string, options: Options, around: Pick<Call, "scope"> & Around): void {
  const size = optionValue(options, "s", "size") ?? "0";
  judgeWrite(operand, around.scope, around.guard, around.places);
  if (!/^[+>%]/.test(size)) judgeEmptying(operand, around);
}

/** Reports a block device. True if it is one. */
export function judgeDevice(word: string, scope: ShellScope, guard: Inspector): boolean {
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
    if (judgeDevice(path, scope, guard)) continue;
    judgeWrite(path, scope, guard, places);
    if (args.some((word) => /^if=\/dev\/(?:null|zero|u?random)$/.test(word))) judgeEmptying(path, { scope, guard, places });
  }
}

/** Judges `chmod`, `chown` and `chgrp` of whole folders. */
export function judgePermissions({ args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, { names: ["reference", "from"] });
  const isRecursive = hasOption(options, "R", "recursive");
  const paths = optionValue(options, "reference") === undefined ? options.operands.slice(1) : options.operands;
  for (const path of paths) {
    const zone = deletionZone(path, scope, places);
    const isWhole = absolutePath(path, scope) === places.worktree;
    if (isRecursive && (zone === "outside" || zone === "unknown" || (zone === "root" && !isWhole)))
      guard.report("change-permissions");
    else if (zone === "root" && !isWhole) guard.report("change-permissions");
  }
}

/** Judges `chattr`, which takes files away from their owners: `+i` makes them unchangeable. */
export function judgeAttributes(call: Call, guard: Inspector, places: Places): void {
  const { args, scope } = call;
  const options = readOptions(args, { letters: "vp" });
  const files = options.operands.filter((operand) => !/^[+=][a-zA-Z]+$/.test(operand));
  for (const file of files) judgeWrite(file, scope, guard, places);
  judgePermissions({ ...call, args: [...(options.shorts.has("R") ? ["-R"] : []), "+", ...files] }, guard, places);
}

const SYSTEM = /^\/(?:bin|boot|etc|lib\w*|proc|sbin|sys|usr|var|System|Library)(?:\/|$)/;
/** Files that a shell or an agent reads at its start, and logins. Plans and notes that agents keep in their own folders are theirs. */
const STARTUP =
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|zshrc|zshenv|zprofile|zlogin|profile|kshrc|gitconfig|config\/fish(?:\/.*)?|config\/git(?:\/.*)?|ssh(?:\/.*)?|gnupg(?:\/.*)?|aws(?:\/.*)?|kube(?:\/.*)?|npmrc|pypirc|git-credentials|netrc|config\/gh(?:\/.*)?|config\/autostart(?:\/.*)?|config\/systemd(?:\/.*)?|config\/opencode(?:\/.*)?|claude\/(?!(?:plans|todos|tasks)\/|projects\/[^/]+\/memory\/).*|codex\/(?!memories\/).*|gemini\/(?!tmp\/|GEMINI\.md$).*)$/;

/** What switches hooks off, or is one: settings of agents in a repository win over a person's own. */
const HOOKS =
  /\/(?:\.claude\/settings(?:\.local)?\.json|\.codex\/(?:hooks\.json|config\.toml)|\.gemini\/settings\.json|\.opencode\/plugins?\/.+)$/;

/** Judges a write to a file: the system's, the repository's, a shell's start, a login. */
export function judgeWrite(word: string, scope: ShellScope, guard: Inspector, places: Places): void {
  const own = absolutePath(word, scope);
  const path = own === undefined ? undefined : pathOnHost(own, scope);
  if (path === undefined) return;
  if (isDevice(path)) return guard.report("overwrite-disk");
  if (isProtected(path, places)) guard.report("write-protected");
}

function isProtected(path: string, { worktree, home, temp, kept = [] }: Places): boolean {
  if (kept.includes(path)) return true;
  if (temp.some((folder) => isWithin(path, folder))) return false;
  if (worktree !== undefined && isWithin(path, worktree)) return isWithin(path, `${worktree}/.git`) || HOOKS.test(path);
  if (SYSTEM.test(path)) return true;
  const own = isWithin(path, home)
    ? path.slice(home.length + 1)
    : (/^\/(?:root|(?:home|Users)\/[^/]+)\/(.*)$/.exec(path)?.[1] ?? "");
  return STARTUP.test(own);
}
