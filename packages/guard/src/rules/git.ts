import { hasOption, type Options, readOptions } from "../options.ts";
import { type Inspector, matchesGlob } from "../paths.ts";
import { isExact, isGlob, MARK, type ShellScope } from "../shell/scope.ts";

/** A git command without the options that come before it. */
export interface GitCommand {
  readonly subcommand: string;
  readonly args: readonly string[];
  /** Settings that the line makes, by name in small letters. */
  readonly settings: ReadonlyMap<string, string>;
  readonly scope: ShellScope;
}

/** Judges what a git command does to history and to uncommitted changes. */
export function judgeGit(command: GitCommand, guard: Inspector): void {
  const { args, subcommand, scope } = command;
  if (args.includes("--help") || args[0] === "-h") return;
  if (runsHooks(subcommand) && skipsHooks(subcommand, args)) guard.report("git-hooks-off");
  if (subcommand === "branch" && /^(?:-[mM]|--move)$/.test(args[0] ?? "")) scope.branch = args.at(-1);
  if (/^(?:checkout|switch)$/.test(subcommand)) noteBranch(args, scope);
  if (subcommand === "symbolic-ref" && args[0] === "HEAD") scope.branch = args[1]?.replace(HEADS, "");
  SUBCOMMANDS[subcommand]?.(args, guard, command);
}

/** Keeps the branch that a line changes to. A folder or a file of that name is no branch, but then nothing is switched. */
function noteBranch(args: readonly string[], scope: ShellScope): void {
  const options = readOptions(args, { letters: "bBcC", names: ["create", "force-create", "orphan"] });
  const made = ["b", "B", "c", "C", "create", "force-create", "orphan"].flatMap((name) => options.values.get(name) ?? []);
  const [name = options.operands[0]] = made;
  if (name !== undefined && !args.includes("--")) scope.branch = isExact(name) ? name : undefined;
}

/** True for a subcommand before which hooks may refuse. */
export function runsHooks(subcommand: string): boolean {
  return /^(?:commit|push|merge|rebase|am|cherry-pick|revert|pull)$/.test(subcommand);
}

/** Long options of these subcommands that take the next word. */
const VALUED =
  "message file author date template cleanup trailer fixup squash reuse-message reedit-message onto exec strategy".split(" ");

/** `-n` is short for `--no-verify` of a commit alone. */
function skipsHooks(subcommand: string, args: readonly string[]): boolean {
  const { longs, shorts } = readOptions(args, {
    letters: subcommand === "commit" ? "mFCct" : "mosXxCF",
    optional: "Su",
    names: VALUED,
  });
  if (subcommand === "push" && (shorts.has("n") || longs.includes("dry-run"))) return false;
  return longs.some((long) => /^no-veri(?:fy?)?$/.test(long)) || (subcommand === "commit" && shorts.has("n"));
}

type JudgeSubcommand = (args: readonly string[], guard: Inspector, command: GitCommand) => void;

const SUBCOMMANDS: Readonly<Record<string, JudgeSubcommand>> = {
  reset: judgeReset,
  clean: judgeClean,
  checkout: judgeCheckout,
  switch: judgeSwitch,
  restore: judgeRestore,
  push: judgePush,
  branch: judgeBranch,
  stash: judgeStash,
  reflog: judgeReflog,
  gc: judgeGc,
  prune: judgePrune,
  worktree: judgeWorktree,
  "update-ref": judgeUpdateRef,
  "symbolic-ref": judgeReference,
  replace: judgeReference,
  rm: judgeRemove,
  submodule: judgeSubmodule,
  "read-tree": judgeReadTree,
  "checkout-index": judgeCheckoutIndex,
  "filter-branch": (_args, guard) => guard.report("git-rewrite"),
  "filter-repo": (args, guard) => {
    if (!args.includes("--dry-run") && !args.includes("--analyze")) guard.report("git-rewrite");
  },
  "send-pack": judgePush,
  subtree: (args, guard, command) => {
    if (args[0] === "push") judgePush(args.slice(1), guard, command);
  },
  "fast-import": (args, guard) => {
    if (args.includes("--force")) guard.report("git-force-push");
  },
  lfs: (args, guard) => {
    if (args[0] === "prune" && hasOption(readOptions(args, {}), "f", "force")) guard.report("git-expire");
  },
  credential: (args, guard) => {
    if (args[0] === "fill") guard.report("print-secret");
  },
};

