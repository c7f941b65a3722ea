import { cpSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/build/bundle.ts";
import type { RunReport } from "../../../src/domain/results/report.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { eventsOf, type Stage } from "../../e2e/stage.ts";
import { BASE } from "./base.ts";
import { finish, type Honest, type Left, nodeCheck } from "./change.ts";

/** The result of a run of the whole corpus. */
export interface Outcome {
  readonly stage: Stage;
  readonly code: number | null;
  readonly stderr: string;
  readonly events: readonly RunEvent[];
  readonly report: RunReport;
}

/** The repository of a change. */
export const repoOf = ({ id, repo }: Honest): string => repo ?? id.toLowerCase();

/** Works the whole corpus in one batch, by the shipped program with all its defences against dishonest changes. */
export async function work(stage: Stage, corpus: readonly Honest[], program?: string): Promise<Outcome> {
  const template = stage.repo("template", BASE);
  const repos = new Map(corpus.map((change) => [repoOf(change), change]));
  for (const [repo, { base }] of repos) {
    cpSync(template, stage.path(repo), { recursive: true });
    if (base === undefined) continue;
    for (const [file, text] of Object.entries(base)) stage.write(join(repo, file), text);
    stage.git(repo, "add", "-A");
    stage.git(repo, "commit", "-q", "-m", "more");
  }
  stage.agent(agentText(corpus));
  const batch = stage.batch(
    corpus.map((change) => ({ id: change.id, repo: repoOf(change), ...change.ticket })),
    {
      repos: Object.fromEntries([...repos].map(([repo, { prepare = [] }]) => [repo, { path: repo, prepare }])),
      sandbox: "required",
      sandboxPolicy: { read: [join(ROOT, "node_modules")] },
      // Nobody is asked: what needs an approval says so in its ticket.
      judge: "refuse",
      protect: [".github/**", "CODEOWNERS"],
      limits: { workers: 4, attempts: 1 },
      ...finish(nodeCheck("junit")),
    },
  );
  const { code, stdout, stderr } = await stage.start([batch, "--json"], {}, program).ended;
  return { stage, code, stderr, events: eventsOf(stdout), report: await stage.report() };
}

/** The agent of every ticket: the source of the corpus's functions. */
export function agentText(corpus: readonly Pick<Honest, "id" | "agent">[]): string {
  const agents = corpus.map(({ id, agent }) => `${JSON.stringify(id)}: ${agent}`);
  return `import * as path from "node:path";
const run = (program, ...args) => sh(program, ...args);
const write = (file, content) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, content); };
const read = (file) => fs.readFileSync(file, "utf8");
const edit = (file, from, to) => {
  if (!read(file).includes(from)) throw new Error(file + " does not hold " + from);
  fs.writeFileSync(file, read(file).replaceAll(from, () => to));
};
const remove = (file) => fs.rmSync(file, { recursive: true });
const move = (from, to) => { fs.mkdirSync(path.dirname(to), { recursive: true }); fs.renameSync(from, to); };
const git = (...args) => sh("git", ...args);
const agents = { ${agents.join(",\n")} };
await agents[ticket]({ fs, path, write, read, edit, remove, move, git, run });`;
}

/** The result of a change in its repository. */
export function leftBy(stage: Stage, change: Honest): Left {
  const repo = repoOf(change);
  return {
    git: (...args) => stage.git(repo, ...args),
    file: (path) => stage.git(repo, "cat-file", "blob", `main:${path}`),
    mode: (path) => stage.git(repo, "ls-tree", "main", "--", path).split(" ")[0] ?? "",
  };
}

/** The run's output about a ticket, which shows why it did not land. */
export function toldOf(events: readonly RunEvent[], ticket: string): string {
  return events.flatMap((event) => ("ticket" in event && event.ticket === ticket ? [JSON.stringify(event)] : [])).join("\n");
}
