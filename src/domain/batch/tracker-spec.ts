import { z } from "zod";
import { RepoId } from "../values/ids.ts";
import { Argv, Variables } from "./prepare-command.ts";
import { SecretName } from "./secret-spec.ts";
import { Address, FullName } from "./values.ts";

const Name = z.string().min(1).max(200);

/** What becomes of a ticket that was canceled, or closed as a duplicate or not planned. */
const Canceled = z
  .enum(["open", "settled"])
  .optional()
  .describe('Tickets that were canceled, duplicates and "not planned": open until a person decides (the default), or settled');

/** Where the tokens of a service come from. */
const tokens = (variable: string) => ({
  token: SecretName.optional().describe(`The secret that is its token; default: the variable ${variable}`),
  oracleToken: SecretName.optional().describe("The secret that is a read-only token for the oracle; default: the same"),
});

/** Where webhooks of a service are received (docs/webhooks.md). */
const Webhook = z
  .strictObject({
    port: z.int().min(1).max(65_535).describe("The port of 127.0.0.1 to which a tunnel of yours leads"),
    secret: SecretName.describe("The secret that the service signs its webhooks with"),
  })
  .optional()
  .describe("Receives webhooks, so that changes are noticed at once");

const Linear = z.strictObject({
  kind: z.literal("linear").describe("Issues in Linear"),
  team: Name.optional().describe("Key of a team, such as ENG"),
  project: Name.optional().describe("Name or id of a project"),
  cycle: z
    .union([z.literal("current"), z.int().positive()])
    .optional()
    .describe('Number of a cycle of the team, or "current"'),
  label: Name.optional().describe("Name of a label"),
  view: Name.optional().describe("Name or id of a custom view"),
  filter: z.record(z.string(), z.json()).optional().describe("An IssueFilter of Linear's API"),
  doneState: Name.optional().describe("Name of the completed state that done tickets get; default: the team's first one"),
  canceled: Canceled,
  ...tokens("LINEAR_API_KEY"),
  webhook: Webhook,
  apiUrl: Address.optional().describe("Address of the API; default: https://api.linear.app/graphql"),
});

const GitHub = z
  .strictObject({
    kind: z.literal("github").describe("Issues on GitHub"),
    repo: FullName.optional().describe("The repository with the issues, as owner/name"),
    repos: z
      .record(RepoId, FullName)
      .optional()
      .describe("Repositories with issues by the names that the batch gives them, as owner/name"),
    labels: z.array(Name).min(1).max(20).optional().describe("Issues with all of these labels"),
    milestone: Name.optional().describe("Issues of the milestone with this title"),
    project: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,39}\/\d{1,9}$/, "write it as owner/number")
      .optional()
      .describe("Issues of a project, as owner/number"),
    search: Name.optional().describe("Issues that a search finds, in GitHub's syntax"),
    canceled: Canceled,
    ...tokens("GITHUB_TOKEN"),
    webhook: Webhook,
    baseUrl: Address.optional().describe("Address of the REST API; default: https://api.github.com"),
  })
  .refine(({ repo, repos }) => (repo === undefined) !== (repos === undefined), 'must have exactly one of "repo" and "repos"')
  .refine(({ repos = { a: "a/a" } }) => Object.keys(repos).length > 0, '"repos" names no repository');

/**
 * `local`: `path` names a folder of Markdown tickets; without it, the inline tickets seed an embedded tracker. `linear`, `github`:
 * the services of these names (docs/trackers.md). `command`: a program that speaks for any other tracker (docs/tracker-program.md).
 */
export const TrackerSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("local").describe("Tickets on this machine"),
      path: z
        .string()
        .min(1)
        .optional()
        .describe("A folder of Markdown tickets, absolute or relative to this file; else those below are used"),
    }),
    Linear,
    GitHub,
    z.strictObject({
      kind: z.literal("command").describe("Tickets of any other tracker, through a program of yours"),
      command: Argv.describe("The program, which gets one more argument: snapshot, taken, set or file"),
      env: Variables.optional(),
      seconds: z.number().positive().max(600).optional().describe("Time limit of one request (60)"),
    }),
  ])
  .describe("Where the tickets truly live");
export type TrackerSpec = z.infer<typeof TrackerSpec>;

/** A tracker behind a program. */
export type TrackerProgramSpec = Extract<TrackerSpec, { kind: "command" }>;
/** Issues in Linear. */
export type LinearSpec = Extract<TrackerSpec, { kind: "linear" }>;
/** Issues on GitHub. */
export type GitHubSpec = Extract<TrackerSpec, { kind: "github" }>;
/** A tracker that loopdash asks by itself, with a token. */
export type ServiceSpec = LinearSpec | GitHubSpec;

/** The variables in which the tokens of services are looked for, and the names of the secrets that they become. */
export const TOKEN_OF = {
  linear: { variable: "LINEAR_API_KEY", secret: "linear-token" },
  github: { variable: "GITHUB_TOKEN", secret: "github-token" },
} as const;

/** The folder in which a tracker keeps its tickets as files; undefined if it has none. */
export function ticketFolderOf(tracker: TrackerSpec): string | undefined {
  return tracker.kind === "local" ? tracker.path : undefined;
}

/** True if people write the tickets where they are kept. False for the tickets in a batch file: the run keeps a copy of its own. */
export function isKeptOutside(tracker: TrackerSpec): boolean {
  return tracker.kind !== "local" || tracker.path !== undefined;
}
