import { hash } from "node:crypto";
import { followChain } from "../../adapters/journal/chain.ts";
import { segmentPath } from "../../domain/audit/audit-row.ts";
import { checkAudit } from "../../domain/audit/check-audit.ts";
import { attemptFolder, BUNDLE_JSON, BundledRun, ListedAttempt } from "../../domain/bundle/bundle.ts";
import { compareFile, type Findings, type Problem } from "../../domain/bundle/findings.ts";
import { batchText, judgementsText, RUN_FILES } from "../../domain/bundle/run-bundle.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { plural } from "../../domain/values/text.ts";
import type { Tip } from "../../ports/run-store.ts";
import { type BundleSource, parsed } from "./bundle-source.ts";

/** Files without a list that are named. */
const MOST_UNLISTED = 20;

/** Checks a run: the chain of its journal, the lists that the journal names, and every file that they and the run's own list name. */
export async function checkBundle(source: BundleSource): Promise<Findings> {
  const { events, tip, problem } = followChain(source.run, source.rows);
  const problems: Problem[] = source.problems.map((why) => ({ kind: "malformed", why }));
  if (problem === undefined) problems.push(...endProblems(source, events, tip));
  else problems.push({ kind: "journal", why: `${problem}. Nothing behind row ${tip.seq} is proven` });
  const attempts = await checkAttempts(source, events);
  const own = await checkRunList(source, { events, tip });
  const heads = events.filter((event) => event.type === "audit-head");
  const audit = await checkAudit(source.run, heads, (segment) => source.text(segmentPath(segment)));
  const isTold = ({ path }: Problem): boolean => audit.problems.some((problem) => problem.path === path);
  return {
    run: source.run,
    source: source.kind,
    ended: events.at(-1)?.type === "run-ended",
    rows: tip.seq,
    head: tip.seq === 0 ? "" : tip.hash,
    bundles: attempts.bundles,
    files: attempts.files + own.files,
    audited: audit.rows,
    problems: [
      ...problems,
      ...attempts.problems,
      ...audit.problems,
      ...own.problems.filter((problem) => !isTold(problem)),
      ...unlistedProblems(source, [...attempts.names, ...own.names]),
    ],
    notes: [...unlistedNotes(source, events), ...own.notes, ...audit.notes],
  };
}

/** Compares the end of the chain with what is recorded beside it. */
function endProblems({ recorded, last, hasEnded }: BundleSource, events: readonly RunEvent[], tip: Tip): readonly Problem[] {
  const journal = (why: string): Problem => ({ kind: "journal", why });
  if (tip.seq < recorded.seq) return [journal(`row ${recorded.seq} was written last, and the journal ends with row ${tip.seq}`)];
  if (tip.hash !== recorded.hash) return [journal(`row ${tip.seq} is not the one that was written last`)];
  if (last !== undefined && last !== recorded.seq)
    return [journal(`row ${recorded.seq} was written last, and there is a row ${last}`)];
  if (hasEnded && events.at(-1)?.type !== "run-ended") return [journal("the run has ended, and its journal does not say so")];
  return [];
}

