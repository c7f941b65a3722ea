import { z } from "zod";
import { SecretName } from "./secret-spec.ts";
import { Address, FullName } from "./values.ts";

const remote = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}$/, "use the name of a remote, as `git remote` lists it")
  .default("origin")
  .describe("The remote of the repository that changes land on");

const token = SecretName.optional().describe(
  "The secret that is its token or password for http; default: what git uses by itself (its credential helpers, ssh's agent)",
);

const user = z
  .string()
  .regex(/^[\w.@+-]{1,100}$/, "use letters, digits and . @ + - _")
  .optional()
  .describe('The user name that goes with the token; default: "x-access-token", as GitHub wants it');

/**
 * Where the changes of a repository land. `local`: on its base, on this machine. `push`: on the branch of the same name at a remote, by
 * a push that moves it forward, and then here (docs/forges.md). `github-branch`: as `push`, and the checks of the pushed commit decide
 * whether the ticket has landed (docs/ci.md).
 */
export const ForgeSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("local").describe("On the base branch of this repository alone") }),
    z.strictObject({
      kind: z.literal("github").describe("On the base branch at GitHub, by pull requests"),
      ...{ remote, token, user },
      repo: FullName.optional().describe("The repository as owner/name; default: that of the remote's address"),
      baseUrl: Address.optional().describe("Address of the REST API; default: https://api.github.com"),
      checks: z
        .array(z.string().min(1).max(200))
        .max(50)
        .readonly()
        .optional()
        .describe(
          "Checks that must pass beside those that GitHub requires; [] for none. Default: all that appear, and one at least",
        ),
      method: z
        .enum(["squash", "merge", "rebase"])
        .optional()
        .describe("How GitHub merges; default: the first of these that it allows"),
      approvals: z
        .enum(["gate", "wait"])
        .default("gate")
        .describe("What a missing approval means: the ticket is left to a person (gate), or waits for one"),
      appearMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(10)
        .describe("Minutes after a push within which a required check must appear"),
      stillMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(360)
        .describe("Minutes for which nothing may change while checks run or the merge queue has the change"),
    }),
    z.strictObject({ kind: z.literal("push").describe("On the base branch at a remote, by a push"), remote, token, user }),
    z.strictObject({
      kind: z.literal("github-branch").describe("On the base branch at GitHub, until the checks of its tip pass (docs/ci.md)"),
      ...{ remote, token, user },
      repo: FullName.optional().describe("The repository as owner/name; default: that of the remote's address"),
      baseUrl: Address.optional().describe("Address of the REST API; default: https://api.github.com"),
      workflow: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("The name or the file of the one workflow whose checks count; default: all checks"),
      ignoredRun: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe("The id of a workflow's run whose checks count for nothing: loopdash's own"),
      pullRequest: z
        .strictObject({
          number: z.number().int().min(1).describe("Its number"),
          url: Address.describe("The address of its page"),
        })
        .optional()
        .describe("The branch's pull request, for people"),
      fixMode: z
        .enum(["safe", "report-only"])
        .default("safe")
        .describe("report-only: nothing is changed; the first red reading ends the ticket with its triage"),
      appearMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(10)
        .describe("Minutes after a push within which a check must appear"),
    }),
  ])
  .describe("Where changes land; default: on the base branch of this repository alone");
export type ForgeSpec = z.infer<typeof ForgeSpec>;

/** A forge behind a remote. */
export type RemoteForgeSpec = Exclude<ForgeSpec, { kind: "local" }>;
