import { type GitHubSpec, type LinearSpec, type ServiceSpec, TrackerSpec } from "../../domain/batch/tracker-spec.ts";
import type { InitFlags } from "./flags.ts";
import type { Interview, ParsedAnswer } from "./interview.ts";
import type { FoundRepository } from "./repository.ts";

/** The answer that means: no such restriction. Enter means it too, unless a restriction is needed. */
const ANY = "-";

/** A search that leaves closed issues out. */
const ONLY_OPEN = /(?:^|\s)(?:is|state):open\b/i;
const OPEN_NOTE =
  "  A search for open issues finds a ticket no more once it is closed: the next run does not show it. A label finds it all the same.";

/** A part of a query to ask for. */
interface QueryPart<Key extends string> {
  readonly key: Key;
  readonly flag: string;
  readonly text: string;
  /** True if no restriction has been named, and this is the last that could be. */
  readonly isNeeded?: boolean;
  readonly fallback?: string | undefined;
}

/** Asks for the query of a batch over Linear. Undefined if an answer is missing. */
export async function askLinear(interview: Interview, flags: InitFlags): Promise<LinearSpec | undefined> {
  const ask = queryAsker<"team" | "project" | "label" | "cycle">(interview, flags, {
    needed: ["team", "project", "label"],
    why: "name a team, a project or a label: without one there is no query",
    specOf: (key, text) => ({ kind: "linear", team: "A", [key]: key === "cycle" ? cycleOf(text) : text }),
  });
  const teamFlag = "--team ENG (or --project NAME, --label NAME)";
  const team = await ask({ key: "team", flag: teamFlag, text: `Team, by its key such as ENG (or ${ANY} for any team)` });
  if (team === undefined) return undefined;
  const project = await ask({ key: "project", flag: "--project NAME", text: "Project, by its name (Enter: any)", fallback: "" });
  const isNeeded = team === "" && project === "";
  const fallback = isNeeded ? undefined : "";
  const label = await ask({ key: "label", flag: "--label NAME", text: "Label (Enter: any)", fallback, isNeeded });
  const hasCycles = team !== "" || flags.cycle !== undefined;
  const cycleText = "Cycle: current, or its number (Enter: any)";
  const cycle = hasCycles ? await ask({ key: "cycle", flag: "--cycle current", text: cycleText, fallback: "" }) : "";
  const apiUrl = await apiUrlOf(interview, flags, (url) => ({ kind: "linear", team: "A", apiUrl: url }));
  return { kind: "linear", ...present({ team, project, cycle: cycleOf(cycle ?? ""), label, apiUrl }) };
}

/** Asks for the query of a batch over GitHub. Undefined if an answer is missing. */
export async function askGitHub(
  interview: Interview,
  flags: InitFlags,
  repos: readonly FoundRepository[],
): Promise<GitHubSpec | undefined> {
  const baseUrl = await apiUrlOf(interview, flags, (url) => ({ kind: "github", repo: "a/a", baseUrl: url }));
  const places = await interview.answer({
    flag: "--repo-issues OWNER/NAME",
    given: flags.repoIssues?.join(","),
    text: repos.length > 1 ? "Repositories with the issues, as name=owner/name" : "Repository with the issues, as owner/name",
    fallback: placesOf(repos, baseUrl),
    parse: readPlaces,
  });
  const ask = queryAsker<"labels" | "milestone" | "project" | "search">(interview, flags, {
    needed: ["labels", "milestone", "project", "search"],
    why: "name labels, a milestone or a search; is:open finds every open issue",
    specOf: (key, text) => ({ kind: "github", repo: "a/a", [key]: key === "labels" ? labelsOf(text) : text }),
  });
  const labelsFlag = "--labels A,B (or --milestone TITLE, --project OWNER/NUMBER, --search QUERY)";
  const labels = await ask({ key: "labels", flag: labelsFlag, text: `Labels that they all have, as a,b (or ${ANY} for any)` });
  if (labels === undefined || places === undefined) return undefined;
  const milestone = await ask({ key: "milestone", flag: "--milestone TITLE", text: "Milestone (Enter: any)", fallback: "" });
  const project =
    flags.project === undefined ? "" : await ask({ key: "project", flag: "--project OWNER/NUMBER", text: "Project" });
  const isNeeded = labels === "" && milestone === "" && project === "";
  const search =
    isNeeded || flags.search !== undefined
      ? await ask({ key: "search", flag: "--search QUERY", text: "Search, such as is:open for every open issue", isNeeded })
      : "";
  if (search !== undefined && ONLY_OPEN.test(search)) interview.tell(OPEN_NOTE);
  return { kind: "github", ...places, ...present({ labels: labelsOf(labels), milestone, project, search, baseUrl }) };
}