function judgeReset(args: readonly string[], guard: Inspector): void {
  if (hasOption(readOptions(args, {}), "hard", "merge")) guard.report("git-reset");
}

function judgeClean(args: readonly string[], guard: Inspector, { settings }: GitCommand): void {
  const options = readOptions(args, { letters: "e", names: ["exclude"] });
  const needsForce = settings.get("clean.requireforce")?.toLowerCase() !== "false";
  if (hasOption(options, "n", "dry-run")) return;
  if (hasOption(options, "f", "force") || !needsForce) guard.report("git-clean");
}

/** File names that no branch is likely to have. */
const FILE_LIKE =
  /^(?:\.|:)|\/$|\.(?:[cm]?[jt]sx?|json|md|py|rb|go|rs|java|c|h|cpp|cs|css|scss|html|ya?ml|toml|txt|sh|sql|lock|xml|svg|vue)$/;

function judgeCheckout(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, { letters: "bB", names: ["orphan", "conflict"] });
  if (hasOption(options, "force") || options.shorts.has("f")) return guard.report("git-discard");
  if (hasOption(options, "ours", "theirs", "patch", "orphan") || ["b", "B", "p"].some((letter) => options.shorts.has(letter)))
    return;
  if (options.longs.includes("pathspec-from-file")) return guard.report("git-discard");
  const { operands } = options;
  const hasDashes = args.includes("--");
  const afterDashes = hasDashes ? args.slice(args.indexOf("--") + 1).length : 0;
  const isNewBranch = hasOption(options, "track", "t", "detach", "d");
  const looksLikeFile = operands.some((operand) => FILE_LIKE.test(operand) || isGlob(operand));
  if (afterDashes > 0 || (operands.length > 1 && !isNewBranch) || looksLikeFile) guard.report("git-discard");
}

function judgeSwitch(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, { letters: "cC" });
  if (hasOption(options, "f", "force", "discard-changes")) guard.report("git-discard");
}

function judgeRestore(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, { letters: "s", names: ["source"] });
  const isStagedOnly = hasOption(options, "S", "staged") && !hasOption(options, "W", "worktree");
  if (!isStagedOnly && (options.operands.length > 0 || options.longs.includes("pathspec-from-file"))) guard.report("git-discard");
}

function judgePush(args: readonly string[], guard: Inspector, { settings, scope }: GitCommand): void {
  const options = readOptions(args, { letters: "oP", names: ["push-option", "repo", "receive-pack", "exec", "prefix"] });
  if (hasOption(options, "n", "dry-run")) return;
  const [, ...refspecs] = options.operands;
  const isForced =
    options.shorts.has("f") || options.longs.some((long) => long === "force" || /^m(?:i|ir|irr|irro|irror)$/.test(long));
  if (isForced || refspecs.some((refspec) => refspec.startsWith("+"))) guard.report("git-force-push");
  else if (hasOption(options, "d", "delete", "prune") || refspecs.some((refspec) => /^:./.test(refspec)))
    guard.report("git-delete-remote");
  else if (pushedBranches(options, settings, scope.branch).some(isProtectedBranch)) guard.report("git-push-protected");
}

const HEADS = /^(?:refs\/)?heads\//;

/** Names of branches that people merge into. A name that is not known before the line runs is none. */
const PROTECTED = /^(?:main|master|trunk|develop|production|prod|stable|releases?(?:[/-]v?\d[\w.]*)?)$/i;
const EXAMPLES = ["main", "master", "trunk", "develop", "production", "prod", "stable", "release", "release/1"];

/** A pattern, of git or of the shell, names each branch that it matches. */
function isProtectedBranch(name: string): boolean {
  if (!name.includes("*") && !isGlob(name)) return PROTECTED.test(name);
  const pattern = name.replaceAll("*", MARK.star);
  return EXAMPLES.some((branch) => [branch, `heads/${branch}`].some((each) => matchesGlob(pattern, each)));
}

