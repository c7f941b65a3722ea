import { describe, expect, it } from "vitest";
import { mustHaveWorkflow } from "../../../src/cli/ci/find-workflow.ts";
import { aStage, REPO } from "../../stand-ins/github/forge/stage.ts";

const CODEQL = { name: "CodeQL", path: "dynamic/github-code-scanning/codeql" };
const GONE = { name: "Old", path: ".github/workflows/old.yml", state: "deleted" } as const;
const OF_TIP = {
  ".github/workflows/ci.yml": "name: 'Build # all' # a remark\non: push\njobs: {a: {name: inner}}\n",
  ".github/workflows/plain.yaml": "on: push\njobs:\n  name: {}\n",
  ".github/workflows/notes.txt": "name: Notes\n",
  ".github/actions/own/action.yml": "name: Own\n",
};

/** A clone on a branch whose tip has workflows of its own, and a way to look for one. */
async function aTarget({ files = OF_TIP }: { readonly files?: Readonly<Record<string, string>> } = {}) {
  const stage = await aStage({ workflows: [CODEQL, GONE], jobs: [{ name: "lint", command: ["true"], workflow: "Style" }] });
  await stage.standIn.forge.person("ann").push(REPO, "topic", files);
  expect((await stage.git(["fetch", "-q", "origin"])).code).toBe(0);
  expect((await stage.git(["checkout", "-q", "topic"])).code).toBe(0);
  const token = { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) };
  const at = { branch: "topic", fullName: REPO, baseUrl: stage.standIn.enterpriseUrl, token };
  stage.standIn.log.splice(0);
  return { stage, find: (wanted: string) => mustHaveWorkflow({ ...at, repository: { path: stage.clone } }, wanted) };
}

describe("mustHaveWorkflow", () => {
  it("accepts those of the branch's files by name, file or path, without a request", async () => {
    const { stage, find } = await aTarget();
    for (const wanted of ["Build # all", "ci.yml", ".github/workflows/ci.yml", "plain.yaml"]) await find(wanted);
    expect(stage.standIn.log.map(({ path }) => path)).toEqual([]);
  });

  it("accepts those that only GitHub knows, such as the ones that it provides itself", async () => {
    const { stage, find } = await aTarget();
    for (const wanted of ["CodeQL", "codeql", "dynamic/github-code-scanning/codeql", "Style", "style.yml"]) await find(wanted);
    expect(stage.standIn.mistakes).toEqual([]);
  });

  it.each(["nosuch", "Old", "inner", "yml", "notes.txt", "Own"])("refuses %s, and names those that exist", async (wanted) => {
    const { find } = await aTarget();
    await expect(find(wanted)).rejects.toMatchObject({
      exitCode: 4,
      why: `neither topic nor GitHub has a workflow ${wanted}`,
      todo: "Name one of these: Style (style.yml), CodeQL (codeql), Build # all (ci.yml), plain.yaml.",
    });
  });

  it("reads a name from no more than one line, and makes names safe for a terminal", async () => {
    const deep = `name: ${"[".repeat(100_000)}\n`;
    const files = { ".github/workflows/a.yml": 'name: "\\e[31mred"\n', ".github/workflows/deep.yml": deep };
    const { find } = await aTarget({ files });
    const { todo = "" } = (await find("nosuch").catch((error: unknown) => error)) as { todo?: string };
    expect(todo).toMatch(/\(a\.yml\), deep\.yml\.$/);
    expect(todo).not.toContain("\x1b");
  });

  it("looks at GitHub's alone if the branch has no file of a workflow", async () => {
    const { find } = await aTarget({ files: { "a.txt": "a" } });
    await expect(find("nosuch")).rejects.toMatchObject({ todo: "Name one of these: Style (style.yml), CodeQL (codeql)." });
  });

  it("says that the token may not read them", async () => {
    const { stage, find } = await aTarget();
    stage.standIn.fault = () => ({ status: 401 });
    await expect(find("nosuch")).rejects.toMatchObject({ exitCode: 4, todo: expect.stringContaining("GITHUB_TOKEN") });
  });
});
