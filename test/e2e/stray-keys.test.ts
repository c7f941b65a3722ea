import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { apiKeyNames } from "../../src/domain/batch/api-key-guard.ts";
import { HONEST, PROGRAM, Stage } from "./stage.ts";

/** Looks like a key, and must be seen nowhere. */
const VALUE = "sk-never-to-be-seen-0123456789";

/** A stage where everything is right but for a key, and where an agent that ran leaves a file. */
function stageWithAgent(): Stage {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(`fs.writeFileSync("${stage.path("AGENT-RAN")}", ""); ${HONEST}`);
  stage.batch(["T-1"]);
  return stage;
}

/** Runs headless, and asserts that it was refused: exit 4, by name, without the value, and nothing started. */
async function refused(stage: Stage, env: Record<string, string> = {}, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await stage.run(["batch.json", ...(args.length > 0 ? args : ["--headless"])], env);
  expect(stderr).toMatch(/^loopdash: .*who pays.*\n {2}why: .+\n(?: {7}.+\n)* {2}do: {2}.*--allow-api-key.*\n$/);
  expect(code).toBe(4);
  expect(stdout + stderr).not.toContain(VALUE);
  expect(existsSync(stage.path("AGENT-RAN"))).toBe(false);
  expect(existsSync(stage.path("home/runs")) ? readdirSync(stage.path("home/runs")) : []).toEqual([]);
  expect(stage.git("app", "branch", "--list", "loopdash/*")).toBe("");
  return stderr;
}

