import type { Service } from "../../e2e/services.ts";
import type { Defence } from "../suite.ts";

const MARKS = "src/adapters/tracker/github/marks.ts";
const GITHUB_COMMENTS = "src/adapters/tracker/github/ticket/comments.ts";
const GITHUB_TICKET = "src/adapters/tracker/github/ticket/ticket.ts";
const LINEAR_GATE = "src/adapters/tracker/linear/ticket/gate.ts";
const LINEAR_TICKET = "src/adapters/tracker/linear/ticket/ticket.ts";

const both = (defence: Defence): Readonly<Record<Service["kind"], Defence>> => ({ linear: defence, github: defence });

/** The sandbox is open to the agent: it has the machine's network, processes and files. */
const NO_SANDBOX = {
  file: "src/loop/programs/confine.ts",
  from: "if (!ctx.confined) return undefined;\n  const { write, read, mounts }",
  to: "return undefined; const { write, read, mounts }",
};

/** What is filed may read back gated. */
const GATED_AT_ONCE = {
  file: "src/adapters/tracker/service/service-tracker.ts",
  from: 'const isAsSent = filed.state.as === "open" && ',
  to: "const isAsSent = ",
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
        file: "src/adapters/executor/environment.ts",
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
          file: LINEAR_TICKET,
          from: "const gate = hasLabel ? gateComment(issue) : undefined;",
          to: "const gate = gateComment(issue);",
        },
        {
          file: LINEAR_GATE,
          from: 'export function gateComment({ id, comments }: Pick<Issue, "id" | "comments">): GateComment | undefined {\n',
          to: `export function gateComment({ id, comments, description }: Issue): GateComment | undefined {
            const own = stepIn(description ?? "", "person");
            if (own !== undefined) return { comment: comments.nodes[0] as Comment, step: own };\n`,
        },
      ],
    },
    github: {
      name: "on GitHub, a gate is a label and a comment, and no text of a ticket is either",
      holes: [
        GATED_AT_ONCE,
        {
          file: GITHUB_TICKET,
          from: "if (!labels.nodes.some(({ name }) => name === GATE_LABEL)) return",
          to: "if (gateOf(issue) === undefined && !labels.nodes.some(({ name }) => name === GATE_LABEL)) return",
        },
        {
          file: GITHUB_COMMENTS,
          from: "export function gateOf({ comments }: Issue): Gate | undefined {\n",
          to: `export function gateOf({ comments, node }: Issue): Gate | undefined {
            const own = stepIn(node.body);
            if (own !== undefined) return { step: own };\n`,
        },
      ],
    },
  },
  marks: {
    linear: {
      name: "in Linear, a discovered ticket is known by its UUID, and by nothing in its text",
      holes: [
        {
          file: "src/adapters/tracker/linear/ticket/ticket-ids.ts",
          from: "    // A discovery may have discoveries, so this is repeated until it finds no more.\n",
          to: `for (const [uuid, { description }] of [...unnamed]) {
            const marked = /<!-- loopdash: (\\S+) -->/.exec(description ?? "")?.[1];
            if (marked !== undefined && unnamed.delete(uuid)) this.name(uuid, marked as TicketId);
          }\n`,
        },
      ],
    },
    github: {
      name: "on GitHub, loopdash's mark is the last line of a discovered ticket, below all that an agent wrote",
      holes: [
        {
          file: MARKS,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
          from: 'return `${text === "" ? "" : `${text}\\n\\n`}---\\n${said}\\n${first}\\n${markOf(id)}`;',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
          to: "return `---\\n${said}\\n${first}\\n${markOf(id)}\\n\\n${text}`;",
        },
        {
          file: "src/domain/outbox/discovery.ts",
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
          file: LINEAR_GATE,
          from: "if (!isOwn && !isOfPerson(comment)) continue;",
          to: "",
        },
        { file: "oracle/linear.ts", from: "return mayTell(id, fields) ?", to: "return mayTell !== undefined ?" },
      ],
    },
    github: {
      name: "on GitHub, only people of the repository say what is left to a person (loopdash; the oracle)",
      holes: [
        {
          file: GITHUB_COMMENTS,
          from: "(TRUSTED.has(authorAssociation) && !isMinimized)",
          to: "(TRUSTED.size > 0 && !isMinimized)",
        },
        {
          file: "oracle/github.ts",
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
          file: LINEAR_TICKET,
          from: "const hasLabel = issue.labels.nodes.some(({ name }) => name === GATE_LABEL);",
          to: "const hasLabel = issue.labels.nodes.some(({ name }) => /^hum.n.gated/iu.test(name));",
        },
      ],
    },
    github: {
      name: "on GitHub, a gate's label is spelt exactly",
      holes: [
        {
          file: GITHUB_TICKET,
          from: "if (!labels.nodes.some(({ name }) => name === GATE_LABEL)) return",
          to: "if (!labels.nodes.some(({ name }) => /^hum.n.gated/iu.test(name))) return",
        },
      ],
    },
  },
} as const satisfies Record<string, Readonly<Record<Service["kind"], Defence>>>;
