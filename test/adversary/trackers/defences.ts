import type { Service } from "../../e2e/services.ts";
import type { Defence } from "../suite.ts";

const both = (defence: Defence): Readonly<Record<Service["kind"], Defence>> => ({ linear: defence, github: defence });

/** The sandbox is open to the agent: it has the machine's network, processes and files. */
const NO_SANDBOX = {
  in: "confineAgent",
  from: "if (!ctx.confined) return undefined; const { write, read, mounts }",
  to: "return undefined; const { write, read, mounts }",
};

/** What is filed may read back gated. */
const GATED_AT_ONCE = {
  in: "Requests.file",
  from: 'const isAsSent = filed.state.as === "open" &&',
  to: "const isAsSent =",
};

/** What each attack of this family meets. */
export const DEFENCES = {
  network: both({
    name: "an agent's sandbox has no way to the tracker's API, and shows no process or file with its token",
    holes: [NO_SANDBOX],
  }),
  token: both({
    name: "no variable of an agent holds the tracker's token, and its sandbox no way to the API",
    holes: [
      NO_SANDBOX,
      {
        in: "COPIED",
        from: '"LC_TIME",',
        to: '"LC_TIME", "LINEAR_API_KEY", "GITHUB_TOKEN",',
      },
    ],
  }),
  gates: {
    linear: {
      name: "in Linear, a gate is a label and a comment, and no text of a ticket is either",
      holes: [
        GATED_AT_ONCE,
        {
          in: "linearState",
          from: "const gate = hasLabel ? gateComment(issue) : undefined;",
          to: "const gate = gateComment(issue);",
        },
        {
          in: "gateComment",
          from: 'export function gateComment({ id, comments }: Pick<Issue, "id" | "comments">): GateComment | undefined {',
          to: `export function gateComment({ id, comments, description }: Issue): GateComment | undefined {
            const own = stepIn(description ?? "", "person");
            if (own !== undefined) return { comment: comments.nodes[0] as LinearComment, step: own };`,
        },
      ],
    },
    github: {
      name: "on GitHub, a gate is a label and a comment, and no text of a ticket is either",
      holes: [
        GATED_AT_ONCE,
        {
          in: "issueState",
          from: "if (!labels.nodes.some(({ name }) => name === GATE_LABEL)) return",
          to: "if (newestGate(issue) === undefined && !labels.nodes.some(({ name }) => name === GATE_LABEL)) return",
        },
        {
          in: "newestGate",
          from: "export function newestGate({ comments }: GitHubIssue): GitHubGate | undefined {",
          to: `export function newestGate({ comments, node }: GitHubIssue): GitHubGate | undefined {
            const own = stepIn(node.body);
            if (own !== undefined) return { step: own };`,
        },
      ],
    },
  },
  marks: {
    linear: {
      name: "in Linear, a discovered ticket is known by its UUID, and by nothing in its text",
      holes: [
        {
          in: "TicketIds.nameAll",
          from: "for (let before = -1;",
          to: `for (const [uuid, { description }] of [...unnamed]) {
            const marked = /<!-- loopdash: (\\S+) -->/.exec(description ?? "")?.[1];
            if (marked !== undefined && unnamed.delete(uuid)) this.name(uuid, marked as TicketId);
          }
for (let before = -1;`,
        },
      ],
    },
    github: {
      name: "on GitHub, loopdash's mark is the last line of a discovered ticket, below all that an agent wrote",
      holes: [
        {
          in: "withTrailer",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
          from: 'return `${text === "" ? "" : `${text}\\n\\n`}---\\n${said}\\n${first}\\n${ticketMark(id)}`;',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
          to: "return `---\\n${said}\\n${first}\\n${ticketMark(id)}\\n\\n${text}`;",
        },
        {
          in: "discoveryBody",
          from: 'return [...lines, ...(lines.length === 0 ? [] : [""]), found].join("\\n");',
          to: 'return [found, ...lines].join("\\n");',
        },
      ],
    },
  },
  strangers: {
    linear: {
      name: "in Linear, only members of the organization say what is left to a person (loopdash; the oracle)",
      holes: [
        {
          in: "gateComment",
          from: "if (!isOwn && !isOfPerson(comment)) continue;",
          to: "",
        },
        { in: "stepOf", from: "return mayTell(id, fields) ?", to: "return mayTell !== undefined ?" },
      ],
    },
    github: {
      name: "on GitHub, only people of the repository say what is left to a person (loopdash; the oracle)",
      holes: [
        {
          in: "gateIn",
          from: "(TRUSTED.has(authorAssociation) && !isMinimized)",
          to: "(TRUSTED.size > 0 && !isMinimized)",
        },
        {
          in: "stepOf",
          from: 'TRUSTED.has(fields.get("authorAssociation"))',
          to: "TRUSTED.size > 0",
        },
      ],
    },
  },
  labels: {
    linear: {
      name: "in Linear, a gate's label is spelt exactly",
      holes: [
        {
          in: "linearState",
          from: "const hasLabel = issue.labels.nodes.some(({ name }) => name === GATE_LABEL);",
          to: "const hasLabel = issue.labels.nodes.some(({ name }) => /^hum.n.gated/iu.test(name));",
        },
      ],
    },
    github: {
      name: "on GitHub, a gate's label is spelt exactly",
      holes: [
        {
          in: "issueState",
          from: "if (!labels.nodes.some(({ name }) => name === GATE_LABEL)) return",
          to: "if (!labels.nodes.some(({ name }) => /^hum.n.gated/iu.test(name))) return",
        },
      ],
    },
  },
} as const satisfies Record<string, Readonly<Record<Service["kind"], Defence>>>;