interface Checked {
  readonly files: number;
  /** Every path that a list names, and the lists. One that ends in "/" stands for all below: its list does not hold. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
}

/** Checks the list of each attempt that the journal names, and its files. */
async function checkAttempts(source: BundleSource, events: readonly RunEvent[]): Promise<Checked & { readonly bundles: number }> {
  const problems: Problem[] = [];
  const names: string[] = [];
  let [bundles, files] = [0, 0];
  for (const { ticket, attempt, sha256 } of bundledAttempts(events)) {
    const folder = attemptFolder(ticket, attempt);
    const path = `${folder}/${BUNDLE_JSON}`;
    const text = await source.text(path);
    const found = text === undefined ? await source.sum(path) : ({ ok: true, sha256: hash("sha256", text) } as const);
    const problem = compareFile(path, sha256, found, "when the attempt ended: what it lists is not checked");
    const list = problem === undefined ? ListedAttempt.safeParse(parsed(text ?? "")) : undefined;
    if (problem !== undefined || list?.success !== true) {
      problems.push(problem ?? { kind: "malformed", path, why: "it is no list that this loopdash knows" });
      names.push(`${folder}/`);
      continue;
    }
    bundles += 1;
    const listed = list.data.files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
    const checked = await checkFiles(source, listed, "when the attempt ended");
    files += checked.files;
    problems.push(...checked.problems);
    names.push(path, ...checked.names);
  }
  return { bundles, files, names, problems };
}

/** Checks the run's own list and its files, which no row of the journal names: two of them are the journal's in other words. */
async function checkRunList(
  source: BundleSource,
  { events, tip }: { readonly events: readonly RunEvent[]; readonly tip: Tip },
): Promise<Checked & { readonly notes: readonly string[] }> {
  const nothing = { files: 0, names: [BUNDLE_JSON], problems: [], notes: [] };
  const text = await source.text(BUNDLE_JSON);
  if (text === undefined) {
    if (!source.hasEnded || (await source.sum(BUNDLE_JSON)) !== undefined) return nothing;
    if (events.at(-1)?.type !== "run-ended")
      return { ...nothing, notes: ["the run has no list of its own files: it has not ended by itself"] };
    const why =
      "the run has ended, and the list of its own files is not there: it was removed, or the engine was lost at the end";
    return { ...nothing, problems: [{ kind: "missing", path: BUNDLE_JSON, why }] };
  }
  const list = BundledRun.safeParse(parsed(text));
  if (!list.success)
    return {
      ...nothing,
      problems: [{ kind: "malformed", path: BUNDLE_JSON, why: "it is no list of a run that this loopdash knows" }],
    };
  if (source.kind === "records" && list.data.journal.rows < tip.seq)
    return {
      ...nothing,
      notes: [`${BUNDLE_JSON} is of an earlier end of the run (row ${list.data.journal.rows}): it was not checked`],
    };
  const { files, names, problems } = await checkFiles(source, list.data.files, "when it was listed");
  return {
    files,
    names: [BUNDLE_JSON, ...names],
    problems: [...problems, ...(await derivedProblems(source, events, problems))],
    notes: [],
  };
}

/** The batch and the judgements follow from the journal, so a list that was changed with them does not hide it. */
async function derivedProblems(
  source: BundleSource,
  events: readonly RunEvent[],
  known: readonly Problem[],
): Promise<readonly Problem[]> {
  const wanted = [
    [RUN_FILES.batch, batchText(events)],
    [RUN_FILES.oracle, judgementsText(events)],
  ] as const;
  const all = wanted.map(async ([path, text]): Promise<readonly Problem[]> => {
    if (text === undefined || known.some((problem) => problem.path === path)) return [];
    const found = await source.sum(path);
    const isSame = found?.ok === true && found.sha256 === hash("sha256", text);
    return isSame ? [] : [{ kind: "changed", path, why: "the journal says something else" }];
  });
  return (await Promise.all(all)).flat();
}

async function checkFiles(
  source: BundleSource,
  listed: readonly { readonly path: string; readonly sha256: string }[],
  since: string,
): Promise<Checked> {
  const problems: Problem[] = [];
  for (const { path, sha256 } of listed) {
    const problem = compareFile(path, sha256, await source.sum(path), since);
    if (problem !== undefined) problems.push(problem);
  }
  return { files: listed.length - problems.length, names: listed.map(({ path }) => path), problems };
}

/** Files of an archive that no list names: nothing says that they are the run's. The first ones are named. */
function unlistedProblems({ paths = [] }: BundleSource, names: readonly string[]): readonly Problem[] {
  const known = new Set(names);
  const unproven = names.filter((name) => name.endsWith("/"));
  const unlisted = paths.filter((path) => !known.has(path) && !unproven.some((folder) => path.startsWith(folder)));
  const named = unlisted.slice(0, MOST_UNLISTED).map((path): Problem => ({ kind: "unlisted", path, why: "no list names it" }));
  const more = unlisted.length - named.length;
  return more === 0 ? named : [...named, { kind: "unlisted", why: `${plural(more, "more file")} that no list names` }];
}

type Bundled = Extract<RunEvent, { type: "attempt-bundled" }>;

/** The last list of each attempt that the journal names. */
function bundledAttempts(events: readonly RunEvent[]): readonly Bundled[] {
  const last = new Map<string, Bundled>();
  for (const event of events) if (event.type === "attempt-bundled") last.set(`${event.ticket} ${event.attempt}`, event);
  return [...last.values()];
}

/** Attempts whose files are not listed, with the reason. */
export function unlistedNotes({ isLive }: Pick<BundleSource, "isLive">, events: readonly RunEvent[]): readonly string[] {
  const open = new Map<string, string>();
  for (const event of events) {
    if (event.type === "attempt-claimed") open.set(`${event.ticket}, attempt ${event.attempt}`, "");
    if (event.type === "attempt-not-bundled") open.set(`${event.ticket}, attempt ${event.attempt}`, `: ${event.why}`);
    if (event.type === "attempt-bundled") open.delete(`${event.ticket}, attempt ${event.attempt}`);
  }
  if (open.size === 0) return [];
  const named = [...open].slice(0, 10).map(([attempt, why]) => `${attempt}${why}`);
  const more = open.size > named.length ? `, and ${open.size - named.length} more` : "";
  const [its, are, was] = open.size === 1 ? ["its", "it is", "its engine was"] : ["their", "they are", "their engines were"];
  const why = isLive ? `${are} under way, or ` : "";
  return [
    `${plural(open.size, "attempt")} without a list, so ${its} files are not checked (${why}${was} lost): ${named.join("; ")}${more}`,
  ];
}