/** How the parts of a query are asked for. If a flag gives one of `needed`, the others are not asked for. */
function queryAsker<Key extends keyof InitFlags & string>(
  interview: Interview,
  flags: InitFlags,
  query: {
    readonly needed: readonly Key[];
    readonly why: string;
    readonly specOf: (key: Key, text: string) => unknown;
  },
): (part: QueryPart<Key>) => Promise<string | undefined> {
  const isGiven = query.needed.some((key) => flags[key] !== undefined);
  return ({ key, flag, text, fallback, isNeeded = false }) =>
    interview.answer({
      flag,
      text,
      fallback,
      given: textOf(flags[key]) ?? (isGiven ? ANY : undefined),
      parse: (answer) => {
        const isAny = answer === "" || answer === ANY;
        if (isAny) return isNeeded ? { problem: query.why } : { value: "" };
        return checked(query.specOf(key, answer), answer);
      },
    });
}

function textOf(flag: InitFlags[keyof InitFlags]): string | undefined {
  return typeof flag === "string" ? flag : undefined;
}

async function apiUrlOf(
  interview: Interview,
  { apiUrl }: InitFlags,
  specOf: (url: string) => unknown,
): Promise<string | undefined> {
  if (apiUrl === undefined) return undefined;
  return interview.answer({
    flag: "--api-url ADDRESS",
    given: apiUrl,
    text: "",
    parse: (text) => checked(specOf(text), text),
  });
}

/** The answer itself if the settings of a tracker may have it. */
function checked(spec: unknown, answer: string): ParsedAnswer<string> {
  const { error } = TrackerSpec.safeParse(spec);
  const [issue] = error?.issues ?? [];
  return issue === undefined ? { value: answer } : { problem: `${issue.path.join(".")}: ${issue.message}` };
}

/** `owner/name` for a batch with one repository, `name=owner/name` for each of several; undefined if a remote does not tell. */
function placesOf(repos: readonly FoundRepository[], baseUrl: string | undefined): string | undefined {
  const host = baseUrl === undefined ? "github.com" : new URL(baseUrl).host.replace(/^api\./, "");
  const remotes = repos.flatMap(({ name, remote }) => (remote?.host === host ? [{ name, fullName: remote.fullName }] : []));
  const [first] = remotes;
  if (first === undefined || remotes.length < repos.length) return undefined;
  return remotes.length === 1 ? first.fullName : remotes.map(({ name, fullName }) => `${name}=${fullName}`).join(",");
}

function readPlaces(text: string): ParsedAnswer<Pick<GitHubSpec, "repo" | "repos">> {
  const parts = text.split(",").map((part) => part.trim().split("="));
  const [[only = "", rest] = []] = parts;
  const places =
    parts.length === 1 && rest === undefined
      ? { repo: only }
      : { repos: Object.fromEntries(parts.map(([name = "", fullName = ""]) => [name, fullName])) };
  const result = checked({ kind: "github", ...places }, text);
  return "problem" in result ? result : { value: places as Pick<GitHubSpec, "repo" | "repos"> };
}

function labelsOf(text: string): string[] | undefined {
  const labels = text.split(",").map((label) => label.trim());
  return text === "" ? undefined : labels.filter((label) => label !== "");
}

function cycleOf(text: string): LinearSpec["cycle"] {
  if (text === "") return undefined;
  return text === "current" ? text : Number(text);
}

/** The settings that have a value. */
function present<Settings extends Partial<ServiceSpec>>(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== "")) as Settings;
}
