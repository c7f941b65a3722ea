/**
 * An environment of the example, dev or prod: a process of its own that deploys the commits on `main` and reports the running
 * ones. dev takes every commit; prod takes dev's commit once it is healthy there, and for two visits its cache serves the version
 * before VAT. It answers on a Unix socket in the workspace, and exits after ten minutes without a request.
 *
 * node serve.mjs dev|prod <workspace>
 */
import { execFile } from "node:child_process";
import { access, mkdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ask } from "./ask.mjs";

const run = promisify(execFile);
const [, , name = "", workspace = ""] = process.argv;
const REPOS = ["shop", "infra"];
const LOOK_MS = 100;
const ARRIVAL_MS = 10_000;
const IDLE_MS = 10 * 60_000;
const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

// A socket's path may have about a hundred characters at most; a workspace's may be longer.
process.chdir(workspace);
const socket = `${name}.sock`;

/** The running commits, by repository, each with its smoke test's output. */
const running = new Map();
/** Repositories with an earlier request: an environment without one is still starting. */
const warm = new Set();
let lastAsked = Date.now();

/** Visits to prod that still get the shop without VAT. */
let cachedVisits = 2;

/** The newest commit that may run here; undefined if there is none yet. prod takes no commit that fails on dev. */
async function wanted(repo) {
  if (name !== "dev") {
    const { body } = await ask("dev.sock", `/${repo}`);
    return body?.healthy ? body.revision : undefined;
  }
  return (await readFile(`${repo}/.git/refs/heads/main`, "utf8")).trim();
}

/** Checks a commit out into its own folder and runs its smoke test, as a start of the service would. */
async function deploy(repo, revision) {
  const folder = `deployed/${name}/${repo}-${revision.slice(0, 12)}`;
  await mkdir(folder, { recursive: true });
  await run("git", [`--git-dir=${repo}/.git`, "archive", "--format=tar", `--output=${folder}.tar`, revision], { env });
  await run("tar", ["-xf", `${folder}.tar`, "-C", folder]);
  await rm(`${folder}.tar`);
  const smoke = await run(process.execPath, ["scripts/smoke.mjs"], { cwd: folder, env }).then(
    ({ stdout }) => ({ healthy: true, says: stdout.trim() }),
    (error) => ({ healthy: false, says: String(error.stderr ?? error.message).slice(0, 500) }),
  );
  running.set(repo, { revision, ...smoke });
}

async function look() {
  // The example's repositories were recreated or removed: their deployments are over.
  await access("shop/.git").catch(() => process.exit(0));
  if (Date.now() - lastAsked > IDLE_MS) process.exit(0);
  for (const repo of REPOS) {
    const revision = await wanted(repo).catch(() => undefined);
    if (revision !== undefined && revision !== running.get(repo)?.revision) await deploy(repo, revision);
  }
  setTimeout(() => void look(), LOOK_MS);
}

/** True if the running commit contains `commit`. */
async function contains(repo, commit) {
  const { revision } = running.get(repo) ?? {};
  if (revision === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return false;
  const args = [`--git-dir=${repo}/.git`, "merge-base", "--is-ancestor", commit, revision];
  return run("git", args, { env }).then(
    () => true,
    () => false,
  );
}

/** The same, but a request for a commit on its way waits for it. */
async function arrives(repo, commit) {
  const until = Date.now() + ARRIVAL_MS;
  while (!(await contains(repo, commit))) {
    if (Date.now() >= until) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

/** True for the first visits to prod that ask for a shop with VAT. */
async function isCached(repo, commit) {
  if (name !== "prod" || repo !== "shop" || cachedVisits === 0) return false;
  const args = ["--git-dir=shop/.git", "cat-file", "-e", `${commit}:src/vat.js`];
  const hasVat = await run("git", args, { env }).then(
    () => true,
    () => false,
  );
  if (hasVat) cachedVisits -= 1;
  return hasVat;
}

async function answer({ url = "/", method, headers }) {
  if (method === "POST" && url === "/stop") return { status: 200, body: { stopping: name }, after: () => process.exit(0) };
  const { pathname, searchParams } = new URL(url, "http://environment");
  const repo = pathname.slice(1);
  if (!REPOS.includes(repo)) return { status: 404, body: { error: "no such service" } };
  // Environments check each other all the time; only other clients count as visitors.
  if (headers["x-environment"] === undefined) {
    lastAsked = Date.now();
    if (name === "prod" && !warm.has(repo)) {
      warm.add(repo);
      return { status: 503, body: { error: `503 Service Unavailable: ${repo} is starting on ${name}` } };
    }
  }
  const commit = searchParams.get("commit");
  const cached = commit !== null && (await isCached(repo, commit));
  const deployed = commit === null ? undefined : !cached && (await arrives(repo, commit));
  const now = running.get(repo) ?? { revision: undefined, healthy: false, says: "nothing runs yet" };
  return {
    status: 200,
    body: { environment: name, repo, deployed, ...now, ...(cached && { says: "the cache has no VAT yet" }) },
  };
}

await rm(socket, { force: true });
createServer(async (request, response) => {
  const { status, body, after } = await answer(request).catch((error) => ({ status: 500, body: { error: String(error) } }));
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(`${JSON.stringify(body)}\n`, after);
}).listen(socket);
await look();