/** The branches of the remote that a push without force moves. */
function pushedBranches(options: Options, settings: GitCommand["settings"], current = ""): readonly string[] {
  const [, ...refspecs] = options.operands;
  // Both push every branch that there is.
  if (hasOption(options, "all", "branches") || refspecs.includes(":") || settings.get("push.default") === "matching")
    return ["main"];
  const configured = [...settings].flatMap(([key, value]) => (/^remote\..*\.push$/.test(key) ? [value] : []));
  if (hasOption(options, "tags") && refspecs.length === 0) return [];
  const pushed = refspecs.filter((refspec, i) => refspec !== "tag" && refspecs[i - 1] !== "tag");
  const named = pushed.length > 0 ? pushed : configured.length > 0 ? configured : refspecs.length > 0 ? [] : ["HEAD"];
  return named.map((refspec) => {
    const to = refspec.slice(refspec.indexOf(":") + 1);
    const isUnknown = !isExact(to) && !isGlob(to);
    return isUnknown || /^(?:HEAD|@)$/.test(to) ? current : to.replace(HEADS, "").replace(/^refs\/(?=\*)/, "");
  });
}

function judgeBranch(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, {
    letters: "u",
    names: ["set-upstream-to", "contains", "merged", "sort", "format", "points-at"],
  });
  // `git branch -M main` with one name is how new repositories name their first branch.
  const overwrites = options.shorts.has("C") || (options.shorts.has("M") && options.operands.length > 1);
  if (options.shorts.has("D") || overwrites || hasOption(options, "f", "force")) guard.report("git-delete-branch");
}

function judgeStash(args: readonly string[], guard: Inspector): void {
  if (args[0] === "drop" || args[0] === "clear") guard.report("git-drop-stash");
}

function judgeReflog(args: readonly string[], guard: Inspector): void {
  const isDry = hasOption(readOptions(args, {}), "n", "dry-run");
  if (!isDry && (args[0] === "expire" || args[0] === "delete")) guard.report("git-expire");
}

function judgeGc(args: readonly string[], guard: Inspector, { settings }: GitCommand): void {
  const expiry = args.map((arg) => /^--pru?n?e?=(.*)$/.exec(arg)?.[1]).find((value) => value !== undefined);
  const set = settings.get("gc.pruneexpire");
  if ([expiry, set].some((value) => value !== undefined && !/^(?:never|\d+\.weeks?.*|2.*ago)$/.test(value)))
    guard.report("git-expire");
}

function judgePrune(args: readonly string[], guard: Inspector): void {
  if (!hasOption(readOptions(args, {}), "n", "dry-run")) guard.report("git-expire");
}

function judgeWorktree(args: readonly string[], guard: Inspector): void {
  if (args[0] === "remove" && hasOption(readOptions(args.slice(1), {}), "f", "force")) guard.report("git-remove-worktree");
}

function judgeUpdateRef(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, { letters: "m" });
  if (options.shorts.has("d") || options.longs.includes("stdin")) return guard.report("git-delete-ref");
  const [reference = "", target = "", expected] = options.operands;
  if (/^0{40,}$/.test(target)) guard.report("git-delete-ref");
  else if (/^(?:HEAD|@|refs\/heads\/.*)$/.test(reference) && isOtherCommit(target, expected)) guard.report("git-delete-branch");
}

/** True for a commit that is named by its distance or its hash: a branch that is moved to it may lose commits. */
function isOtherCommit(target: string, expected: string | undefined): boolean {
  return /[~^]|@\{/.test(target) || (expected === undefined && /^[0-9a-f]{7,64}$/.test(target));
}

function judgeReference(args: readonly string[], guard: Inspector): void {
  if (hasOption(readOptions(args, { letters: "m" }), "d", "delete")) guard.report("git-delete-ref");
}

function judgeRemove(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, {});
  if (hasOption(options, "cached", "n", "dry-run")) return;
  const isAll = options.operands.some((operand) => /^(?:\.\/?|:\/|\/)$/.test(operand) || !isExact(operand));
  if (options.shorts.has("r") && (isAll || hasOption(options, "f", "force"))) guard.report("git-remove");
}

function judgeSubmodule(args: readonly string[], guard: Inspector): void {
  const [act = "", ...rest] = args.filter((arg) => arg !== "-q" && arg !== "--quiet");
  const options: Options = readOptions(rest, {});
  if ((act === "deinit" || act === "update") && hasOption(options, "f", "force")) guard.report("git-discard");
}

function judgeReadTree(args: readonly string[], guard: Inspector): void {
  const options = readOptions(args, {});
  if (options.shorts.has("u") && options.longs.includes("reset")) guard.report("git-reset");
}

function judgeCheckoutIndex(args: readonly string[], guard: Inspector): void {
  if (hasOption(readOptions(args, {}), "f", "force")) guard.report("git-discard");
}
