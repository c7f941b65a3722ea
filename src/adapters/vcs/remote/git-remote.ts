import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { errorMessage, plainText } from "../../../domain/values/text.ts";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import { type GitRemote, type RemoteCredentials, type RemotePush, RepoUnavailable } from "../../../ports/vcs.ts";
import { nameWait } from "../../executor/long-waits.ts";
import { afterRunning } from "../../executor/run-time.ts";
import { branchRef, displayName, type GitCall, GitMissing, type GitResult, gitEnvironment, objectId } from "../git/git-call.ts";
import { commitTime, readCommitPart, writeCommit } from "../git/git-queries.ts";
import { baseTip, isAncestor, isCommit } from "../repository/history.ts";
import { pushUrl } from "../repository/remote-address.ts";
import type { Store } from "../repository/store.ts";
import {
  IMMOVABLE,
  lastWords,
  localLines,
  OWN_FAULT,
  printedLines,
  reasonIn,
  statusLine,
  UNFIT_PACK,
  withoutUsers,
} from "./push-refusal.ts";
import { type RemoteAccess, type RemoteProtocol, remoteAccess, remoteProtocol, tokenSettings } from "./remote-access.ts";

/** Messages of git and of servers about who asks (http.c, ssh(1)). */
const NOT_ACCEPTED =
  /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied|The requested URL returned error: 40[13]|access denied|invalid credentials/i;

/** Messages of servers that know who asks, and do not let them push. Looked for only where nothing of a change was sent. */
const NOT_PERMITTED =
  /The requested URL returned error: 403|Permission to \S+ denied|not allowed to push|insufficient permission|[Ww]rite access\b.{0,80}\bnot granted|read.?only/;

/** Length of a remote's own words in a message, in characters. */
const WORDS = 300;

/** Bounds of one call of git with a remote, in milliseconds. */
export interface RemoteBounds {
  /** Within which a remote must name its branches. */
  readonly answerMs: number;
  /** After which a connection by http counts as dead if nothing has moved; ssh has its own, in `remoteAccess`. */
  readonly silentMs: number;
  /** For a whole transfer of commits. A hook of the remote may take minutes, and says nothing meanwhile. */
  readonly transferMs: number;
}

const BOUNDS: RemoteBounds = { answerMs: 60_000, silentMs: 60_000, transferMs: 10 * 60_000 };

/** A ref of the remote, by its full name, and the commit that it is to have. */
interface PushedRef {
  readonly ref: string;
  readonly to: string;
}

interface RemoteOptions {
  readonly name: string;
  readonly bounds?: RemoteBounds;
  readonly credentials?: RemoteCredentials;
  readonly env: NodeJS.ProcessEnv;
}

/** Opens a remote of the repository. Asks it nothing yet. Throws a UserError (exit 4) if it is not there or cannot be used. */
export async function openRemote(store: Store, { name, credentials, env, bounds = BOUNDS }: RemoteOptions): Promise<GitRemote> {
  const access = await remoteAccess(env);
  const found = pushUrl(store.at.settings, name, new Map(access.settings));
  if (found === undefined) {
    const todo = 'Correct "remote" in the forge of the batch file: `git remote -v` lists those that there are.';
    throw refusal(name, "the repository has no remote of this name", todo);
  }
  if ((await countPushAddresses(store, name)) > 1)
    throw refusal(name, "it has several addresses, and changes land at one place", "Name a remote that has one.");
  const protocol = remoteProtocol(found);
  // git takes a path from the top of the checkout. Its own folder here is elsewhere, below one that anybody may write.
  const address = protocol === "file" && !found.includes("://") ? resolve(store.at.path, found) : found;
  if (protocol === undefined)
    throw refusal(name, "its address is none of https, ssh and a path", "Give it another address: `git remote set-url`.");
  if (address.includes("://") && !URL.canParse(address))
    throw refusal(
      name,
      "its address is not well formed",
      'A password in it must be written in percent encoding; "token" keeps it out.',
    );
  if (credentials !== undefined && protocol !== "https" && protocol !== "http") {
    const why = `the batch gives a token for it, and it is reached by ${protocol}, where a token has no place`;
    throw refusal(name, why, 'Take "token" out, or give the remote an https address.');
  }
  return new Remote(store, { name, address, protocol, access, credentials, bounds });
}