describe("a stray key refuses the start (exit 4)", () => {
  test.each([
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_USE_BEDROCK",
    "OPENAI_API_KEY",
    "GOOGLE_GENAI_USE_VERTEXAI",
  ])("%s in loopdash's environment", async (name) => {
    using stage = stageWithAgent();
    expect(await refused(stage, { [name]: VALUE })).toContain(`${name} is set in loopdash's environment`);
  });

  test.each([
    ["beside the batch file", ".env"],
    ["at the top of a repository", "app/.env"],
    ["in one of the other files that programs load", "app/.env.local"],
    ["in Gemini's own", "app/.gemini/.env"],
  ])("%s", async (_, file) => {
    using stage = stageWithAgent();
    stage.write("app/.git/info/exclude", ".env*\n.gemini\n");
    stage.write(file, `A=1\nexport OPENAI_API_KEY="${VALUE}"\n`);
    expect(await refused(stage)).toContain(`OPENAI_API_KEY is set in ${stage.path(file)}`);
  });

  test("in what programs find in the home, and in a project's settings: each is named", async () => {
    using stage = stageWithAgent();
    stage.write("app/.git/info/exclude", ".claude\n");
    const claude = JSON.stringify({ apiKeyHelper: `echo ${VALUE}`, env: { ANTHROPIC_AUTH_TOKEN: VALUE, OTHER: VALUE } });
    for (const file of [".claude/settings.json", "app/.claude/settings.json", "app/.claude/settings.local.json"])
      stage.write(file, claude);
    stage.write(".codex/auth.json", JSON.stringify({ OPENAI_API_KEY: VALUE, tokens: null }));
    for (const file of [".codex/.env", ".gemini/.env"]) stage.write(file, `GEMINI_API_KEY=${VALUE}\n`);
    const says = await refused(stage);
    for (const [name, file] of [
      ["apiKeyHelper", ".claude/settings.json"],
      ["ANTHROPIC_AUTH_TOKEN", ".claude/settings.json"],
      ["apiKeyHelper", "app/.claude/settings.json"],
      ["ANTHROPIC_AUTH_TOKEN", "app/.claude/settings.local.json"],
      ["OPENAI_API_KEY", ".codex/auth.json"],
      ["GEMINI_API_KEY", ".codex/.env"],
      ["GEMINI_API_KEY", ".gemini/.env"],
    ])
      expect(says).toContain(`${name} is set in ${stage.path(file ?? "")}\n`);
    expect(says.match(/is set in/g)).toHaveLength(9);
  });

  test("in a home that the sandbox hides: only where the batch opens it", async () => {
    using stage = stageWithAgent();
    const home = { HOME: stage.path("someone") };
    stage.write("someone/.codex/.env", `OPENAI_API_KEY=${VALUE}\n`);
    stage.write("someone/.gemini/.env", `GEMINI_API_KEY=${VALUE}\n`);
    const says = async (over: object) => {
      const { read = [], ...rest } = over as { read?: readonly string[] };
      stage.batch(["T-1"], { sandbox: "required", sandboxPolicy: { read, hosts: { agent: ["api.example.com"] } }, ...rest });
      return (await stage.run(["batch.json", "--dry-run"], home)).stderr;
    };
    expect(await says({})).not.toContain("is set in");
    expect(await says({ read: ["someone/.codex"] })).toContain("OPENAI_API_KEY is set in");
    expect(await says({ read: ["someone/.codex"] })).not.toContain("GEMINI_API_KEY");
    expect(await says({ sandbox: "auto" })).toContain("GEMINI_API_KEY is set in");
  });

  test("but not the variable that the batch names for its agent's key: that bill is meant", async () => {
    using stage = stageWithAgent();
    const agent = { kind: "claude", program: "/bin/true", apiKeyEnv: "ANTHROPIC_API_KEY" };
    stage.batch(["T-1"], { agent, sandbox: "required" });
    const says = async (env: Record<string, string>) => (await stage.run(["batch.json", "--dry-run"], env)).stderr;
    expect(await says({ ANTHROPIC_API_KEY: VALUE })).not.toContain("is set in");
    expect(await says({ ANTHROPIC_API_KEY: VALUE, ANTHROPIC_BASE_URL: VALUE })).toContain("ANTHROPIC_BASE_URL is set in");
  });

  test("in a file that is committed and nowhere checked out: worktrees would have it", async () => {
    using stage = stageWithAgent();
    stage.write("app/config/keys", `CODEX_API_KEY=${VALUE}\n`);
    stage.write("app/.claude/settings.json", `{"env": {"ANTHROPIC_BASE_URL": "${VALUE}"}}`);
    symlinkSync("config/keys", stage.path("app/.env"));
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "keys");
    stage.git("app", "switch", "-q", "-c", "other", "HEAD~1");
    const says = await refused(stage);
    const branch = `of the branch main in ${stage.path("app")}`;
    expect(says).toContain(`CODEX_API_KEY is set in .env ${branch}`);
    expect(says).toContain(`ANTHROPIC_BASE_URL is set in .claude/settings.json ${branch}`);
  });

  test("in a file that is too large to be looked through", async () => {
    using stage = stageWithAgent();
    stage.write(".env", `${"#".repeat(1024 * 1024)}\nOPENAI_API_KEY=${VALUE}\n`);
    expect(await refused(stage)).toContain("larger than 1 MiB");
  });

  test("several at once: each is named, once", async () => {
    using stage = stageWithAgent();
    stage.write("app/.env", `GEMINI_API_KEY=${VALUE}\n`);
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "keys");
    const says = await refused(stage, { XAI_API_KEY: VALUE, GROQ_API_KEY: VALUE });
    expect(says.match(/is set in/g)).toHaveLength(3);
    expect(says).toContain("unset GROQ_API_KEY XAI_API_KEY, take it out of the files");
  });

  test("also where the engine is a process of its own, whose log does not hold it either", async () => {
    using stage = stageWithAgent();
    await refused(stage, { ANTHROPIC_API_KEY: VALUE }, "--detach");
    expect(readFileSync(stage.path("home/engine.log"), "utf8")).not.toContain(VALUE);
  });

  test("also where a run is gone on with", async () => {
    using stage = stageWithAgent();
    stage.agent("await wait(60_000);");
    const first = stage.start(["batch.json", "--headless"]);
    await first.until(/T-1.*agent|agent.*T-1|T-1/);
    first.child.kill("SIGINT");
    expect(await first.ended).toMatchObject({ code: 130 });
    const { code, stderr } = await stage.run(["batch.json", "--headless"], { ANTHROPIC_API_KEY: VALUE });
    expect(stderr).toContain("ANTHROPIC_API_KEY is set in");
    expect(code).toBe(4);
  });
});

describe("what is no stray key", () => {
  test("empty, commented out, deeper in the repository, or a name of the project's own", async () => {
    using stage = stageWithAgent();
    stage.write(".env", `OPENAI_API_KEY=\n# ANTHROPIC_API_KEY=${VALUE}\nVITE_OPENAI_API_KEY=${VALUE}\nANTHROPIC_MODEL=x\n`);
    stage.write("app/packages/web/.env", `OPENAI_API_KEY=${VALUE}\n`);
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "web");
    const { code, stderr } = await stage.run(["batch.json", "--headless"], { ANTHROPIC_API_KEY: "", OPENAI_MODEL: "x" });
    expect(stderr).not.toContain("who pays");
    expect(code).toBe(0);
  });

  test("a folder, a fifo, and a link to nowhere in its place", async () => {
    using stage = stageWithAgent();
    mkdirSync(stage.path(".env"));
    symlinkSync("nowhere", stage.path(".env.local"));
    execFileSync("mkfifo", [stage.path(".env.development")]);
    expect((await stage.run(["batch.json", "--headless"])).code).toBe(0);
  });
});

