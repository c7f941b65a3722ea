import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BLOCKS, ROOT } from "../docs/examples.ts";
import { Stage } from "../e2e/stage.ts";
import { baseUrlOf, KINDS, works } from "./kinds.ts";
import { programsFolder, whyWithout } from "./programs.ts";

const BLOCKS_OF_PAGE = BLOCKS.filter(({ page, language }) => page === "docs/start.md" && language === "sh").map(
  ({ text }) => text,
);

/** The change that the page's ticket asks for, as a shell's command line. */
const WORK = `cat > greet.mjs <<'END'
export const greet = (name) => (name ? "Hello, " + name + "!" : "Hello!");
END
cat > test/name.test.mjs <<'END'
import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "../greet.mjs";
test("greets by name", () => assert.equal(greet("Ada"), "Hello, Ada!"));
test("greets without a name", () => assert.equal(greet(), "Hello!"));
END`;

/** What makes a checkout of loopdash, built: `npm pack` need not build it again. */
function checkout(stage: Stage): string {
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: string[] };
  for (const name of ["package.json", "README.md", "LICENSE", ...files])
    cpSync(join(ROOT, name), stage.path("loopdash", name), { recursive: true });
  return stage.path("loopdash");
}

test("docs/start.md leads from nothing to a landed change, back, and to a refusal, word for word", { timeout: 280_000 }, async ({
  skip,
}) => {
  const why = whyWithout("claude");
  skip(why !== undefined, why);
  using stage = new Stage();
  const api = await KINDS.claude.standIn(works("claude", WORK));
  onTestFinished(() => api.close());
  stage.repo("work/shop", {
    "package.json": '{"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}\n',
    "greet.mjs": 'export const greet = () => "Hello!";\n',
    "test/greet.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "../greet.mjs";
test("greets", () => assert.equal(greet(), "Hello!"));
`,
  });
  const env = {
    PATH: `${stage.path("npm/bin")}:/usr/local/bin:/usr/bin:/bin`,
    ANTHROPIC_API_KEY: "sk-of-the-page-0123456789",
    npm_config_prefix: stage.path("npm"),
    npm_config_ignore_scripts: "true",
    npm_config_userconfig: join(homedir(), ".npmrc"),
    npm_config_cache: join(homedir(), ".npm"),
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(?:npm_config_registry|NODE_EXTRA_CA_CERTS)$/i.test(name)),
    ),
  };
  const follow = async (block: string, folder: string): Promise<string> => {
    const { code, stdout } = await stage.execute(["sh", "-euc", `exec 2>&1\ncd ${folder}\n${block}`], env).ended;
    // Only the model's API, which tests cannot reach, may be bad, and only before the batch names another.
    if (code !== 0) expect(stdout, block).toMatch(/^bad +model-api +agent: api\.anthropic\.com[^]*, 1 bad\n/m);
    return stdout;
  };

  mkdirSync(stage.path("npm/bin"), { recursive: true });
  symlinkSync(join(programsFolder(), "node_modules/.bin/claude"), stage.path("npm/bin/claude"));
  const [install = "", ...blocks] = BLOCKS_OF_PAGE;
  // .ci/run begins with `npm ci`.
  await follow(install.replace(/^npm ci\n/, ""), checkout(stage));
  /** What each block printed, by its last line. */
  const said = new Map<string, string>();
  for (const block of blocks) {
    const last = block.trim().split("\n").at(-1) ?? "";
    said.set(last, await follow(block, stage.path("work")));
    if (last !== "loopdash init --yes --repo shop --tickets tickets") continue;
    // The one place that is not the page's: where the model is.
    const batch = readFileSync(stage.path("work/batch.json"), "utf8");
    const placed = batch.replace(/"kind": "claude"/, `"kind": "claude", "baseUrl": "${baseUrlOf("claude", api)}"`);
    expect(placed).not.toBe(batch);
    writeFileSync(stage.path("work/batch.json"), placed);
  }
  const outputOf = (line: string): string => said.get(line) ?? `no block of the page ends with ${line}`;
  expect(outputOf("loopdash doctor batch.json --prepare")).toMatch(/ 0 bad/);
  expect(outputOf("loopdash batch.json --dry-run")).toContain("ready at once (1)");
  expect(outputOf("loopdash batch.json --only T-1 --rehearse")).toContain("rehearsal: nothing has landed");
  expect(outputOf("loopdash batch.json")).toMatch(/check tests compares 1 test\n[^]*✔ DONE, says the oracle/);
  expect(outputOf("git -C shop show")).toMatch(/Loopdash-Agent: claude\n[^]*Hello, /);
  expect(outputOf("loopdash revert shop T-1")).toContain("T-1 is open again");
  expect(outputOf("git -C shop status --short")).toMatch(/1 test of the base vanished[^]*✖ NOT DONE[^]*\nrefused\n$/);
  expect(readFileSync(stage.path("work/shop/greet.mjs"), "utf8")).toBe('export const greet = () => "Hello!";\n');
});

test("docs/start.md is short, and docs/README.md has every page", () => {
  const words = readFileSync(join(ROOT, "docs/start.md"), "utf8").split(/\s+/).filter(Boolean);
  expect(words.length).toBeLessThanOrEqual(900);
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const pages = globSync("{*,{use,reference,inside}/*}.md", { cwd: join(ROOT, "docs") }).filter((page) => page !== "README.md");
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
});