/** The number of addresses that `git push` would push to. */
async function countPushAddresses(store: Store, name: string): Promise<number> {
  const count = async (key: string): Promise<number> => {
    const { stdout } = await store.tryRefs(["config", "-z", "--get-all", `remote.${name}.${key}`]);
    return stdout.split("\0").length - 1;
  };
  return (await count("pushurl")) || count("url");
}

function refusal(name: string, why: string, todo: string): UserError {
  return new UserError({ what: `the remote "${displayName(name)}" cannot be used`, why, todo, exitCode: EXIT.refused });
}

class Remote implements GitRemote {
  readonly name: string;
  readonly #store: Store;
  readonly #address: string;
  readonly #protocol: RemoteProtocol;
  readonly #access: RemoteAccess;
  readonly #credentials: RemoteCredentials | undefined;
  readonly #bounds: RemoteBounds;

  constructor(
    store: Store,
    options: {
      readonly name: string;
      readonly address: string;
      readonly protocol: RemoteProtocol;
      readonly access: RemoteAccess;
      readonly credentials: RemoteCredentials | undefined;
      readonly bounds: RemoteBounds;
    },
  ) {
    this.#store = store;
    this.#address = options.address;
    this.#protocol = options.protocol;
    this.#access = options.access;
    this.#credentials = options.credentials;
    this.#bounds = options.bounds;
    this.name = `${displayName(options.name)} (${plainText(withoutUsers(options.address), 200)})`;
  }

  async tip(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const ref = branchRef(branch);
    const { stdout } = await this.#must(["ls-remote", "--refs", "--", this.#address, ref], signal);
    const line = stdout.split("\n").find((each) => each.endsWith(`\t${ref}`));
    return line === undefined ? undefined : objectId(line.split("\t", 1)[0] ?? "");
  }

