import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answers } from "../../../src/cli/init/answers.ts";
import { batchText } from "../../../src/cli/init/batch-text.ts";
import { readBatch } from "../../../src/domain/batch/read.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";

const ROOT = join(import.meta.dirname, "../../..");

const ANSWERS: Answers = {
  name: "shop",
  tracker: { kind: "local", path: "../shop-tickets" },
  repos: { shop: { path: ".", base: "main", prepare: [["npm", "ci"]] } },
  hosts: ["registry.npmjs.org"],
  test: ["npm", "test"],
  hooks: [],
  agent: { kind: "claude", billing: "subscription" },
  reviewer: { kind: "codex", apiKeyEnv: "REVIEWER_KEY" },
};

const GITHUB = { kind: "github", repos: { [RepoId.parse("shop")]: "acme/shop" }, search: "is:open" } as const;

const ticket = { id: TicketId.parse("A-1"), title: "One", body: "", repo: RepoId.parse("shop"), dependsOn: [], exclusive: [] };

function read(answers: Answers) {
  const reading = readBatch(batchText(answers), { folder: "/work/shop", folderTickets: [{ ...ticket, file: "A-1.md" }] });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading;
}

describe("batchText", () => {
  test("gives a file that reads back as the answers", () => {
    const { batch, warnings } = read(ANSWERS);
    expect(warnings).toEqual([]);
    expect(batch).toMatchObject({
      name: "shop",
      tracker: { kind: "local", path: "/work/shop-tickets" },
      repos: { shop: { path: "/work/shop", base: "main", prepare: [["npm", "ci"]] } },
      sandboxPolicy: { hosts: { prepare: ["registry.npmjs.org"] } },
      sandbox: "required",
      agent: { kind: "claude", billing: "subscription" },
      reviewer: { kind: "codex", billing: "api", apiKeyEnv: "REVIEWER_KEY" },
    });
    expect(batch.finish?.map(({ step }) => step)).toEqual(["gates", "check", "review", "merge", "assert"]);
  });

  test.for<[tracker: Answers["tracker"]]>([
    [{ kind: "linear", team: "ENG", project: "Checkout", cycle: "current", label: "batch" }],
    [{ kind: "linear", label: "batch", cycle: undefined, apiUrl: "https://linear.corp.example/graphql" }],
    [{ kind: "github", repo: "acme/shop", labels: ["ready", "agents"], milestone: "1.0" }],
    [
      {
        kind: "github",
        repos: { [RepoId.parse("shop")]: "acme/shop" },
        search: "is:open",
        baseUrl: "https://git.corp.example/api/v3",
      },
    ],
  ])("gives a file for %j", ([tracker]) => {
    const { batch } = read({ ...ANSWERS, tracker });
    expect(batch.tracker).toMatchObject(JSON.parse(JSON.stringify(tracker)));
    const [name, secret] = tracker.kind === "linear" ? ["linear-token", "LINEAR_API_KEY"] : ["github-token", "GITHUB_TOKEN"];
    expect(batch.secrets).toEqual({ [name]: { env: secret } });
  });

  test("leaves out what no answer asks for, and says so", () => {
    const text = batchText({ ...ANSWERS, hosts: [], reviewer: undefined, test: "own" });
    expect(text).not.toMatch(/^ *"(?:sandboxPolicy|reviewer|finish)"/m);
    expect(text).toContain('// No "reviewer"');
    expect(text).toContain('// Without "finish", a change passes gates, its repository\'s own tests and merge');
    expect(read({ ...ANSWERS, hosts: [], reviewer: undefined, test: "none" }).batch.finish?.map(({ step }) => step)).toEqual([
      "gates",
      "merge",
      "assert",
    ]);
  });

  test("says how an issue names its repository, if there are several", () => {
    const repos = { ...ANSWERS.repos, infra: { path: "../infra", base: "main", prepare: [] } };
    const linear = { kind: "linear", team: "ENG" } as const;
    expect(batchText({ ...ANSWERS, repos, tracker: linear })).toContain("// A label repo:NAME says");
    for (const answers of [
      { ...ANSWERS, tracker: linear },
      { ...ANSWERS, repos },
      { ...ANSWERS, repos, tracker: GITHUB },
    ])
      expect(batchText(answers)).not.toContain("repo:NAME");
  });

  test("keeps its lines short, also with many repositories, hostile names and long commands", () => {
    const long = {
      path: "../a-folder-with-a-long-name/and-another",
      base: "release/2026",
      prepare: [
        ["npm", "ci"],
        ["make", "deps"],
      ],
    };
    const hostile = '"\n// "agent": {}\u2028';
    const answers = { ...ANSWERS, repos: { shop: long, infra: { ...long, path: hostile } } };
    const text = batchText(answers);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
    const parsed = readBatch(text, { folder: "/", folderTickets: [{ ...ticket, file: "A-1.md" }] });
    // The path is refused as a path, and is still one value of the file.
    expect(parsed).toMatchObject({ ok: false, problems: [{ path: "repos.infra.path" }] });
  });

  test("names pages and headings that exist", () => {
    const variants: readonly Partial<Answers>[] = [
      {},
      { tracker: { kind: "github", repo: "a/a" }, test: "own", reviewer: undefined },
      { agent: { kind: "command", command: ["node", "agent.mjs"] }, test: "none" },
    ];
    const links = variants.flatMap((variant) => batchText({ ...ANSWERS, ...variant }).match(/docs\/[\w./#-]+\w/g) ?? []);
    for (const link of new Set(links)) {
      const [page = "", anchor] = link.split("#");
      // It is written together with the adapters of services.
      if (page === "docs/use/trackers.md" && !existsSync(join(ROOT, page))) continue;
      const headings = [...readFileSync(join(ROOT, page), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, "")
          .replaceAll(" ", "-"),
      );
      if (anchor !== undefined) expect(headings, link).toContain(anchor);
    }
    expect(links.length).toBeGreaterThan(20);
  });
});
