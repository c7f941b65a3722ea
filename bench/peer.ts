import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, mustRun, type RunResult, run, scratchFolder } from "./children.ts";
import { type Bench, type Figure, ratioFigure } from "./figure.ts";
import { loopdashOnce, ticketIds } from "./overhead.ts";
import { watchPeakMemory } from "./processes.ts";
import { createRepository, git } from "./repository.ts";
import { median } from "./stats.ts";

const PACKAGES = ["ralph-tui@0.11.0", "@oven/bun-linux-x64@1.3.6"] as const;
const WORKERS = 2;

/** The fastest other program we know, on the same tickets with the same agent: time per further ticket and memory. */
export const peer: Bench = {
  name: "peer",
  about: "ralph-tui 0.11.0 from the npm registry, headless and parallel, on the same tickets (needs the network)",
  onRequest: true,
  async run(options): Promise<readonly Figure[]> {
    await using installed = await scratchFolder("peer-install");
    options.log(`installing ${PACKAGES.join(" and ")}`);
    await installPeer(installed.path);
    const [small, large, rounds] = options.quick ? [5, 10, 1] : [10, 40, 3];
    const slopes = { mine: [] as number[], peer: [] as number[] };
    const peaks = { mine: [] as number[], peer: [] as number[] };
    for (let round = 1; round <= rounds; round += 1) {
      const peerRuns = [await peerOnce(installed.path, small), await peerOnce(installed.path, large)] as const;
      const myRuns = [await loopdashOnce(small, WORKERS), await loopdashOnce(large, WORKERS)] as const;
      slopes.peer.push((peerRuns[1].ms - peerRuns[0].ms) / (large - small));
      slopes.mine.push((myRuns[1].ms - myRuns[0].ms) / (large - small));
      peaks.peer.push(peerRuns[1].peakMb);
      peaks.mine.push(myRuns[1].peakMb);
      options.log(`round ${round}: per ticket ${slopes.mine.at(-1)?.toFixed(1)} ms, peer ${slopes.peer.at(-1)?.toFixed(1)} ms`);
    }
    const common = { item: "peer", note: `medians of ${rounds} alternating rounds, ${WORKERS} workers` };
    return [
      ratioFigure({
        ...common,
        what: `per further ticket (${small} to ${large})`,
        value: median(slopes.mine),
        unit: "ms/ticket",
        floor: { what: "ralph-tui", value: median(slopes.peer) },
        max: 1,
      }),
      ratioFigure({
        ...common,
        what: `peak memory, ${large} tickets`,
        value: median(peaks.mine),
        unit: "MB",
        floor: { what: "ralph-tui", value: median(peaks.peer) },
        max: 1,
      }),
    ];
  },
};

/** Variables that npm needs to reach the registry as this user does; no other variable of the user's is passed on. */
const NPM_NAMES = [
  "HOME",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "https_proxy",
  "http_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "npm_config_registry",
  "npm_config_userconfig",
  "npm_config_globalconfig",
  "npm_config_cache",
];

async function installPeer(folder: string): Promise<void> {
  const npm = Object.fromEntries(
    NPM_NAMES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  await writeFile(join(folder, "package.json"), '{"name":"peer","private":true}\n');
  const argv = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES] as const;
  await mustRun({ argv: [...argv], cwd: folder, env: childEnvironment(folder, npm) });
}

async function peerOnce(installed: string, count: number): Promise<{ ms: number; peakMb: number }> {
  await using scratch = await scratchFolder("peer");
  const repo = await createPeerProject(scratch.path, count);
  let peak: (() => number) | undefined;
  const result = await run({
    argv: [
      join(installed, "node_modules", "@oven", "bun-linux-x64", "bin", "bun"),
      join(installed, "node_modules", "ralph-tui", "dist", "cli.js"),
      ...["run", "--prd", "prd.json", "--headless", "--parallel", String(WORKERS), "--no-setup"],
    ],
    cwd: repo,
    env: childEnvironment(scratch.path, {
      GIT_AUTHOR_NAME: "Bench",
      GIT_AUTHOR_EMAIL: "bench@example.invalid",
      GIT_COMMITTER_NAME: "Bench",
      GIT_COMMITTER_EMAIL: "bench@example.invalid",
    }),
    onStart: (child) => {
      peak = watchPeakMemory(child);
    },
  });
  await assertPeerDone(scratch.path, repo, count, result);
  return { ms: result.ms, peakMb: peak?.() ?? 0 };
}

/** Its exit code is 0 even if tickets failed, so the files on main are counted. */
async function assertPeerDone(scratch: string, repo: string, count: number, result: RunResult): Promise<void> {
  const names = (await git(scratch, repo, "ls-tree", "--name-only", "main")).split("\n");
  const landed = names.filter((name) => name.startsWith("ticket-")).length;
  if (landed !== count) throw new Error(`the peer landed ${landed} of ${count} tickets: ${result.stdout.slice(-1_000)}`);
}

/** A project with `count` independent stories, and a scripted agent in place of the one that the peer expects. */
async function createPeerProject(scratch: string, count: number): Promise<string> {
  const agent = join(scratch, "agent.sh");
  await writeFile(agent, AGENT);
  await chmod(agent, 0o755);
  const repo = await createRepository(scratch, "repo");
  await mkdir(join(repo, ".ralph-tui"));
  await writeFile(join(repo, ".gitignore"), ".ralph-tui/\nprd.json\n");
  await writeFile(join(repo, ".ralph-tui", "config.toml"), config(agent));
  const userStories = ticketIds(count).map((id) => ({
    id,
    title: `Ticket ${id}`,
    description: "Add a file",
    acceptanceCriteria: ["the file exists"],
    priority: 1,
    passes: false,
    dependsOn: [],
  }));
  await writeFile(join(repo, "prd.json"), JSON.stringify({ name: "bench", branchName: "main", userStories }));
  await git(scratch, repo, "add", "--all");
  await git(scratch, repo, "commit", "--quiet", "--message", "project");
  return repo;
}

const AGENT = `#!/bin/sh
if [ "$1" = --version ]; then echo 1.0.0; exit 0; fi
cat > /dev/null
echo done > "ticket-$$.txt"
git add "ticket-$$.txt"
git commit --quiet --message ticket
echo '<promise>COMPLETE</promise>'
`;

function config(agent: string): string {
  return `configVersion = "2.1"
agent = "claude"
command = "${agent}"
tracker = "json"
maxIterations = 1000
iterationDelay = 0
autoCommit = true
[trackerOptions]
path = "prd.json"
[parallel]
mode = "always"
maxWorkers = ${WORKERS}
directMerge = true
`;
}
