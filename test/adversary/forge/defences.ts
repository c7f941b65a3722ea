import type { Defence } from "../suite.ts";

/** The sandbox is open to the agent: it has the machine's network and files. */
const NO_SANDBOX = {
  in: "confineAgent",
  from: "if (!ctx.confined) return undefined; const { write, read, mounts }",
  to: "return undefined; const { write, read, mounts }",
};

/** The defence that each attack at a forge meets. */
export const DEFENCES = {
  workflows: {
    name: "a change does not touch the workflows by which it is checked",
    holes: [{ in: "CI", from: '".github/{workflows,actions}/**",', to: "" }],
  },
  names: {
    name: "a check is known by its app and its workflow, and another one of its name hides nothing",
    holes: [
      {
        in: "checkIdentity",
        from: 'return JSON.stringify(["run", app?.slug, workflowRun?.workflow.id, workflowRun?.event, check.name]);',
        to: 'return JSON.stringify(["status", check.name]);',
      },
    ],
  },
  none: {
    name: "no check is not green",
    holes: [{ in: "whyNotGreen", from: "const mustHaveOne = rules.checks === undefined &&", to: "const mustHaveOne = false &&" }],
  },
  workflowsStart: {
    name: "what others say of a commit does not hide that its workflows have not started",
    holes: [{ in: "moreExpected", from: 'workflows === "none" && own.hasWorkflows === true &&', to: "false &&" }],
  },
  workflowsEnd: {
    name: "a workflow that still runs may have more jobs",
    holes: [{ in: "moreExpected", from: 'workflows === "running"', to: 'workflows === "ended"' }],
  },
  skipped: {
    name: "a required check that was skipped does not excuse the failure that it was skipped for",
    holes: [{ in: "requiredRemoteChecks", from: 'state === "failed" && run !== undefined &&', to: "false &&" }],
  },
  missing: {
    name: "a named check that does not appear is not green",
    holes: [{ in: "whyNotGreen", from: "if (missing.length > 0 || mustHaveOne) {", to: "if (mustHaveOne) {" }],
  },
  absent: {
    name: "a check that a change may have kept away is no person's",
    holes: [
      {
        in: "landByPullRequest",
        from: "if (decision.isAny && (await isWithoutCi(ctx, scope, needs.repo, open)))",
        to: "if (decision.isAny || !(await isWithoutCi(ctx, scope, needs.repo, open)))",
      },
    ],
  },
  head: {
    name: "the checks of the pushed commit count, and those of no other",
    holes: [
      { in: "WHOLE", from: "commits(last: 1)", to: "commits(first: 1)" },
      {
        in: "checksOfHead",
        from: "commits.nodes.find((each) => each.commit.oid === headRefOid)?.commit",
        to: "commits.nodes[0]?.commit",
      },
    ],
  },
  sameCommit: {
    name: "people decide about words of theirs that led to no other commit",
    holes: [
      {
        in: "askedOfPeople",
        from: "if (own.peopleHead !== own.head) return undefined;",
        to: "if (own.head !== rules.base) return undefined;",
      },
    ],
  },
  approvals: {
    name: "an approval counts for the commit that was approved",
    holes: [{ in: "reviewState", from: ".filter(isOfHead).length >= wanted", to: ".filter(isOfHead).length >= wanted - 1" }],
  },
  requested: {
    name: "another commit does not take back a request for changes",
    holes: [{ in: "askedOfPeople", from: 'const isRefused = review === "changes-requested";', to: "const isRefused = false;" }],
  },
  strangers: {
    name: "an agent is given the words of people of the repository, and of nobody else",
    holes: [{ in: "hasSay", from: "TRUSTED.has(authorAssociation)", to: "TRUSTED.size > 0" }],
  },
  bots: {
    name: "a bot is what GitHub calls one",
    holes: [{ in: "isBot", from: "/\\[bot\\]$/.test(author?.login", to: "/bot/.test(author?.login" }],
  },
  closing: {
    name: "no words of a ticket close an issue, neither in what lands nor in the pull request",
    holes: [
      { in: "CLOSES_NOTHING", from: '"$1$2see $3"', to: '"$1$2$3"' },
      {
        in: "withoutNumbers",
        from: 'text.replaceAll(NUMBERED, "$&\\u200b").replaceAll(ADDRESSED, "$&\\u200b")',
        to: "text",
      },
      { in: "inertMarkdown", from: '.replaceAll(/&(?=#?\\w+;)/g, "&amp;")', to: "" },
      { in: "inertMarkdown", from: '.replaceAll(/<(?=[a-z!/?])/gi, "&lt;")', to: "" },
    ],
  },
  sandbox: {
    name: "an agent has no way to the forge, and no file of its user's credentials",
    holes: [NO_SANDBOX],
  },
  token: {
    name: "an agent has no way to the forge, and no variable with the token",
    holes: [NO_SANDBOX, { in: "COPIED", from: '"LC_TIME",', to: '"LC_TIME", "GITHUB_TOKEN",' }],
  },
} as const satisfies Record<string, Defence>;