describe("what is not refused for one", () => {
  const key = { ANTHROPIC_API_KEY: VALUE };

  test("--dry-run, which says that a start would be", async () => {
    using stage = stageWithAgent();
    const { code, stderr, stdout } = await stage.run(["batch.json", "--dry-run"], key);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/a start would be refused: ANTHROPIC_API_KEY is set in/)]);
    expect(stdout + stderr).not.toContain(VALUE);
    const allowed = await stage.run(["batch.json", "--dry-run", "--allow-api-key"], key);
    expect([allowed.code, allowed.stderr]).toEqual([0, expect.not.stringContaining("refused")]);
  });

  test("oracle, status, report, runs and attach: they start no agent", async () => {
    using stage = stageWithAgent();
    expect((await stage.run(["batch.json", "--headless", "--allow-api-key"], key)).code).toBe(0);
    for (const verb of [["oracle", "batch.json"], ["status"], ["report"], ["runs"], ["attach"]])
      expect([verb, await stage.run(verb, key)]).toMatchObject([verb, { code: 0, stderr: "" }]);
  });
});

/** Everything a worker, and what judges it, must not be told: keys of models, trackers, forges, registries, clouds, machines. */
const SECRETS = [
  "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_CUSTOM_HEADERS ANTHROPIC_FOUNDRY_API_KEY ANTHROPIC_MODEL",
  "CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_SSE_PORT CLAUDECODE CLAUDE_CONFIG_DIR",
  "OPENAI_API_KEY OPENAI_BASE_URL OPENAI_ORG_ID CODEX_API_KEY CODEX_HOME AZURE_OPENAI_API_KEY AZURE_OPENAI_ENDPOINT",
  "GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GENAI_USE_VERTEXAI GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT CLOUDSDK_CONFIG",
  "OPENROUTER_API_KEY XAI_API_KEY MISTRAL_API_KEY GROQ_API_KEY DEEPSEEK_API_KEY MOONSHOT_API_KEY TOGETHER_API_KEY COHERE_API_KEY",
  "CEREBRAS_API_KEY FIREWORKS_API_KEY PERPLEXITY_API_KEY REPLICATE_API_TOKEN HF_TOKEN HUGGING_FACE_HUB_TOKEN LITELLM_API_KEY",
  "GITHUB_TOKEN GH_TOKEN GH_ENTERPRISE_TOKEN GITHUB_PAT GITHUB_APP_PRIVATE_KEY ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "GITLAB_TOKEN CI_JOB_TOKEN BITBUCKET_TOKEN GITEA_TOKEN AZURE_DEVOPS_EXT_PAT SYSTEM_ACCESSTOKEN LINEAR_API_KEY JIRA_API_TOKEN",
  "NOTION_TOKEN TRELLO_TOKEN ASANA_TOKEN SLACK_BOT_TOKEN SLACK_WEBHOOK_URL DISCORD_TOKEN SENTRY_AUTH_TOKEN DATADOG_API_KEY",
  "NPM_TOKEN NODE_AUTH_TOKEN npm_config__authToken NPM_CONFIG_USERCONFIG YARN_NPM_AUTH_TOKEN CARGO_REGISTRY_TOKEN TWINE_PASSWORD",
  "PYPI_TOKEN UV_PUBLISH_TOKEN PIP_INDEX_URL GEM_HOST_API_KEY DOCKER_AUTH_CONFIG DOCKER_PASSWORD DOCKER_HOST KUBECONFIG",
  "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_BEARER_TOKEN_BEDROCK AWS_SHARED_CREDENTIALS_FILE",
  "AZURE_CLIENT_SECRET AZURE_API_KEY ARM_CLIENT_SECRET DIGITALOCEAN_TOKEN CLOUDFLARE_API_TOKEN FLY_API_TOKEN HEROKU_API_KEY",
  "VERCEL_TOKEN NETLIFY_AUTH_TOKEN SUPABASE_SERVICE_ROLE_KEY STRIPE_SECRET_KEY TWILIO_AUTH_TOKEN SENDGRID_API_KEY",
  "TF_VAR_password TF_TOKEN_app_terraform_io PULUMI_ACCESS_TOKEN VAULT_TOKEN CONSUL_HTTP_TOKEN NOMAD_TOKEN OP_SESSION_my",
  "OP_SERVICE_ACCOUNT_TOKEN BW_SESSION SOPS_AGE_KEY ANSIBLE_VAULT_PASSWORD GPG_PASSPHRASE GPG_AGENT_INFO GNUPGHOME",
  "DATABASE_URL PGPASSWORD PGPASSFILE MYSQL_PWD REDIS_URL MONGODB_URI SMTP_PASSWORD SECRET_KEY_BASE JWT_SECRET API_KEY TOKEN PASSWORD",
  "SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS SSH_CONNECTION SUDO_ASKPASS GIT_ASKPASS GIT_SSH_COMMAND GIT_SSH",
  "KRB5CCNAME XAUTHORITY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR VSCODE_GIT_IPC_HANDLE VSCODE_IPC_HOOK_CLI TMUX GNOME_KEYRING_CONTROL",
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy LOOPDASH_HOME LOOPDASH_DEBUG LC_SECRET LC_TOKEN",
  "PYTHONPATH PERL5LIB RUBYLIB CLASSPATH PROMPT_COMMAND BASH_FUNC_x%% MY_COMPANY_TOKEN x-odd-name ПАРОЛЬ",
].flatMap((line) => line.split(" "));

