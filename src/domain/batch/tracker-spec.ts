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
  .describe('Canceled tickets, duplicates and "not planned": open until a person decides (default), or settled');

/** Where the tokens of a service come from. */
const tokens = (variable: string) => ({
  token: SecretName.optional().describe(`The secret with its token; default: the variable ${variable}`),
  oracleToken: SecretName.optional().describe("The secret with a read-only token for the oracle; default: the same"),
});

/** Where webhooks of a service are received (docs/use/webhooks.md). */
const Webhook = z
  .strictObject({
    port: z.int().min(1).max(65_535).describe("A port of 127.0.0.1, the end of your tunnel"),
    secret: SecretName.describe("The secret that signs them"),
  })
  .optional()
  .describe("Webhooks tell changes at once (docs/use/webhooks.md)");

const Linear = z.strictObject({
  kind: z.literal("linear").describe("Issues in Linear (docs/use/trackers.md); needs the sandbox"),
  team: Name.optional().describe("A team's key, such as ENG"),
  project: Name.optional().describe("Name or id of a project"),
  cycle: z
    .union([z.literal("current"), z.int().positive()])
    .optional()
    .describe("A cycle of the team"),
  label: Name.optional().describe("Name of a label"),
  view: Name.optional().describe("Name or id of a custom view"),
  filter: z.record(z.string(), z.json()).optional().describe("An IssueFilter of Linear's API"),
  doneState: Name.optional().describe("The completed state of done tickets; default: the team's first"),
  canceled: Canceled,
  ...tokens("LINEAR_API_KEY"),
  webhook: Webhook,
  apiUrl: Address.optional().describe("The API; default: https://api.linear.app/graphql"),
});

const GitHub = z
  .strictObject({
    kind: z.literal("github").describe("Issues on GitHub (docs/use/trackers.md); needs the sandbox"),
    repo: FullName.optional().describe("Their repository, as owner/name"),
    repos: z.record(RepoId, FullName).optional().describe("Their repositories, as owner/name, by the batch's names"),
    labels: z.array(Name).min(1).max(20).optional().describe("Issues with all of these labels"),
    milestone: Name.optional().describe("Issues of this milestone"),
    project: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,39}\/\d{1,9}$/, "write it as owner/number")
      .optional()
      .describe("Issues of a project, as owner/number"),
    search: Name.optional().describe("Issues that this search finds"),
    canceled: Canceled,
    ...tokens("GITHUB_TOKEN"),
    webhook: Webhook,
    baseUrl: Address.optional().describe("The REST API; default: https://api.github.com"),
  })
  .refine(({ repo, repos }) => (repo === undefined) !== (repos === undefined), 'must have exactly one of "repo" and "repos"')
  .refine(({ repos = { a: "a/a" } }) => Object.keys(repos).length > 0, '"repos" names no repository');

/**
 * `local`: `path` names a folder of Markdown tickets; without it, the inline tickets seed an embedded tracker. `linear`, `github`:
 * the services of these names (docs/use/trackers.md). `command`: a program that speaks for any other tracker (docs/use/tracker-program.md).
 */
export const TrackerSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("local").describe("Tickets on this machine"),
      path: z
        .string()
        .min(1)
        .optional()
        .describe("A folder of Markdown tickets (docs/use/batch-file.md#tickets); default: the tickets of this file"),
    }),
    Linear,
    GitHub,
    z.strictObject({
      kind: z.literal("command").describe("Tickets of any other tracker, through your program (docs/use/tracker-program.md)"),
      command: Argv.describe(
        "The program; gets one more argument: snapshot, taken, set or file. While it differs from its copy at the start, nothing is judged",
      ),
      env: Variables.optional(),
      seconds: z.number().positive().max(600).optional().describe("Seconds for one request; default: 60"),
    }),
  ])
  .describe("Where the tickets are kept");
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
export function localTicketFolder(tracker: TrackerSpec): string | undefined {
  return tracker.kind === "local" ? tracker.path : undefined;
}

/** True if people write the tickets where they are kept. False for the tickets in a batch file: the run keeps a copy of its own. */
export function isKeptOutside(tracker: TrackerSpec): boolean {
  return tracker.kind !== "local" || tracker.path !== undefined;
}
