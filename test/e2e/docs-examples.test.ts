import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectProxy } from "../helpers/connect-proxy.ts";
import { lockWithLeft, startRegistry } from "./private-registry.ts";
import { Stage } from "./stage.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Blocks of code in the pages, in order. */
interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT }).toSorted()].flatMap((page) =>
  [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    page,
    language,
    text,
  })),
);

/** Pages with a batch that no test can run as it is. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "docs/reviewer.md": "its agent and reviewer are vendors' programs, which need a key: test/agents runs them",
  "docs/stops.md": "its agent is a vendor's program, which needs a key: test/agents runs it",
};

/** Pages with command lines that are not loopdash's, or that other tests run. */
const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  "docs/mutation.md": "the mutation campaign takes hours",
};

const batches = BLOCKS.filter(({ text }) => text.includes('"tickets"'));
const run = batches.filter(({ page }) => NOT_RUN[page] === undefined);

const TESTS = `import test from "node:test"; test("works", () => {});\n`;
const MANIFEST = {
  name: "app",
  version: "1.0.0",
  scripts: { test: "node --test --test-reporter=tap", smoke: "node -e 0" },
};
const LOCK = { name: "app", version: "1.0.0", lockfileVersion: 3, packages: { "": { name: "app", version: "1.0.0" } } };

/** The repository and the files beside the batch file that the pages speak of. */
function furnish(stage: Stage): void {
  stage.repo("app", {
    "package.json": JSON.stringify(MANIFEST),
    "package-lock.json": JSON.stringify(LOCK),
    "test/works.test.mjs": TESTS,
  });
  stage.write("app/verify.sh", "#!/bin/sh\ntest -f package.json\n", 0o755);
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "verify");
  stage.write("shared/notes.txt", "shared\n");
  stage.write("batches/health.mjs", 'console.log(JSON.stringify({ healthy: true, failing: [] }).replaceAll(": ", ":"));\n');
  const [script] = BLOCKS.filter(({ page, language }) => page === "docs/reviewer.md" && language === "js");
  stage.write("batches/reviewer.mjs", script?.text ?? "");
  stage.write(
    "batches/agent.mjs",
    'import { writeFileSync } from "node:fs"; writeFileSync(process.env.LOOPDASH_TICKET + ".txt", "done\\n");\n',
  );
}

/**
 * What docs/secrets.md says that the reader has: hosts, their tokens, the program `op`, and a verify. The hosts are a server on loopback,
 * to which the machine's proxy leads. Gives the variables for the run, and what the server was asked.
 */
async function furnishSecrets(stage: Stage) {
  const token = "corp/Token+of-the-reader-4711";
  const registry = await startRegistry(stage.root, {
    ...{ token, postinstall: "", pages: { "/version": "1.4\n" } },
    names: ["DNS:npm.corp.example", "DNS:staging.example.com", "DNS:models.example.com"],
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
  const fetches = asks.replace("exec", "mkdir -p node_modules && exec").replace("staging", "models");
  stage.write("batches/fetch-models.sh", `#!/bin/sh\n${fetches} >node_modules/model.txt\n`, 0o755);
  for (const name of ["staging-token", "billing-token"]) stage.write(`.config/${name}`, `${token}\n`);
  stage.write("bin/op", `#!/bin/sh\ntest "$*" = "read op://deploy/staging/token" && echo "${token}"\n`, 0o755);
  const env = {
    ...{
      PATH: `${stage.path("bin")}:${stage.env["PATH"]}`,
      CORP_NPM_TOKEN: token,
      MODELS_TOKEN: token,
      NODE_EXTRA_CA_CERTS: registry.ca,
    },
    HTTPS_PROXY: `http://reader:password@127.0.0.1:${proxy.port}`,
  };
  return { env, asked: registry.asked };
}

describe("every example of the pages", { timeout: 180_000 }, () => {
  test.each(run.map(({ page, text }) => [page, text] as const))(
    "the batch in %s runs to done as it stands there",
    async (page, text) => {
      using stage = new Stage();
      furnish(stage);
      const secrets = page === "docs/secrets.md" ? await furnishSecrets(stage) : undefined;
      const batch = stage.write("batches/batch.json", text);
      const plan = await stage.run([batch, "--dry-run"], secrets?.env);
      expect(plan.code, plan.stderr).toBe(0);
      const ended = await stage.run([batch, "--headless"], secrets?.env);
      expect(ended.code, `${ended.stdout}${ended.stderr}`).toBe(0);
      if (secrets === undefined) return;
      expect(secrets.asked).toContain("GET /version 200");
      expect(secrets.asked.includes("GET /left/-/left-1.0.0.tgz 200")).toBe(text.includes("npm.corp.example"));
    },
  );

  test("runs, or the table says why not", () => {
    expect(Object.keys(NOT_RUN).filter((page) => !batches.some((batch) => batch.page === page))).toEqual([]);
    expect(run.length).toBeGreaterThan(3);
  });

  test("the command lines in docs/report.md print a report", async () => {
    using stage = new Stage();
    furnish(stage);
    const [example] = batches.filter(({ page }) => page === "README.md");
    const done = await stage.run([stage.write("batches/batch.json", example?.text ?? ""), "--headless"]);
    expect(done.code, done.stdout).toBe(0);
    const lines = commandsIn("docs/report.md");
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

  test("no page has a block that no test looks at", () => {
    const known = new Set(["json", "jsonc", "js", "text"]);
    const left = BLOCKS.filter(({ page, language, text }) => {
      if (known.has(language) || (language === "" && text.startsWith("loopdash "))) return false;
      return language !== "sh" || !(page === "README.md" || page === "docs/report.md" || OTHER_COMMANDS[page] !== undefined);
    });
    expect(left).toEqual([]);
  });

  test("the command lines of the README are those that CI runs", () => {
    const scripts = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> }).scripts;
    for (const line of commandsIn("README.md"))
      for (const [, , name = ""] of line.matchAll(/npm (run )?(start|test\S*)/g)) expect(scripts).toHaveProperty([name]);
  });
});

/** The command lines of a page's shell blocks, without their comments. */
function commandsIn(page: string): readonly string[] {
  const texts = BLOCKS.filter((block) => block.page === page && block.language === "sh").map(({ text }) => text);
  return texts.flatMap((text) => text.trim().split("\n")).map((line) => line.replace(/\s+#.*$/, ""));
}

/** The part of a line of usage before its explanation, in single blanks. */
function usage(line: string): string {
  return (line.trim().split(/ {2,}/)[0] ?? "").replace(/\s+/g, " ");
}
