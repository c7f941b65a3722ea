import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Finding } from "../../domain/improve/finding.ts";
import { caseCommand, casePath, finderFor, type Goal } from "../../domain/improve/goal.ts";
import type { Iteration } from "../../domain/improve/loop-state.ts";
import { plainText } from "../../domain/values/text.ts";

export type Stage = "search" | "design" | "mend";

/** The file that a finder leaves its answer in. */
export const ANSWER = "finding.json";

/** A stage as files: its batch, and the contract of its one ticket. */
export interface StageFiles {
  readonly batch: Readonly<Record<string, unknown>>;
  /** Markdown with front matter. */
  readonly contract: string;
}

interface StageParts {
  readonly goal: Goal;
  readonly iteration: Iteration;
  /** The copy of the repository in which nothing lands for anybody. */
  readonly scratch: string;
}

/** A finder's batch. Its answer lands in the copy, and is read there. `log`: rows of earlier iterations. */
export function searchStage(parts: StageParts, log: string): StageFiles {
  const { goal, iteration } = parts;
  const told =
    iteration.told.length === 0 ? [] : ["", "A person asks for this now:", ...iteration.told.map((text) => `- ${text}`)];
  const body = [
    goal.body,
    ...told,
    "",
    "Find the one worst defect against this goal that the log below does not have. Change nothing but one new file:",
    `${ANSWER}, one JSON object, either`,
    `{"severity": "P0" or "P1" or "P2", "kind": "its kind in two or three words", "title": "one line", "file": "path", "line": 1, "why": "what goes wrong, when"}`,
    `or {"none": true, "why": "what you looked at"} if nothing material is left.`,
    `The file must be one of: ${goal.scope.join(", ")}. It must show: another agent writes a check that fails because of it.`,
    "",
    "The log, newest first:",
    log === "" ? "(empty)" : log,
  ].join("\n");
  return stage(parts, "search", {
    agent: finderFor(goal, iteration.n),
    ...{ attempts: 1, only: [atRoot(ANSWER)], title: "Find one defect", body },
    criteria: [{ name: "answer", command: ["test", "-s", ANSWER] }],
  });
}

/** A check designer's batch. Its check must exit with 1 on the base, which the engine runs. */
export function designStage(parts: StageParts, finding: Finding): StageFiles {
  const { goal, iteration } = parts;
  const { path } = iteration;
  const command = caseCommand(goal, path);
  const body = [
    "Write a check for this finding, as one new file. Change nothing else: another agent will mend it.",
    ...quoted(finding),
    "",
    `The file is ${path}, and \`${command.join(" ")}\` runs it. It must exit with 1 as long as the defect is there, and with 0 once it is`,
    "mended in whatever way. Attack the defect from more than one side, and check too that ordinary use still works.",
    "Run what you check in a process of its own, and exit with 0 only by what it printed: code under check may end its process.",
  ].join("\n");
  return stage(parts, "design", {
    agent: goal.agents.designer,
    ...{ attempts: 2, only: [atRoot(path)], title: `Check: ${finding.title}`, body },
    criteria: [{ name: "fails before", command, exitCode: 1 }],
  });
}

/** A file that a change must hold as it is. */
export interface GivenFile {
  readonly name: "case" | "log";
  /** Its place in the change. */
  readonly path: string;
  readonly text: string;
}

/** Passes if a plain file, and no link, has this hash, however git ends its lines. */
const IS_UNCHANGED = [
  "/bin/sh",
  "-c",
  '[ -f "$2" ] && [ ! -L "$2" ] && [ "$(tr -d "\\r" < "$2" | sha256sum | cut -c1-64)" = "$1" ]',
  "sh",
] as const;

/** The glob of one path: one without a slash would match at any depth. */
const atRoot = (path: string): string => `./${path}`;

interface MendOptions {
  readonly given: readonly GivenFile[];
  readonly folder: string;
  /** The text of the case. */
  readonly text: string;
  /** Cases of earlier iterations, which must still pass. */
  readonly kept: readonly string[];
  readonly inCopy: boolean;
}

