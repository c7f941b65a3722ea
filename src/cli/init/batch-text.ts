import { DEFAULT_CHECK } from "../../domain/batch/default-finish.ts";
import { Limits } from "../../domain/batch/schema.ts";
import { TOKEN_OF } from "../../domain/batch/tracker-spec.ts";
import type { Answers, TrackerAnswer } from "./answers.ts";

/** Characters of a line of the file. */
const WIDTH = 100;

/** A setting of the file with the lines of its comment. */
interface Setting {
  readonly comment: readonly string[];
  /** Undefined if the comment stands in place of the setting. */
  readonly entry?: readonly [key: string, value: unknown];
}

/** The text of a batch file with comments that say what each setting does. */
export function batchText(answers: Answers): string {
  const settings = settingsOf(answers);
  const last = settings.findLastIndex(({ entry }) => entry !== undefined);
  const blocks = settings.map(({ comment, entry }, i) => {
    const lines = comment.map((line) => `  // ${line}`);
    if (entry === undefined) return lines.join("\n");
    const [key, value] = entry;
    const head = `  ${JSON.stringify(key)}: `;
    return [...lines, `${head}${valueText(value, "  ", head.length)}${i < last ? "," : ""}`].join("\n");
  });
  return `${HEAD}{\n${blocks.join("\n\n")}\n}\n`;
}

const HEAD = `// A batch of tickets for loopdash. Comments are allowed; every setting is in docs/reference/settings.md.
// "loopdash doctor" checks this file, "loopdash FILE --dry-run" shows the plan, "loopdash FILE" starts.
`;

function settingsOf({ name, tracker, repos, hosts, test, hooks, agent, reviewer }: Answers): readonly Setting[] {
  const { workers, attempts, usdPerAttempt, usdPerRun } = Limits.parse({});
  return [
    { comment: ["Names the runs of this batch."], entry: ["name", name] },
    { comment: trackerComment(tracker, Object.keys(repos).length > 1), entry: ["tracker", tracker] },
    {
      comment: [
        "The repositories that tickets change, and the branch that changes land on: docs/reference/settings.md#repos",
        "prepare makes a fresh checkout ready, in the sandbox: docs/use/repositories.md#prepare",
        'Changes land here alone. A "forge" pushes them or makes pull requests: docs/use/forges.md',
      ],
      entry: ["repos", repos],
    },
    ...(hosts.length === 0
      ? []
      : [
          {
            comment: ["The hosts that prepare may reach from the sandbox; nothing else is open: docs/use/network.md"],
            entry: ["sandboxPolicy", { hosts: { prepare: hosts } }] as const,
          },
        ]),
    {
      comment:
        agent.kind === "command"
          ? ["The program that works a ticket: docs/use/finish-line.md#what-an-agent-gets"]
          : ["The program that works a ticket, and who pays for its model: docs/use/agents.md"],
      entry: ["agent", agent],
    },
    reviewer === undefined
      ? { comment: ['No "reviewer" reads the changes; another vendor\'s model can: docs/use/reviewer.md'] }
      : { comment: ["Reads each change before it lands: docs/use/reviewer.md"], entry: ["reviewer", reviewer] },
    finishSetting(test, hooks, reviewer !== undefined),
    {
      comment: ["Some bounds of a run, at their defaults; there are more: docs/reference/settings.md#limits"],
      entry: ["limits", { workers, attempts, usdPerAttempt, usdPerRun }],
    },
  ];
}

function trackerComment(tracker: TrackerAnswer, hasSeveralRepos: boolean): readonly string[] {
  if (tracker.kind === "local")
    return ["The folder of tickets, one Markdown file each; loopdash writes their state: docs/use/batch-file.md#tickets"];
  const service = tracker.kind === "linear" ? "Linear" : "GitHub";
  return [
    `The issues in ${service} that this batch takes, and which of them: docs/use/trackers.md`,
    `Their token is in the variable ${TOKEN_OF[tracker.kind].variable}; no agent sees it.`,
    ...(hasSeveralRepos && !("repos" in tracker) ? ["A label repo:NAME says which repository an issue is about."] : []),
  ];
}

function finishSetting(test: Answers["test"], hooks: Answers["hooks"], isReviewed: boolean): Setting {
  const review = isReviewed ? [{ step: "review" }] : [];
  const where = "docs/use/finish-line.md";
  if (test === "own")
    return {
      comment: [
        `Without "finish", a change passes gates, its repository's own tests${isReviewed ? ", review" : ""} and merge: ${where}`,
      ],
    };
  const check = test === "none" ? [] : [{ step: "check", name: DEFAULT_CHECK, command: test }];
  return {
    comment: [
      `The steps to a done ticket, in order: ${where}`,
      test === "none"
        ? "Nothing tests the changes: add a check before merge."
        : "Its tests are compared with the base, if the runner is known: docs/use/finish-line.md#test-by-test",
    ],
    entry: ["finish", [{ step: "gates" }, ...check, ...hooks, ...review, { step: "merge" }]],
  };
}

/** JSON in one line if it fits, else one line for each member. `used`: the characters before it in its line. */
function valueText(value: unknown, indent: string, used: number): string {
  const inline = inlineText(value);
  const isCompound = typeof value === "object" && value !== null;
  if (!isCompound || used + inline.length < WIDTH) return inline;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((each) => `${inner}${valueText(each, inner, inner.length)}`)
    : definedEntries(value).map(([key, each]) => {
        const head = `${inner}${JSON.stringify(key)}: `;
        return `${head}${valueText(each, inner, head.length)}`;
      });
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function inlineText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = definedEntries(value);
  if (members.length === 0) return "{}";
  return `{ ${members.map(([key, each]) => `${JSON.stringify(key)}: ${inlineText(each)}`).join(", ")} }`;
}

function definedEntries(value: object): readonly (readonly [key: string, value: unknown])[] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}
