import { readFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import type { HostSpec } from "@loopdash/model-gateway";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectProxy } from "../../packages/model-gateway/test/connect-proxy.ts";
import { listening } from "../../packages/model-gateway/test/stage.ts";
import { readGoalFile } from "../../src/cli/improve/goal-file.ts";
import { BATCHES, type BatchExample, BLOCKS, EXCUSED, isExcused, isKeys, ROOT, serviceOf, wholeText } from "../docs/examples.ts";
import { CertificateAuthority } from "../helpers/certificate-authority.ts";
import { patientAgent } from "./actors.ts";
import { lockWithLeft, startRegistry } from "./private-registry.ts";
import { terminals } from "./pty.ts";
import { openService } from "./services.ts";
import { Stage } from "./stage.ts";

/** test/agents/docs-examples.test.ts runs the others, with vendors' programs. */
const RUN = BATCHES.filter(({ isVendors }) => !isVendors);

/** What a part of a batch is merged into. */
const BASE = {
  name: "part",
  repos: { app: { path: "../app" } },
  agent: { kind: "command", command: ["node", "agent.mjs"] },
  finish: [{ step: "gates" }, { step: "merge" }, { step: "verify", name: "live", command: ["./verify.sh"] }],
  limits: { heals: 0 },
  tickets: [{ id: "T-1", title: "Follow the page" }],
};

const TESTS = `import test from "node:test"; test("works", () => {});\n`;
const MANIFEST = {
  name: "app",
  version: "1.0.0",
  scripts: { test: "node --test", smoke: "node -e 0" },
};
const LOCK = { name: "app", version: "1.0.0", lockfileVersion: 3, packages: { "": { name: "app", version: "1.0.0" } } };

/** The repository and the files beside the batch file that the pages speak of. */
function furnish(stage: Stage): void {
  stage.repo("app", {
    "package.json": JSON.stringify(MANIFEST),
    "package-lock.json": JSON.stringify(LOCK),
    "test/works.test.mjs": TESTS,
    "test_app.py": "def test_works():\n    pass\n",
    ".gitignore": ".venv\n__pycache__\n.pytest_cache\n",
  });
  stage.write("app/verify.sh", "#!/bin/sh\ntest -f package.json\n", 0o755);
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "verify");
  stage.write("shared/notes.txt", "shared\n");
  stage.write("batches/health.mjs", 'console.log(JSON.stringify({ healthy: true, failing: [] }).replaceAll(": ", ":"));\n');
  const [script] = BLOCKS.filter(({ page, language }) => page === "docs/use/reviewer.md" && language === "js");
  stage.write("batches/reviewer.mjs", script?.text ?? "");
  stage.write(
    "batches/agent.mjs",
    'import { writeFileSync } from "node:fs"; writeFileSync(process.env.LOOPDASH_TICKET + ".txt", "done\\n");\n',
  );
}

/**
 * What docs/use/secrets.md says that the reader has: hosts, their tokens, the program `op`, and a verify. The hosts are a server on loopback,
 * to which the machine's proxy leads. Gives the variables for the run, and what the server was asked.
 */
async function furnishSecrets(stage: Stage) {
  const token = "corp/Token+of-the-reader-4711";
  const registry = await startRegistry(stage.root, {
    ...{ token, postinstall: "", pages: { "/version": "1.4\n" } },
    names: ["DNS:npm.corp.example", "DNS:staging.example.com"],
  });
  onTestFinished(registry.close);
  const proxy = await connectProxy("reader:password", registry.port);
  stage.write("app/.npmrc", "registry=https://npm.corp.example/\n");
  stage.write("app/.gitignore", "node_modules\n");
  stage.write("app/package.json", JSON.stringify({ ...MANIFEST, dependencies: { left: "1.0.0" } }));
  stage.write("app/package-lock.json", lockWithLeft(stage.root));
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "depend on a private package");
  stage.write("batches/agent.sh", '#!/bin/sh\necho done >"$LOOPDASH_TICKET.txt"\n', 0o755);
  const asks = 'exec curl --silent --fail --header "authorization: Bearer $TOKEN" https://staging.example.com/version';
  stage.write("batches/verify.sh", `#!/bin/sh\n${asks}\n`, 0o755);
  stage.write("bin/op", `#!/bin/sh\ntest "$*" = "read op://deploy/staging/token" && echo "${token}"\n`, 0o755);
  const env = {
    ...{
      PATH: `${stage.path("bin")}:${stage.env["PATH"]}`,
      CORP_NPM_TOKEN: token,
      NODE_EXTRA_CA_CERTS: registry.ca,
    },
    HTTPS_PROXY: `http://reader:password@127.0.0.1:${proxy.port}`,
  };
  return { env, asked: registry.asked };
}

/** Hosts that a part opens, by step. */
type Hosts = Readonly<Record<string, readonly HostSpec[]>>;

