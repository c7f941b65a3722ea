import { createHash } from "node:crypto";
import { z } from "zod";
import { boundedHead, plainText } from "../../../domain/values/text.ts";
import { ForgeUnavailable, type Proposal, type Proposed } from "../../../ports/forge.ts";
import type { GitRemote } from "../../../ports/vcs.ts";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import { plainUrl } from "./checks.ts";
import { Anything, type GitHubRepository } from "./repository.ts";

/** Characters of a title. GitHub refuses longer ones. */
const MAX_TITLE = 256;
/** Characters of a text; GitHub takes 65,536. */
const MAX_BODY = 60_000;
/** Times that a pull request is asked for, if answers are lost. */
const ROUNDS = 2;

const Pull = z.object({
  number: z.number(),
  html_url: z.string(),
  state: z.enum(["open", "closed"]),
  title: z.string(),
  body: z.string().nullable(),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});
type Pull = z.infer<typeof Pull>;

/** The repository at GitHub, its address for git, and the branch that pull requests are to land on. */
export interface ProposalTarget {
  readonly repository: GitHubRepository;
  readonly remote: GitRemote;
  readonly base: string;
}

/** Pushes a commit to its branch, which is only moved forward, and opens or updates the pull request of the branch. */
export async function propose(target: ProposalTarget, proposal: Proposal, signal?: AbortSignal): Promise<Proposed> {
  const { branch, head, previous } = proposal;
  const { remote, repository } = target;
  const pushed = await remote.push({ branch, to: head, from: previous }, signal);
  if (pushed.as === "refused") return pushed;
  if (pushed.as === "moved") {
    const tip = await remote.tip(branch, signal);
    if (tip !== head) return { as: "moved", tip };
  }
  const texts = { title: plainText(proposal.title, MAX_TITLE), body: signed(boundedHead(proposal.body, MAX_BODY)) };
  try {
    const pull = await findNewestPull(repository, branch);
    return pull === undefined ? await open(target, { branch, ...texts }) : await update(repository, pull, texts);
  } catch (error) {
    if (!(error instanceof GitHubRefusal) || (error.status !== 403 && error.status !== 422)) throw error;
    return { as: "refused", reason: refusalReason(error), isForbidden: error.status === 403 || undefined };
  }
}

interface Texts {
  readonly title: string;
  readonly body: string;
}

/**
 * The pull request of a branch of this repository: the open one, or the newest. Its base does not matter: one that a person has pointed
 * elsewhere is still the one of this branch.
 */
async function findNewestPull(repository: GitHubRepository, branch: string): Promise<Pull | undefined> {
  const head = `${repository.owner}:${branch}`;
  const pulls = await repository.read("list its pull requests", z.array(Pull), (rest, name) =>
    rest.pulls.list({ ...name, head, state: "all", sort: "created", direction: "desc", per_page: 100 }),
  );
  // GitHub ignores a filter that it does not understand.
  const own = pulls.filter(
    (pull) => pull.head.ref === branch && pull.head.repo?.full_name.toLowerCase() === repository.fullName.toLowerCase(),
  );
  return own.find(({ state }) => state === "open") ?? own[0];
}

/** Opens one. If the answer is lost, or GitHub says that there is one, looks for it before anything is asked again. */
async function open(target: ProposalTarget, wanted: Texts & { readonly branch: string }, rounds = ROUNDS): Promise<Proposed> {
  const { repository, base } = target;
  const { branch, ...texts } = wanted;
  try {
    const pull = await repository.write("open the pull request", Pull, (rest, name) =>
      rest.pulls.create({ ...name, head: branch, base, ...texts }),
    );
    return proposed(pull);
  } catch (error) {
    const isThere = error instanceof GitHubRefusal && /pull request already exists/i.test(error.message);
    if (!isThere && !(error instanceof LostAnswer)) throw error;
    const found = await findNewestPull(repository, branch);
    if (found !== undefined) return update(repository, found, texts);
    if (isThere) throw new ForgeUnavailable("GitHub says that there is a pull request of the branch, and does not show it yet");
    if (rounds === 1) throw error;
    return open(target, wanted, rounds - 1);
  }
}

/** Gives an open pull request these texts, if it has others. One that is closed stays as it is, and so do words that a person has edited. */
async function update(repository: GitHubRepository, pull: Pull, wanted: Texts): Promise<Proposed> {
  const texts = isOwn(pull.body ?? "") ? wanted : { ...wanted, body: pull.body ?? "" };
  if (pull.state === "open" && (pull.title !== texts.title || comparable(pull.body ?? "") !== comparable(texts.body))) {
    await repository.write("update the pull request", Anything, (rest, name) =>
      rest.pulls.update({ ...name, pull_number: pull.number, ...texts }),
    );
  }
  return proposed(pull);
}

function proposed({ number, html_url }: Pull): Proposed {
  return { as: "open", number, url: plainUrl(html_url) };
}

/** A text with a comment that nobody sees, by which `isOwn` knows whether it was edited. */
function signed(body: string): string {
  const text = comparable(body);
  return `${text}\n\n<!-- loopdash ${shortTextHash(text)} -->`;
}

/** True if a text is as loopdash wrote it: people tick boxes and add words, which a later push must not take away. */
function isOwn(body: string): boolean {
  const [, text = "", hash] = /^(.*)\n\n<!-- loopdash ([0-9a-f]{16}) -->$/s.exec(comparable(body)) ?? [];
  return hash === shortTextHash(text);
}

function shortTextHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Services change line ends, and cut blanks at the end. */
function comparable(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}

/** GitHub's words, without the objects that it lists its complaints in. */
function refusalReason({ message }: GitHubRefusal): string {
  return message.replace(/\{[^{}]*?"message":"([^"]*)"[^{}]*\}/g, "$1");
}