/** As a package is installed, but with an oracle that cannot judge where it has any environment at all, and tells its names. */
function installed(stage: Stage): string {
  const dist = dirname(PROGRAM);
  cpSync(dist, stage.path("package/dist"), { recursive: true });
  cpSync(join(dist, "../prompts"), stage.path("package/prompts"), { recursive: true });
  stage.write("package/package.json", '{"name": "loopdash", "type": "module"}');
  const tells = `const names = Object.keys(process.env);
if (names.length > 0) { console.error("IT KNOWS " + names.join(" ")); process.exit(2); }
`;
  stage.write("package/dist/oracle.cjs", tells + readFileSync(join(dist, "oracle.cjs"), "utf8"));
  return stage.path("package/dist/loopdash.js");
}

/** What a process was given, as the kernel has it. */
function environOf(file: string): Map<string, string> {
  const entries = readFileSync(file, "utf8").split("\0");
  return new Map(entries.filter((e) => e.includes("=")).map((e) => [e.slice(0, e.indexOf("=")), e.slice(e.indexOf("=") + 1)]));
}

test("with --allow-api-key a run starts, and none of its processes is told any of a hundred and more secrets", async () => {
  using stage = new Stage();
  const program = installed(stage);
  const dumps = stage.path("dumps");
  mkdirSync(dumps);
  const dump = stage.write("dump.sh", `#!/bin/sh\ncat /proc/$$/environ >"${dumps}/$1-$$"\n`, 0o755);
  // Every git that loopdash starts comes by here.
  const { PATH = "" } = stage.env;
  const git = `#!/bin/sh\ncat /proc/$$/environ >"${dumps}/git-$$"\nPATH='${PATH}' exec git "$@"\n`;
  stage.write("bin/git", git, 0o755);
  stage.repo("app");
  stage.agent(
    `sh("cp", "/proc/self/environ", "${dumps}/agent-child"); sh("cp", "/proc/" + process.pid + "/environ", "${dumps}/agent-main"); ${HONEST}`,
  );
  stage.batch(["T-1"], {
    repos: { app: { path: "app", prepare: [[dump, "prepare"]] } },
    finish: [
      { step: "gates" },
      { step: "check", command: [dump, "check"] },
      { step: "merge" },
      { step: "verify", command: [dump, "verify"] },
    ],
  });
  const secrets = Object.fromEntries(SECRETS.map((name, i) => [name, `secret-${i}-${VALUE}`]));
  const env = { ...stage.env, ...secrets, LOOPDASH_HOME: stage.home, PATH: `${stage.path("bin")}:${PATH}` };
  expect(apiKeyNames(env).length).toBeGreaterThan(20);
  const argv = [program, "batch.json", "--json", "--allow-api-key"];
  const ended = await execa(process.execPath, argv, { cwd: stage.root, env, extendEnv: false, reject: false, stdin: "ignore" });
  expect(ended.stdout + ended.stderr).not.toContain(VALUE);
  expect(ended.stdout + ended.stderr).not.toContain("IT KNOWS");
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  const seen = readdirSync(dumps);
  for (const kind of ["prepare", "agent-main", "agent-child", "check", "verify", "git"])
    expect([kind, seen.filter((name) => name.startsWith(kind)).length > 0]).toEqual([kind, true]);
  for (const name of seen) {
    const environ = environOf(join(dumps, name));
    expect([name, environ.has("PATH")]).toEqual([name, true]);
    expect([name, SECRETS.filter((secret) => environ.has(secret))]).toEqual([name, []]);
    expect([name, [...environ.values()].filter((value) => value.includes(VALUE))]).toEqual([name, []]);
  }
  const left = globSync("home/**/*", { cwd: stage.root, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(left.length).toBeGreaterThan(3);
  for (const entry of left) expect(readFileSync(join(entry.parentPath, entry.name)).includes(VALUE)).toBe(false);
});

test("an agent of kind command cannot ask for a key", async () => {
  using stage = stageWithAgent();
  stage.batch(["T-1"], { agent: { kind: "command", command: ["node", "agent.mjs"], apiKeyEnv: "ANTHROPIC_API_KEY" } });
  const { code, stderr } = await stage.run(["batch.json", "--headless", "--allow-api-key"], { ANTHROPIC_API_KEY: VALUE });
  expect([code, stderr]).toEqual([2, expect.stringContaining("apiKeyEnv")]);
});
