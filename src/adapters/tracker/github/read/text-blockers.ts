import { z } from "zod";
import { shaped } from "../../../github/client.ts";
import { withoutTrailer } from "../marks.ts";
import { type IssuePlace, issuePlaceKey } from "../repositories.ts";
import type { GitHubBlocker } from "../ticket/issue.ts";
import { BlockerNode, type IssueNode } from "./answers.ts";
import { QueryBatch, type QuerySender } from "./issue-lists.ts";

/** An issue as a text names it: `#12`, `owner/name#12`, or its address. */
const REFERENCE =
  /(?:https?:\/\/[^\s/]{1,250}\/([A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100})\/issues\/(\d{1,9})\b)|(?:(?<![\w/])([A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100})?#(\d{1,9})\b)/g;
const TASK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]\s+/;
/** The rest of a line is taken whatever it holds (U+2028): a pattern that can fail there takes quadratic time. */
const WAITS = /\b(?:blocked by|depends on)\b([\s\S]*)/i;

/** An issue that a text names; `repository` is `owner/name`, and absent if it is the text's own. */
export interface Reference {
  readonly repository: string | undefined;
  readonly number: number;
}

/**
 * Issues that a text names as its tasks, `- [ ] #12`, or in a line such as `Blocked by #12` or `Depends on owner/name#12, #3`. Code
 * blocks, comments of HTML and quotes say nothing.
 */
export function referencesIn(body: string, which: { readonly tasks: boolean; readonly lines: boolean }): readonly Reference[] {
  const text = body
    .replace(/\r\n?/g, "\n")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm, "");
  return text.split("\n").flatMap((line) => {
    if (/^\s*>/.test(line)) return [];
    // Of a task, only what it begins with: more of the line says what it is about.
    if (which.tasks && TASK.test(line)) {
      const rest = line.replace(TASK, "");
      return [...rest.matchAll(REFERENCE)].filter(({ index }) => index === 0).map(toReference);
    }
    const waits = which.lines ? WAITS.exec(line)?.[1] : undefined;
    return waits === undefined ? [] : [...waits.matchAll(REFERENCE)].map(toReference);
  });
}

function toReference([, addressed, at, named, number]: RegExpMatchArray): Reference {
  return { repository: addressed ?? named, number: Number(at ?? number) };
}

/**
 * What issues wait for by their texts, as far as the server knows no such relation: sub-issues are tasks, dependencies are lines. What
 * loopdash wrote below a discovered ticket counts always. Undefined stands for an issue of a repository that the token may not see;
 * issues that do not exist, and pull requests, do not count. One more query if there are any.
 */
export async function readNamedBlockers(
  sender: QuerySender,
  nodes: ReadonlyMap<string, IssuePlace & { readonly node: IssueNode }>,
): Promise<ReadonlyMap<string, readonly (GitHubBlocker | undefined)[]>> {
  const { missing } = sender;
  const which = { tasks: missing.has("subIssues"), lines: missing.has("blockedBy") };
  const named = [...nodes].map(([key, { repo, number, node }]) => {
    const { text, dependsOn } = node.viewerDidAuthor ? withoutTrailer(node.body) : { text: node.body, dependsOn: "" };
    const own = dependsOn === "" ? [] : referencesIn(`Depends on ${dependsOn}`, { tasks: false, lines: true });
    const places = [...referencesIn(text, which), ...own].map((reference) => placeIn(sender, repo, reference));
    return { key, places: places.filter((place) => placeKey(place) !== placeKey({ repo, number })) };
  });
  const all = new Map(named.flatMap(({ places }) => places).map((place) => [placeKey(place), place]));
  const found = await readBlockers(sender, [...all.values()], nodes);
  return new Map(
    named.map(({ key, places }) => {
      const keys = [...new Set(places.map(placeKey))];
      return [key, keys.filter((each) => found.has(each)).map((each) => found.get(each))];
    }),
  );
}

/** An issue of a repository of the batch (`repo`, its index) or of another. */
type NamedPlace = { readonly repo: number | string; readonly number: number };

function placeKey({ repo, number }: NamedPlace): string {
  return `${repo}#${number}`.toLowerCase();
}

function placeIn(sender: QuerySender, repo: number, { repository, number }: Reference): NamedPlace {
  if (repository === undefined) return { repo, number };
  const at = sender.repositories.findIndex((_, index) => {
    const { owner, repo: name } = sender.currentName(index);
    return `${owner}/${name}`.toLowerCase() === repository.toLowerCase();
  });
  return { repo: at === -1 ? repository : at, number };
}

/** The issues by their keys. One of a repository that cannot be seen is there, as undefined. */
async function readBlockers(
  sender: QuerySender,
  places: readonly NamedPlace[],
  nodes: ReadonlyMap<string, IssuePlace & { readonly node: IssueNode }>,
): Promise<ReadonlyMap<string, GitHubBlocker | undefined>> {
  const found = new Map<string, GitHubBlocker | undefined>();
  const batch = new QueryBatch();
  const foreign = new Map<string, NamedPlace[]>();
  for (const place of places) {
    const { repo, number } = place;
    const known = typeof repo === "number" ? nodes.get(issuePlaceKey({ repo, number })) : undefined;
    if (known !== undefined) found.set(placeKey(place), known.node);
    else if (typeof repo === "number") batch.add(blockerField(repo, number, (blocker) => found.set(placeKey(place), blocker)));
    else foreign.set(repo.toLowerCase(), [...(foreign.get(repo.toLowerCase()) ?? []), place]);
  }
  for (const [at, each] of [...foreign.values()].entries()) batch.add(foreignField(`x${at}`, each, found));
  if (!batch.isEmpty) await sender.send(batch);
  return found;
}

const Blocking = BlockerNode.nullable();

function blockerField(repo: number, number: number, set: (blocker: GitHubBlocker) => void) {
  return {
    repo,
    alias: `n${number}`,
    text: `issue(number: ${number}) { ...Blocker }`,
    take(value: unknown) {
      const blocker = shaped(Blocking, value);
      if (blocker !== null) set(blocker);
    },
  };
}

function foreignField(alias: string, places: readonly NamedPlace[], found: Map<string, GitHubBlocker | undefined>) {
  const [owner = "", name = ""] = String(places[0]?.repo).split("/");
  const issues = places.map(({ number }) => `n${number}: issue(number: ${number}) { ...Blocker }`);
  return {
    repo: undefined,
    alias,
    text: `repository(owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}) { ${issues.join(" ")} }`,
    take(value: unknown) {
      const repository = shaped(z.record(z.string(), Blocking).nullable(), value);
      for (const place of places) {
        const blocker = repository?.[`n${place.number}`];
        if (repository === null) found.set(placeKey(place), undefined);
        else if (blocker !== null && blocker !== undefined) found.set(placeKey(place), blocker);
      }
    },
  };
}
