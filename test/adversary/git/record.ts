import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { RepoId } from "../../../src/domain/values/ids.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { eventsOf, PROGRAM, Stage } from "../../e2e/stage.ts";
import { SHELL } from "../escape/hands.ts";
import type { Attack, Defence } from "../suite.ts";

/** The agent gets what it gets, but for the folder: the real record of its worktree. */
const RECORD: Defence = {
  name: "an agent has a git folder of its own, and the repository's record of its worktree is the engine's",
  holes: [
    {
      in: "agentView",
      from: "{ from: git, at: WORKER_GIT, write: true, isGit: true }",
      to: "{ from: record, at: WORKER_GIT, write: true, isGit: true }",
    },
  ],
};

const REMOVED: Defence = {
  name: "a worktree is removed by handles of its folders, and its record in any case",
  holes: [
    {
      in: "clearPath",
      from: "await removeTrees(store, [...written, ...recorded]);",
      to: 'void written; await (await import("node:fs/promises")).rm(path, { recursive: true });',
    },
    {
      in: "clearPath",
      from: "} finally {",
      to: "} catch (error) { throw error; }\n  {",
    },
  ],
};

/** A person's git, at most this long. Milliseconds. */
const PATIENCE_MS = 4_000;

const REPO = "app";

/** Whether git does something of a person's in time and without an error. */
function works(stage: Stage, ...args: string[]): boolean {
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return spawnSync("git", ["-C", stage.path(REPO), ...args], { env, timeout: PATIENCE_MS, killSignal: "SIGKILL" }).status === 0;
}

/**
 * An agent that does something to its git folder and waits, while a person goes on with the repository.
 * `person` says whether the person is disturbed.
 */
function disturbs(id: string, what: string, agent: string, person: (stage: Stage) => boolean | Promise<boolean>): Attack {
  return {
    id,
    what,
    defence: RECORD,
    succeeds: async (program) => {
      using stage = new Stage();
      stage.repo(REPO);
      stage.git(REPO, "branch", "other");
      stage.write("gate/.keep", "");
      stage.agent(`const root = ${JSON.stringify(stage.root)};
${SHELL} const dir = "/run/git/own";
${agent}
say("it is done");
while (!fs.existsSync(root + "/gate/go")) await wait(50);
fs.writeFileSync("honest", "x");`);
      const batch = stage.batch(["T-1"], {
        repos: { [REPO]: { path: REPO } },
        sandbox: "required",
        sandboxPolicy: { read: [stage.path("gate")] },
        limits: { attempts: 1 },
      });
      const started = stage.start([batch, "--json"], {}, program);
      await started.until(/it is done/);
      const disturbed = await person(stage);
      stage.write("gate/go", "");
      const { stdout } = await started.ended;
      if (program === PROGRAM && !stage.landed(REPO).includes("T-1"))
        throw new Error(
          `it did not land:\n${eventsOf(stdout)
            .map((event) => JSON.stringify(event))
            .join("\n")}`,
        );
      return disturbed;
    },
  };
}

/** Whether another engine refuses the repository. It waits for nobody: one that hangs fails this test by its time. */
async function isRefused(stage: Stage): Promise<boolean> {
  try {
    await openRepo({ id: RepoId.parse(REPO), path: stage.path(REPO), base: "main", scratch: stage.root });
    return false;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

const HEAD_PIPE = '$("rm $0/HEAD; mkfifo $0/HEAD".replaceAll("$0", dir));';

const DISTURBING: readonly Attack[] = [
  disturbs(
    "F13-pipe",
    "puts a pipe in the place of its HEAD: the person's git waits for it",
    HEAD_PIPE,
    (stage) => !works(stage, "branch", "-a"),
  ),
  disturbs("F13-gc", "does so, and the person's gc waits", HEAD_PIPE, (stage) => !works(stage, "gc", "-q")),
  disturbs(
    "F13-base",
    "says that it has the base checked out: the person cannot switch to it",
    '$("echo ref: refs/heads/main > " + dir + "/HEAD");',
    (stage) => {
      stage.git(REPO, "switch", "-q", "other");
      const refused = !works(stage, "switch", "-q", "main");
      if (refused) execFileSync("git", ["-C", stage.path(REPO), "switch", "-q", "--ignore-other-worktrees", "main"]);
      return refused;
    },
  ),
  disturbs(
    "F13-index",
    "puts a pipe in the place of its index: the person's gc waits for it",
    '$("rm $0/index; mkfifo $0/index".replaceAll("$0", dir));',
    (stage) => !works(stage, "gc", "-q"),
  ),
  disturbs(
    "F15-base",
    "says that it has the base checked out: another run is refused",
    '$("echo ref: refs/heads/main > " + dir + "/HEAD"); fs.writeFileSync("dirty", "x"); $("echo dirt > README.md");',
    isRefused,
  ),
  disturbs(
    "F15-pipe",
    "says that it rebases, by a pipe: another run waits",
    '$("git checkout -q --detach; mkdir -p $0/rebase-merge; mkfifo $0/rebase-merge/head-name; rm -f $0/HEAD; mkfifo $0/HEAD".replaceAll("$0", dir));',
    (stage) => !works(stage, "branch", "-a"),
  ),
];

/** An agent whose worktree is not easily removed. */
function stays(id: string, what: string, agent: string): Attack {
  return {
    id,
    what,
    defence: REMOVED,
    succeeds: async (program) => {
      using stage = new Stage();
      stage.repo(REPO);
      stage.agent(`${SHELL} ${agent} fs.writeFileSync("honest", "x");`);
      const batch = stage.batch(["T-1"], { repos: { [REPO]: { path: REPO } }, sandbox: "required", limits: { attempts: 1 } });
      await stage.start([batch, "--json"], {}, program).ended;
      const records = stage.path(REPO, ".git/worktrees");
      const worktrees = join(stage.home, "worktrees");
      const folders = readdirSync(worktrees).flatMap((run) => readdirSync(join(worktrees, run)));
      return (existsSync(records) && readdirSync(records).length > 0) || folders.length > 0;
    },
  };
}

const DEEP =
  'const start = process.cwd(); for (let i = 0; i < 60; i++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); } process.chdir(start);';

const STAYING: readonly Attack[] = [
  stays("F14-deep", "leaves folders that are deeper than a path can be long", DEEP),
  stays(
    "F14-deep-file",
    "leaves a file at the end of them",
    DEEP.replace("process.chdir(start);", 'fs.writeFileSync("x", ""); process.chdir(start);'),
  ),
  stays(
    "F14-ignored",
    "leaves them in an ignored folder",
    `fs.writeFileSync(".gitignore", "out\\n"); fs.mkdirSync("out"); process.chdir("out"); ${DEEP} process.chdir("..");`,
  ),
];

/** Attacks on a person's git and on other runs by what git keeps of a worktree. */
export const RECORDS: readonly Attack[] = [...DISTURBING, ...STAYING];
