import { readFileSync } from "node:fs";
import { type Ended, Stage } from "./stage.ts";

const GUARD = `export const isBlocked = (command) => command.includes("rm -rf /");\n`;
/** The guard as a mender leaves it. */
export const MENDED = `export const isBlocked = (command) => /rm\\s+(?:-rf|-fr|-r -f)\\s+\\//.test(command);\n`;
/** The designed check: fails on GUARD, passes on MENDED. */
export const CASE = `import { isBlocked } from "../guards/block.mjs"; process.exit(isBlocked("rm -fr /") && !isBlocked("ls /") ? 0 : 1);\n`;
/** An attack that MENDED repels, and one that gets through. */
const REPELLED = CASE.replace("rm -fr /", "rm  -fr  /");
export const BYPASS = CASE.replace("rm -fr /", "rm --recursive --force /");
export const FINDING = {
  ...{ severity: "P0", kind: "Other spelling", title: "rm -fr is not blocked", file: "guards/block.mjs", line: 1 },
  why: "-fr means the same as -rf",
};

/** A mender that copies what it is told to, and writes the better guard. */
export const HONEST_MENDER = `copy(); fs.writeFileSync("guards/block.mjs", mended);`;

interface Script {
  /** By iteration; the last one is repeated. */
  readonly findings?: readonly object[];
  readonly check?: string;
  readonly mender?: string;
  /** The attack that the verifier shows, and its word on it. */
  readonly shown?: string | undefined;
  readonly broken?: boolean;
  readonly goal?: Record<string, unknown>;
}

/** A repository with a guard, a goal for it, and scripted agents. Every start of an agent leaves a line in `starts`. */
export function aGoal({
  findings = [FINDING],
  check = CASE,
  mender = HONEST_MENDER,
  shown = REPELLED,
  broken = false,
  goal = {},
}: Script = {}) {
  const stage = new Stage();
  stage.repo("app", {
    "guards/block.mjs": GUARD,
    "smoke.mjs": `import { isBlocked } from "./guards/block.mjs"; process.exit(isBlocked("ls") ? 1 : 0);\n`,
  });
  stage.write("script.json", JSON.stringify({ findings, check, mended: MENDED }));
  stage.agent(`
export const { findings, check, mended } = JSON.parse(fs.readFileSync("${stage.path("script.json")}", "utf8"));
fs.appendFileSync("${stage.path("starts")}", ticket + "\\n");
export const [, n, role] = /-(\\d+)-(\\w+)$/.exec(ticket);
const path = prompt.match(/cases\\/\\d+\\.mjs/)?.[0];
const copy = () => {
  for (const [, from, to] of prompt.matchAll(/^- (\\/\\S+) as (\\S+)$/gm)) {
    fs.mkdirSync(to.split("/").slice(0, -1).join("/") || ".", { recursive: true });
    fs.copyFileSync(from, to);
  }
};
if (role === "search") fs.writeFileSync("finding.json", JSON.stringify(findings[Math.min(n, findings.length) - 1]));
else if (role === "design") { fs.mkdirSync("cases", { recursive: true }); fs.writeFileSync(path, check); }
else { ${mender} }
say("stopped");`);
  const answer = { tried: ["another spelling"], broken, ...(shown !== undefined && { shown }) };
  const claim = broken ? { severity: "high", scenario: "it still runs", reproduce: "node x" } : {};
  stage.write(
    "verifier.mjs",
    `import fs from "node:fs";
const prompt = fs.readFileSync(process.env.LOOPDASH_PROMPT, "utf8");
export const [, nonce] = /^LOOPDASH ANSWER BEGIN (\\S+)$/m.exec(prompt), [, tree] = /"tree": "([0-9a-f]+)"/.exec(prompt);
console.log("LOOPDASH ANSWER BEGIN " + nonce + "\\n" + JSON.stringify({ nonce, tree, ...${JSON.stringify({ ...answer, ...claim })} }) + "\\nLOOPDASH ANSWER END " + nonce);`,
  );
  const node = process.execPath;
  const front = {
    ...{ name: "guards", repo: { path: "app" }, scope: ["guards/**"], sandbox: "off" },
    ...{ smoke: [[node, "smoke.mjs"]], regression: { path: "cases/{n}.mjs", command: [node, "{file}"] } },
    ...{ minutesBetween: 0, attempts: 1 },
    agents: {
      finder: { kind: "command", command: [node, "agent.mjs"] },
      designer: { kind: "command", command: [node, "agent.mjs", "designer"] },
      mender: { kind: "command", command: [node, "agent.mjs", "mender"] },
      verifier: { kind: "command", command: [node, "verifier.mjs"] },
    },
    ...goal,
  };
  stage.write(
    "goal.md",
    `---\n${JSON.stringify(front, undefined, 2)}\n---\n\nNo spelling of a destructive command gets past a guard.\n`,
  );
  return stage;
}

export const improve = async (stage: Stage, ...args: string[]): Promise<Ended> => {
  const ended = await stage.run(["improve", "goal.md", ...args]);
  // An error is seen where its line was expected.
  return { ...ended, stdout: ended.stdout + ended.stderr };
};
export const status = async (stage: Stage) => JSON.parse((await improve(stage, "--status", "--json")).stdout);
export const onMain = (stage: Stage, path: string): string => stage.git("app", "show", `main:${path}`);
export const starts = (stage: Stage): string[] => readFileSync(stage.path("starts"), "utf8").trim().split("\n");
