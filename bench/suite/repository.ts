import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, type RunResult, run } from "../children.ts";
import { git } from "../repository.ts";

/** The work of a scenario's six agents. */
export interface AgentPlan {
  /** The working time of each agent, in seconds; one per ticket. */
  readonly seconds: readonly number[];
  /** Each agent also adds a test file for its module. */
  readonly addsTests?: boolean;
  /** The index of the ticket whose change breaks a test of the base. */
  readonly faulty?: number;
}

/** A repository with a suite of a fixed duration, which counts its own starts. */
export interface SuiteRepository {
  readonly path: string;
  /** The agent's command; it reads LOOPDASH_TICKET. */
  readonly agent: readonly [string, ...string[]];
  /** The suite's command: its last argument is the file for the TAP report. */
  readonly check: readonly [string, ...string[]];
  /** The folder of the counter, which the suite must be able to write. */
  readonly counter: string;
  /** The number of the suite's starts so far. */
  countStarts(): Promise<number>;
  /** The modules that differ between the first commit and main, in order. */
  changedModules(): Promise<readonly string[]>;
}

/** The tickets' ids, in their order. */
export function ticketIds({ seconds }: AgentPlan): readonly string[] {
  return seconds.map((_, i) => `S-${i}`);
}

/** The module that a ticket changes. */
function modulePath(i: number): string {
  return `src/part-${i}.mjs`;
}

/** The modules that are changed on main when all tickets but the faulty one have landed. */
export function honestModules({ faulty, seconds }: AgentPlan): readonly string[] {
  return seconds.flatMap((_, i) => (i === faulty ? [] : [modulePath(i)]));
}

function moduleText(i: number, expression: string): string {
  return `/** Adds ${i} to the sum of two numbers. */\nexport const part${i} = (a, b) => ${expression};\n`;
}

/** Two tests for each of `modules`: wrong code fails both. */
function testText(name: string, modules: readonly number[]): string {
  const lines = ['import assert from "node:assert";', 'import { test } from "node:test";'];
  for (const i of modules) lines.push(`import { part${i} } from "../${modulePath(i)}";`);
  for (const i of modules) {
    lines.push("", `test("${name} ${i} sums", () => assert.equal(part${i}(2, 3), ${5 + i}));`);
    lines.push(`test("${name} ${i} is symmetric", () => assert.equal(part${i}(7, 1), part${i}(1, 7)));`);
  }
  return `${lines.join("\n")}\n`;
}

/**
 * Makes the repository `name` below `scratch`, its agent and its suite: one module per ticket, and a test file per two modules. The suite
 * waits `suiteSeconds` beside its tests, so that it takes that long without a core's work. It writes a line at each start.
 */
export async function createSuiteRepository(
  scratch: string,
  { name, plan, suiteSeconds }: { readonly name: string; readonly plan: AgentPlan; readonly suiteSeconds: number },
): Promise<SuiteRepository> {
  const path = join(scratch, name);
  const counter = join(scratch, `${name}-counter`);
  for (const folder of [join(path, "src"), join(path, "test"), counter]) await mkdir(folder, { recursive: true });
  const modules = plan.seconds.map((_, i) => i);
  for (const i of modules) await writeFile(join(path, modulePath(i)), moduleText(i, `a + b + ${i}`));
  for (const i of modules.filter((each) => each % 2 === 0)) {
    const pair = modules.slice(i, i + 2);
    await writeFile(join(path, "test", `parts-${pair.join("-")}.test.mjs`), testText("part", pair));
  }
  await git(scratch, path, "init", "--quiet", "--initial-branch=main", "--template=");
  await git(scratch, path, "add", "--all");
  await git(scratch, path, "commit", "--quiet", "--message", "base");
  const base = await git(scratch, path, "rev-parse", "main");
  const starts = join(counter, "starts");
  await writeFile(starts, "");
  const agent = join(scratch, `${name}-agent.sh`);
  await writeFile(agent, agentScript(plan));
  const tests = 'node --test --test-reporter=tap --test-reporter-destination="$0"';
  const script = `date +%s.%N >> '${starts}'; sleep ${suiteSeconds} & ${tests}; code=$?; wait; exit $code`;
  return {
    path,
    agent: ["sh", agent],
    check: ["sh", "-c", script],
    counter,
    countStarts: async () => (await readFile(starts, "utf8")).split("\n").length - 1,
    changedModules: async () => (await git(scratch, path, "diff", "--name-only", base, "main", "--", "src")).split("\n"),
  };
}

/** A script that waits as long as the ticket's agent works, and then changes the ticket's module. */
function agentScript(plan: AgentPlan): string {
  const cases = plan.seconds.map((seconds, i) => {
    const expression = i === plan.faulty ? `a - b + ${i}` : `${i} + a + b`;
    const change = heredoc(modulePath(i), moduleText(i, expression));
    const test = plan.addsTests === true ? heredoc(`test/own-${i}.test.mjs`, testText("own", [i])) : "";
    return `S-${i})\nsleep ${seconds}\n${change}${test};;\n`;
  });
  return `set -e\ncase $LOOPDASH_TICKET in\n${cases.join("")}esac\n`;
}

function heredoc(path: string, text: string): string {
  return `cat > ${path} <<'END'\n${text}END\n`;
}

/** Runs the suite in a checkout without loopdash, with the report in `report`. */
export function runSuite(
  { check }: SuiteRepository,
  { scratch, checkout, report }: { readonly scratch: string; readonly checkout: string; readonly report: string },
): Promise<RunResult> {
  return run({ argv: [...check, report], cwd: checkout, env: childEnvironment(scratch) });
}