/** A mender's batch: the finish line of an ordinary ticket. The files to land unchanged are in `folder` by their names. */
export function mendStage(parts: StageParts, finding: Finding, { given, folder, text, kept, inCopy }: MendOptions): StageFiles {
  const { goal, iteration } = parts;
  const command = caseCommand(goal, iteration.path);
  const copies = given.map(({ name, path }) => `- ${join(folder, name)} as ${path}`);
  const body = [
    "Mend this finding.",
    ...quoted(finding),
    "",
    `\`${command.join(" ")}\` must pass then. Copy these files into your change, byte for byte, and do not change them:`,
    ...copies,
    "",
    `Beside them you may change only: ${goal.scope.join(", ")}. What worked must still work.`,
  ].join("\n");
  const { checks, smoke, agents, scope, repo } = goal;
  const run = (name: string) => (argv: readonly string[], i: number) => ({
    ...{ step: "check", name: `${name} ${i + 1}`, command: argv },
    ...(name === "smoke" && { compare: "exit-code" }),
  });
  const attack = casePath(goal, "attack");
  const before = { path: iteration.path, text, command };
  const replay = { path: attack, command: caseCommand(goal, attack), before };
  const stands = kept.map((path, i) => ({
    ...{ step: "check", name: `kept ${i + 1}`, command: caseCommand(goal, path), compare: "exit-code" },
  }));
  return stage(parts, "mend", {
    agent: agents.mender,
    ...{ attempts: goal.attempts, only: [...scope, ...given.map(({ path }) => atRoot(path))], title: finding.title, body },
    criteria: [
      ...given.map(({ name, path, text: whole }) => ({
        name: `${name} unchanged`,
        command: [...IS_UNCHANGED, createHash("sha256").update(whole.replaceAll("\r", "")).digest("hex"), path],
      })),
      { name: "passes after", command },
    ],
    finish: [...stands, ...checks.map(run("check")), ...smoke.map(run("smoke")), { step: "adversary", name: "verifier", replay }],
    more: { reviewer: agents.verifier },
    repo: inCopy ? undefined : repo,
    read: [folder],
  });
}

function quoted(finding: Finding): readonly string[] {
  return ["", "```json", JSON.stringify(finding, undefined, 2), "```"];
}

interface StageContent {
  readonly agent: unknown;
  readonly attempts: number;
  readonly only: readonly string[];
  readonly title: string;
  readonly body: string;
  readonly criteria: readonly unknown[];
  readonly finish?: readonly unknown[];
  readonly more?: Readonly<Record<string, unknown>>;
  /** Absent: the copy. */
  readonly repo?: Goal["repo"] | undefined;
  readonly read?: readonly string[];
}

function stage(
  { goal, iteration, scratch }: StageParts,
  name: Stage,
  { agent, attempts, only, title, body, criteria, finish = [], more = {}, repo, read = [] }: StageContent,
): StageFiles {
  const { forge: _, ...copied } = goal.repo;
  const { budget, sandbox, secrets, protect, hosts, minutesPerAttempt } = goal;
  const left = Math.max(0, budget.usdPerIteration - iteration.usd);
  const usdPerAttempt = Math.min(left, budget.usdPerIteration / 4);
  const batch = {
    name: `${goal.name} ${iteration.n} ${name}`,
    repos: { [goal.name]: repo ?? { ...copied, path: scratch, ...(name !== "mend" && { base: name }) } },
    ...{ agent, sandbox, secrets, protect, ...more },
    sandboxPolicy: { read, ...(hosts !== undefined && { hosts }) },
    limits: {
      ...{ workers: 1, attempts, heals: 0, discoveries: 0, minutesPerAttempt },
      ...{ usdPerAttempt, usdPerTicket: left, usdPerRun: left, usdPerDay: budget.usdPerDay },
    },
    tickets: [
      {
        id: `${goal.name}-${iteration.n}-${name}`,
        ...{ title: plainText(title, 190), body: body.slice(0, 60_000), contract: `${name}.md` },
        finish: [{ step: "gates" }, ...finish, { step: "merge" }],
        // The case is what its own check runs, and what is mended is what cases and smoke commands load.
        allow: { judge: name === "mend" ? [iteration.path, ...goal.scope] : [iteration.path] },
      },
    ],
  };
  return { batch, contract: `---\n${JSON.stringify({ criteria, safety: { only } }, undefined, 2)}\n---\n` };
}
