/**
 * An environment of the example, dev or prod: a process of its own that deploys what has landed on `main` and answers what it
 * runs. dev takes every commit; prod takes what dev runs. It answers on a Unix socket in the workspace, and ends when nobody
 * has asked anything for ten minutes.
 *
 *   node serve.mjs dev|prod <workspace>
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

// A path of a socket may have some hundred characters at most; that of a workspace may have more.
process.chdir(workspace);
const socket = `${name}.sock`;

/** What runs here, by repository: its commit, and what its smoke test said. */
const running = new Map();
/** Repositories that were asked for once: an environment that has never been asked is still starting. */
const warm = new Set();
let lastAsked = Date.now();

/** The newest commit that may run here; undefined while there is none. */
async function wanted(repo) {
  if (name !== "dev") return (await ask("dev.sock", `/${repo}`)).body?.revision;
  return (await readFile(`${repo}/.git/refs/heads/main`, "utf8")).trim();
}

/** Lays a commit out in a folder of its own and tries it, as a start of the service would. */
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
  // The example's repositories were made anew, or removed: what ran on them is over.
  await access("shop/.git").catch(() => process.exit(0));
  if (Date.now() - lastAsked > IDLE_MS) process.exit(0);
  for (const repo of REPOS) {
    const revision = await wanted(repo).catch(() => undefined);
    if (revision !== undefined && revision !== running.get(repo)?.revision) await deploy(repo, revision);
  }
  setTimeout(() => void look(), LOOK_MS);
}

/** Whether what runs contains a commit. */
async function contains(repo, commit) {
  const { revision } = running.get(repo) ?? {};
  if (revision === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return false;
  const args = [`--git-dir=${repo}/.git`, "merge-base", "--is-ancestor", commit, revision];
  return run("git", args, { env }).then(
    () => true,
    () => false,
  );
}

/** The same; prod is some moments behind dev, so a visitor who asks for what is on its way is kept for them. */
async function arrives(repo, commit) {
  const until = Date.now() + (name === "prod" ? ARRIVAL_MS : 0);
  while (!(await contains(repo, commit))) {
    if (Date.now() >= until) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

async function answer({ url = "/", method, headers }) {
  if (method === "POST" && url === "/stop") return { status: 200, body: { stopping: name }, after: () => process.exit(0) };
  const { pathname, searchParams } = new URL(url, "http://environment");
  const repo = pathname.slice(1);
  if (!REPOS.includes(repo)) return { status: 404, body: { error: "no such service" } };
  // Environments look at each other all the time; only somebody else is a visitor.
  if (headers["x-environment"] === undefined) {
    lastAsked = Date.now();
    if (name === "prod" && !warm.has(repo)) {
      warm.add(repo);
      return { status: 503, body: { error: `503 Service Unavailable: ${repo} is starting on ${name}` } };
    }
  }
  const now = running.get(repo) ?? { revision: undefined, healthy: false, says: "nothing runs yet" };
  const commit = searchParams.get("commit");
  const deployed = commit === null ? undefined : await arrives(repo, commit);
  return { status: 200, body: { environment: name, repo, deployed, ...now } };
}

await rm(socket, { force: true });
createServer(async (request, response) => {
  const { status, body, after } = await answer(request).catch((error) => ({ status: 500, body: { error: String(error) } }));
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(`${JSON.stringify(body)}\n`, after);
}).listen(socket);
await look();
