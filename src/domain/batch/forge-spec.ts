import { z } from "zod";
import { SecretName } from "./secret-spec.ts";
import { Address, FullName } from "./values.ts";

const remote = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}$/, "use the name of a remote, as `git remote` lists it")
  .default("origin")
  .describe("The remote that changes land on");

const token = SecretName.optional().describe("The secret with its token or password for http; default: what git uses by itself");

const user = z
  .string()
  .regex(/^[\w.@+-]{1,100}$/, "use letters, digits and . @ + - _")
  .optional()
  .describe('The user name of the token; default: "x-access-token"');

/**
 * Where the changes of a repository land. `local`: on its base, on this machine. `push`: on the branch of the same name at a remote, by
 * a push that moves it forward, and then here (docs/use/forges.md). `github-branch`: as `push`, and the checks of the pushed commit decide
 * whether the ticket has landed (docs/use/ci.md).
 */
export const ForgeSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("local").describe("On the base here alone") }),
    z.strictObject({
      kind: z.literal("github").describe("On the base at GitHub, by pull requests (docs/use/forges.md)"),
      ...{ remote, token, user },
      repo: FullName.optional().describe("owner/name; default: from the remote's address"),
      baseUrl: Address.optional().describe(
        "The REST API; default: https://api.github.com. A remote on another host is refused without it",
      ),
      checks: z
        .array(z.string().min(1).max(200))
        .max(50)
        .readonly()
        .optional()
        .describe(
          "Checks that must pass beside those that GitHub requires; [] for none. Default: if it requires none, all that appear, at least one",
        ),
      method: z.enum(["squash", "merge", "rebase"]).optional().describe("How GitHub merges; default: the first that it allows"),
      approvals: z
        .enum(["gate", "wait"])
        .default("gate")
        .describe("A ticket without approval is left to a person (gate), or waits"),
      appearMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(10)
        .describe("Minutes after a push within which a check must appear, and for which an unknown rule may block the merge"),
      stillMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(360)
        .describe("Minutes without news from checks or the merge queue"),
    }),
    z.strictObject({
      kind: z.literal("push").describe("On the base at a remote, by a push (docs/use/forges.md)"),
      remote,
      token,
      user,
    }),
    z.strictObject({
      kind: z.literal("github-branch").describe("On a branch at GitHub, until its checks pass (docs/use/ci.md)"),
      ...{ remote, token, user },
      repo: FullName.optional().describe("owner/name; default: from the remote's address"),
      baseUrl: Address.optional().describe("The REST API; default: https://api.github.com"),
      workflow: z.string().min(1).max(200).optional().describe("Name or file of the only workflow that counts; default: all"),
      ignoredRun: z.number().int().min(1).optional().describe("The id of a workflow's run that does not count: loopdash's own"),
      pullRequest: z
        .strictObject({
          number: z.number().int().min(1).describe("Its number"),
          url: Address.describe("Its page"),
        })
        .optional()
        .describe("The branch's pull request, for people"),
      fixMode: z
        .enum(["safe", "report-only"])
        .default("safe")
        .describe("report-only: changes nothing; the first failure ends the ticket with its triage"),
      appearMinutes: z
        .number()
        .min(0.05)
        .max(24 * 60)
        .default(10)
        .describe("Minutes after a push within which a check must appear"),
    }),
  ])
  .describe("Where changes land beside the base here");
export type ForgeSpec = z.infer<typeof ForgeSpec>;

/** A forge behind a remote. */
export type RemoteForgeSpec = Exclude<ForgeSpec, { kind: "local" }>;