  async fetch(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const tip = await this.tip(branch, signal);
    if (tip === undefined || (await isCommit(this.#store, tip))) return tip;
    // git asks for what this commit lacks, and not for the whole history: its own folder here has no branches.
    await this.#store.content(["update-ref", "refs/heads/base", await baseTip(this.#store)]);
    const how = ["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"];
    await this.#must(["fetch", "--quiet", ...how, "--", this.#address, branchRef(branch)], signal);
    if (await isCommit(this.#store, tip)) return tip;
    throw new RepoUnavailable(`${this.name} has moved ${displayName(branch)} while it was read`);
  }

  async push(move: Parameters<GitRemote["push"]>[0], signal?: AbortSignal): Promise<RemotePush> {
    const { branch, to, from = "" } = move;
    // A lease alone would let a branch be moved aside.
    if (from !== "" && !(await isAncestor(this.#store, from, to))) throw new Error(`${to} does not contain ${from}`);
    const ref = branchRef(branch);
    const lease = `--force-with-lease=${ref}:${from === "" ? "" : objectId(from)}`;
    const result = await this.#pushExactly([lease], [{ ref, to }], signal);
    const line = statusLine(result.stdout, ref);
    if (line === undefined) return this.#withoutAnswer({ ref, to }, result, signal);
    if (!line.startsWith("!")) return { as: "pushed" };
    // Of two pushes at the same time, the remote refuses one because of the other: the branch tells it, whatever the words are.
    const now = await this.tip(branch, signal);
    if (now === to) return { as: "pushed" };
    if (now !== move.from) return { as: "moved" };
    const why = reasonIn(line) ?? "it does not say why";
    const reason = plainText(withoutUsers([why, ...printedLines(result.stderr)].join("; ")), WORDS);
    if (now === undefined && (await this.#isInTheWay(branch, signal))) return { as: "refused", reason, isForbidden: true };
    if (IMMOVABLE.test(why)) throw new RepoUnavailable(`${this.name} failed: ${reason}`);
    const scope = await this.#scopeOfRefusal(ref, { from, why }, signal);
    if (scope !== "change" && OWN_FAULT.test(why)) throw new RepoUnavailable(`${this.name} failed: ${reason}`);
    return { as: "refused", reason, ...(scope === "branch" && { isForbidden: true }) };
  }

  /**
   * Finds out what a refusal is about: pushes an empty commit with the message of the commit before, which carries nothing of a change. With
   * it goes a pair of branches of which git can keep only one, so git moves nothing (`--atomic`). If the remote gives the same reason, it is about
   * the branch; if it gives that for the pair alone, too, about any push. A remote that lacks `--atomic` takes no such push.
   */
  async #scopeOfRefusal(
    ref: string,
    { from, why }: { readonly from: string; readonly why: string },
    signal: AbortSignal | undefined,
  ): Promise<"change" | "branch" | "remote"> {
    const store = this.#store;
    const parent = from === "" ? await baseTip(store) : from;
    const tree = (await readCommitPart(store, parent, "tree")) ?? "";
    const message = await store.content(["log", "-1", "--format=%B", objectId(parent)]);
    const as = { ...store.people, at: await commitTime(store, parent), sign: store.signer };
    const to = await writeCommit(store, { tree, parent, message, as });
    const name = branchRef(`loopdash-${randomUUID()}`);
    const pair = [name, `${name}/x`].map((each) => ({ ref: each, to }));
    const isSame = async (refs: readonly PushedRef[], asked: string): Promise<boolean> =>
      reasonIn(statusLine((await this.#pushExactly(["--atomic"], refs, signal)).stdout, asked)) === why;
    if (!(await isSame([{ ref, to }, ...pair], ref))) return "change";
    return (await isSame(pair, name)) ? "remote" : "branch";
  }

  /** True if no branch of this name can be made: one above or below it is there (`a` and `a/b`). */
  async #isInTheWay(branch: string, signal: AbortSignal | undefined): Promise<boolean> {
    const ref = branchRef(branch);
    const above = branch.split("/").map((_, i, parts) => branchRef(parts.slice(0, i + 1).join("/")));
    const { stdout } = await this.#must(["ls-remote", "--refs", "--", this.#address, ...above, `${ref}/*`], signal);
    const names = stdout.split("\n").map((line) => line.slice(line.indexOf("\t") + 1));
    return names.some((name) => above.includes(name) || name.startsWith(`${ref}/`));
  }

  /** The remote took no push at all. That is a refusal of any push if it takes none without a change either, and still answers who asks. */
  async #withoutAnswer(pushed: PushedRef, result: GitResult, signal: AbortSignal | undefined): Promise<RemotePush> {
    const asked = await this.#pushExactly(["--dry-run"], [pushed], signal);
    const isForbidden = asked.status !== 0 && NOT_PERMITTED.test(asked.stderr);
    if (!isForbidden && !UNFIT_PACK.test(localLines(result.stderr))) throw this.#unavailable(result);
    await this.#must(["ls-remote", "--refs", "--", this.#address, pushed.ref], signal);
    const reason = plainText(withoutUsers(lastWords((isForbidden ? asked : result).stderr)), WORDS);
    return { as: "refused", reason, ...(isForbidden && { isForbidden }) };
  }

  async checkWritable(branch: string): Promise<void> {
    const to = await this.fetch(branch);
    if (to === undefined) return;
    // The remote says at its first answer whether who asks may push at all. Nothing is sent.
    const result = await this.#pushExactly(["--dry-run"], [{ ref: branchRef(branch), to }]);
    if (result.status !== 0) throw this.#unavailable(result);
  }

  /**
   * Pushes to the refs of these very names. git takes a plain name at the remote for any that ends with it, such as a tag
   * `refs/heads/main` (builtin `match_explicit` in remote.c), but not one that a pattern gives.
   */
  async #pushExactly(options: readonly string[], refs: readonly PushedRef[], signal?: AbortSignal): Promise<GitResult> {
    const own = `refs/push/${randomUUID()}`;
    const sources = refs.map(({ ref }, i) => `${own}/${i}/${ref.slice("refs/".length)}`);
    const made = refs.map(({ to }, i) => `create ${sources[i]} ${objectId(to)}\n`).join("");
    const removed = sources.map((source) => `delete ${source}\n`).join("");
    try {
      await this.#store.content(["update-ref", "--stdin"], { input: made });
      const patterns = refs.map((_, i) => `${own}/${i}/*:refs/*`);
      const plain = ["--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"];
      return await this.#run(["push", ...plain, ...options, "--", this.#address, ...patterns], signal);
    } finally {
      await this.#store.tryContent(["update-ref", "--stdin"], { input: removed });
    }
  }

  async #must(args: readonly string[], signal?: AbortSignal): Promise<GitResult> {
    const result = await this.#run(args, signal);
    if (result.status !== 0) throw this.#unavailable(result);
    return result;
  }

  /** Runs git with the credentials. If they are not accepted, they are fetched again once. */
  async #run(args: readonly string[], signal: AbortSignal | undefined): Promise<GitResult> {
    const token = await this.#credentials?.token();
    const result = await this.#runWith(args, token, signal);
    if (token === undefined || result.status === 0 || !NOT_ACCEPTED.test(localLines(result.stderr))) return result;
    const renewed = await this.#credentials?.renew(token);
    return renewed === token ? result : this.#runWith(args, renewed, signal);
  }

  /** Runs git, and kills it with all that it has started once the signal is aborted or its time is over. */
  async #runWith(args: readonly string[], token: string | undefined, signal: AbortSignal | undefined): Promise<GitResult> {
    const { settings, env } = this.#access;
    const { answerMs, silentMs, transferMs } = this.#bounds;
    const user = this.#credentials?.user ?? "";
    const own = token === undefined ? [] : tokenSettings(this.#address, { user, token });
    const plain = this.#store.contentCall(args);
    const config = [
      ...(plain.config ?? []),
      ...settings.filter(([key]) => !key.startsWith("url.")),
      ["http.lowSpeedLimit", "1"] as const,
      ["http.lowSpeedTime", String(Math.ceil(silentMs / 1000))] as const,
      ...own,
    ];
    const call: GitCall = { ...plain, remote: { protocol: this.#protocol, env }, config };
    const bounded = { argv: ["git", ...args], cwd: this.#store.scratch, env: gitEnvironment(call) };
    const ms = args[0] === "ls-remote" ? answerMs : transferMs;
    const over = new AbortController();
    const stopTimer = afterRunning(ms, () => over.abort());
    const helpers = "git and what it asks: the remote and its hooks, ssh, a helper for credentials";
    const named = nameWait(`git ${args[0]} at ${this.name} waits for ${helpers}`, ms);
    const cut = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
    try {
      const result = await this.#store.start({ ...call, bounded }, cut).catch((error: unknown) => this.#cutShort(error));
      if (!cut.aborted) return result;
      const why = over.signal.aborted ? `did not answer within ${Math.ceil(ms / 1000)} s` : "was not waited for any longer";
      throw new RepoUnavailable(`${this.name} ${why}`);
    } finally {
      named();
      stopTimer();
    }
  }

  /** The process that runs git is gone. */
  #cutShort(error: unknown): never {
    if (error instanceof GitMissing) throw error;
    const why = plainText(withoutUsers(errorMessage(error)), WORDS);
    throw new RepoUnavailable(`${this.name} did not answer: ${why}`, { cause: error });
  }

  #unavailable({ stderr }: GitResult): RepoUnavailable {
    const said = plainText(withoutUsers(lastWords(stderr)), WORDS);
    if (!NOT_ACCEPTED.test(localLines(stderr))) return new RepoUnavailable(`${this.name} cannot be reached: ${said}`);
    return new RepoUnavailable(`${this.name} does not accept the credentials: ${said}`);
  }
}