/**
 * Runs a part of a batch in BASE. Loopback stand-ins take the place of the hosts that it opens: a server with their names, to which
 * the machine's proxy leads, and for `localhost:8080` a server at a free port, which replaces 8080 in the text. If the part opens
 * hosts to `prepare`, a command asks each. A command in `.venv` gets that environment first.
 */
async function furnishPart(stage: Stage, page: BatchExample) {
  // Some machines reach the public registry under an address of their own, which the sandbox takes for a private one.
  const example: BatchExample = JSON.parse(JSON.stringify(page).replaceAll("registry.npmjs.org", "registry.example"));
  const hosts = (example.batch["sandboxPolicy"] as { hosts?: Hosts } | undefined)?.hosts ?? {};
  const nameOf = (spec: HostSpec) => (typeof spec === "string" ? spec : spec.host).replace(/:\d+$/, "").replace("*", "any");
  const all = Object.values(hosts).flat().map(nameOf);
  const names = all.filter((name) => name !== "localhost");
  const asks = (hosts["prepare"] ?? []).map((spec) => ["curl", "--silent", "--fail", `https://${nameOf(spec)}/`]);
  const venv = [["python3", "-m", "venv", "--without-pip", "--system-site-packages", ".venv"]];
  const prepare = [...asks, ...(example.text.includes(".venv/") ? venv : [])];
  const asked: string[] = [];
  const env: Record<string, string> = {};
  if (names.length > 0) {
    const ca = new CertificateAuthority(stage.path("ca"));
    const tls = createServer(ca.issue(...names.map((name) => `DNS:${name}`)), (req, res) => {
      asked.push(req.headers.host ?? "");
      res.end("ok\n");
    });
    const proxy = await connectProxy("reader:password", await listening(tls));
    onTestFinished(() => void tls.close());
    Object.assign(env, { HTTPS_PROXY: `http://reader:password@127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: ca.file });
  }
  let text = wholeText(example, { ...BASE, repos: { app: { path: "../app", prepare } } });
  if (all.includes("localhost")) {
    const server = createHttp((req, res) => {
      asked.push(`localhost${req.url}`);
      res.end("ok\n");
    });
    text = text.replaceAll("8080", String(await listening(server)));
    onTestFinished(() => void server.close());
  }
  const mustAsk = [
    ...names.filter((name) => asks.some((ask) => ask.at(-1)?.includes(name))),
    ...(names.length < all.length ? ["localhost/health"] : []),
  ];
  return { text, env, asked, mustAsk };
}

/**
 * The service that keeps the tickets of an example, on loopback, with two tickets that the pages' queries find, and the program and the
 * file that give its token. `placed` gives a batch with its address.
 */
async function furnishService(stage: Stage, { batch }: BatchExample) {
  const kind = serviceOf(batch);
  if (kind === undefined) return undefined;
  const service = await openService(kind, [[1], [2, [1]]], onTestFinished);
  for (const number of [1, 2]) service.people.label(number, "agents");
  const [token = ""] = Object.values(service.env);
  stage.write("batches/token.sh", `#!/bin/sh\necho "${token}"\n`, 0o755);
  stage.write(".config/issues-readonly", `${token}\n`);
  const [address] = Object.entries(service.tracker).filter(([key]) => key === "apiUrl" || key === "baseUrl");
  const own = `"kind": "${kind}", "${address?.[0]}": "${address?.[1]}"`;
  return { ...service, placed: (text: string) => text.replace(`"kind": "${kind}"`, own) };
}

const openTerminal = terminals();

describe("every example of the pages", { timeout: 300_000 }, () => {
  test.each(RUN.map((example) => [example.page, example.name, example] as const))(
    "the batch, or the part of one, in %s runs to done: %s",
    async (page, _, example) => {
      using stage = new Stage();
      furnish(stage);
      const secrets = page === "docs/use/secrets.md" ? await furnishSecrets(stage) : undefined;
      const part = example.isWhole ? undefined : await furnishPart(stage, example);
      const service = await furnishService(stage, example);
      const env = { ...part?.env, ...secrets?.env, ...service?.env };
      const text = part?.text ?? example.text;
      const batch = stage.write("batches/batch.json", service?.placed(text) ?? text);
      const plan = await stage.run([batch, "--dry-run"], env);
      expect(plan.code, plan.stderr).toBe(0);
      const ended = await stage.run([batch, "--headless"], env);
      expect(ended.code, `${ended.stdout}${ended.stderr}`).toBe(0);
      expect(service?.shown().map(({ state }) => state) ?? []).toEqual(service === undefined ? [] : ["done", "done"]);
      expect(part?.asked ?? []).toEqual(expect.arrayContaining(part?.mustAsk ?? []));
      if (secrets === undefined) return;
      if (example.text.includes("{batch}/verify.sh")) expect(secrets.asked).toContain("GET /version 200");
      expect(secrets.asked.includes("GET /left/-/left-1.0.0.tgz 200")).toBe(example.text.includes("npm.corp.example"));
    },
  );

  test("runs, unless the list names it and says why not; the list names nothing that is gone", () => {
    expect(
      EXCUSED.filter(({ page, begins }) => !BLOCKS.some((block) => block.page === page && block.text.startsWith(begins))),
    ).toEqual([]);
    expect(EXCUSED.every(({ reason }) => reason.length > 10)).toBe(true);
    expect(RUN.filter(({ isWhole }) => isWhole).length).toBeGreaterThan(3);
    expect(RUN.filter(({ isWhole }) => !isWhole).length).toBeGreaterThan(4);
  });

  test("the keys in docs/reference/keys.md do what the page says, in the dashboard", async () => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage);
    const [keys] = BLOCKS.filter(isKeys);
    stage.write("keys.json", keys?.text ?? "");
    const pty = openTerminal(stage, [stage.batch(["T-1"])], { columns: 160, rows: 40, env: { LOOPDASH_KEYS: "keys.json" } });
    await pty.waitFor(/▶ T-1 /);
    await pty.press("j", /▌. T-1 /);
    await pty.press("D", "End the attempt at T-1?");
    await pty.press("n", (screen) => !screen.includes("End the attempt"));
    await pty.press("F", /PAUSED/);
    await pty.press("\u000f", /RUNNING/);
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
  });

  test("the command lines in docs/use/report.md print a report", async () => {
    using stage = new Stage();
    furnish(stage);
    const [example] = BATCHES.filter(({ page }) => page === "README.md");
    const text = example?.text.replace(/"agent": \{[^}]*\}/, '"agent": {"kind": "command", "command": ["node", "agent.mjs"]}');
    const done = await stage.run([stage.write("batches/batch.json", text ?? ""), "--headless"]);
    expect(done.code, done.stdout).toBe(0);
    const lines = commandsIn("docs/use/report.md");
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      // The day of the example's run stands for that of this one.
      const words = (line.split(" > ")[0] ?? "").replace(/-\d{4}$/, `-${new Date().getUTCFullYear()}`).split(" ");
      const { code, stdout, stderr } = await stage.run(words.slice(1));
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
      expect(stdout, line).not.toBe("");
    }
  });

  test("the lists of commands name verbs and options that the program knows", async () => {
    using stage = new Stage();
    const { stdout: help } = await stage.run(["--help"]);
    const lists = BLOCKS.filter(({ language, text }) => language === "" && text.startsWith("loopdash "));
    const lines = lists.flatMap(({ text }) => text.trim().split("\n")).map(usage);
    for (const verb of new Set(lines.flatMap((line) => /^loopdash (\w+)/.exec(line)?.[1] ?? []))) {
      const { code, stdout } = await stage.run([verb, "--help"]);
      expect(code, verb).toBe(0);
      const options = lines
        .filter((line) => line.startsWith(`loopdash ${verb}`))
        .flatMap((line) => line.match(/--[\w-]+/g) ?? []);
      for (const option of options) expect(stdout, `loopdash ${verb} ${option}`).toContain(option);
    }
    for (const line of lines.filter((each) => each.startsWith("--")))
      for (const option of line.match(/--[\w-]+/g) ?? []) expect(help).toContain(option);
  });

  test("the goal of the page on improve is one that loopdash reads", async () => {
    using stage = new Stage();
    const block = BLOCKS.find(isGoal);
    const { goal } = await readGoalFile(stage.write("goal.md", block?.text ?? ""), stage.root);
    expect(goal).toMatchObject({ name: "guards", minutesBetween: 30, body: "No destructive command gets past a guard." });
  });

  test("no page has a block that no test looks at", () => {
    const known = new Set(["json", "jsonc", "js", "text"]);
    const left = BLOCKS.filter(({ page, language, text }) => {
      if (
        known.has(language) ||
        isGoal({ page, language }) ||
        isExcused({ page, language, text }) ||
        (language === "" && text.startsWith("loopdash "))
      )
        return false;
      return (
        language !== "sh" || !(["docs/use/report.md", "docs/start.md"].includes(page) || isExcused({ page, language, text }))
      );
    });
    expect(left).toEqual([]);
  });

  test("the command lines of the README are those that CI runs", () => {
    const scripts = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> }).scripts;
    for (const line of commandsIn("README.md"))
      for (const [, , name = ""] of line.matchAll(/npm (run )?(start|test\S*)/g)) expect(scripts).toHaveProperty([name]);
  });
});

const isGoal = ({ page, language }: { readonly page: string; readonly language: string }): boolean =>
  page === "docs/use/improve.md" && language === "markdown";

/** The command lines of a page's shell blocks, without their comments. */
function commandsIn(page: string): readonly string[] {
  const texts = BLOCKS.filter((block) => block.page === page && block.language === "sh").map(({ text }) => text);
  return texts.flatMap((text) => text.trim().split("\n")).map((line) => line.replace(/\s+#.*$/, ""));
}

/** The part of a line of usage before its explanation, in single blanks. */
function usage(line: string): string {
  return (line.trim().split(/ {2,}/)[0] ?? "").replace(/\s+/g, " ");
}
