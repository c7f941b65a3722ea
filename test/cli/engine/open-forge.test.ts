import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { openForge } from "../../../src/cli/engine/open-forge.ts";
import type { RunSecrets } from "../../../src/cli/engine/run-secrets.ts";
import { RepoId } from "../../../src/domain/values/ids.ts";
import { RepoUnavailable } from "../../../src/ports/vcs.ts";
import type { Fault } from "../../stand-ins/github/fault.ts";
import type { SeedForge } from "../../stand-ins/github/forge/model.ts";
import { aStage, REPO } from "../../stand-ins/github/forge/stage.ts";

const SECRETS = { secrets: { get: async () => "token", renew: async () => "token" } } as unknown as RunSecrets;
const PROTECTED: SeedForge = { protection: { main: { contexts: ["tests"] } } };

/** A clone before a stand-in of GitHub. */
async function cloned(seed: SeedForge) {
  const github = await aStage(seed);
  const scratch = mkdtempSync(join(tmpdir(), "loopdash-open-forge-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const repo = await openRepo({ id: RepoId.parse("app"), path: github.clone, base: "main", scratch, env: process.env });
  return { repo, github };
}

/** The same, opened for pull requests. */
async function opened(seed: SeedForge, onBroken: "revert" | "freeze") {
  const { repo, github } = await cloned(seed);
  const spec = { kind: "github", remote: "origin", repo: REPO, token: "T", baseUrl: github.standIn.enterpriseUrl } as const;
  return openForge(repo, { ...spec, approvals: "gate", appearMinutes: 10, stillMinutes: 360 }, SECRETS, {
    how: "look",
    onBroken,
  });
}

/** The object with one method replaced. */
function replaced<T extends object>(whole: T, part: Partial<T>): T {
  return new Proxy(whole, {
    get: (target, key) => {
      if (Object.hasOwn(part, key)) return Reflect.get(part, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("a token that may only read", () => {
  const readOnly = async (fixMode: "safe" | "report-only") => {
    const { repo, github } = await cloned({});
    const refuses = () => Promise.reject(new RepoUnavailable("the token may not push"));
    const remote: typeof repo.remote = async (how) => replaced(await repo.remote(how), { checkWritable: refuses });
    const spec = {
      kind: "github-branch",
      remote: "origin",
      repo: REPO,
      token: "T",
      baseUrl: github.standIn.enterpriseUrl,
    } as const;
    return openForge(replaced(repo, { remote }), { ...spec, fixMode, appearMinutes: 10 }, SECRETS, { how: "look" });
  };

  test("is enough if nothing is to be changed, and for nothing else", async () => {
    expect((await readOnly("report-only")).branchChecks).toMatchObject({ canChange: false });
    await expect(readOnly("safe")).rejects.toMatchObject({ why: "the token may not push", exitCode: 4 });
  });
});

test.each([
  ["has no such branch", undefined, /has no branch main$/, "Push it, and start again: git push origin main"],
  ["has gone another way", "f".repeat(40), /have gone apart/, "Bring the two together, and start again: changes land on both."],
] as const)("a remote that %s refuses the start, and says what to do", async (_what, tip, why, todo) => {
  const { repo } = await cloned({});
  const there = { checkWritable: () => Promise.resolve(), fetch: async () => tip };
  const remote: typeof repo.remote = async (how) => replaced(await repo.remote(how), there);
  const opening = openForge(replaced(repo, { remote }), { kind: "push", remote: "origin" }, undefined, { how: "look" });
  await expect(opening).rejects.toMatchObject({ why: expect.stringMatching(why), todo, exitCode: 4 });
});

describe("a repository at GitHub", () => {
  /** Opens the forge, and gives the error and what the stand-in was asked for. */
  const asked = async (over: { repo?: string; token?: string; away?: true; kind?: "github-branch"; fault?: Fault }) => {
    const { repo, github } = await cloned({});
    const paths: string[] = [];
    const reader = github.standIn.tokens.get("reader");
    if (reader !== undefined) reader.canWrite = false;
    github.standIn.fault = ({ method, path }) => {
      paths.push(`${method} ${path}`);
      return over.fault;
    };
    // The remote itself takes every push: git is asked with credentials of its own.
    const takes = () => Promise.resolve();
    const remote: typeof repo.remote = async (how) =>
      replaced(await repo.remote(how), { checkWritable: takes, tip: () => repo.baseTip(), fetch: () => repo.baseTip() });
    const secrets = { secrets: { get: async () => over.token ?? "token", renew: async () => over.token ?? "token" } };
    const baseUrl = over.away ? "http://127.0.0.1:1/api/v3" : github.standIn.enterpriseUrl;
    const common = {
      remote: "origin",
      repo: over.repo ?? REPO,
      token: "T",
      baseUrl,
      appearMinutes: 10,
      stillMinutes: 360,
    } as const;
    const spec =
      over.kind === undefined
        ? ({ ...common, kind: "github", approvals: "gate" } as const)
        : ({ ...common, kind: "github-branch", fixMode: "safe" } as const);
    const opening = openForge(replaced(repo, { remote }), spec, secrets as unknown as RunSecrets, { how: "look" });
    const error = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, paths };
  };

  test("is asked for once, and nothing else, if all is well", async () => {
    expect(await asked({})).toEqual({ error: undefined, paths: [`GET /repos/${REPO}`] });
    expect(await asked({ kind: "github-branch" })).toEqual({ error: undefined, paths: [`GET /repos/${REPO}`] });
  });

  test.each([
    ["does not exist", { repo: "acme/nope" }, "GitHub has no repository acme/nope, or the token may not see it"],
    ["is for reading alone", { token: "reader" }, "the token may read acme/app, and not write to it"],
    ["does not accept the token", { token: "no such token" }, /^GitHub does not accept the token \(401\)/],
    [
      "forbids it",
      { fault: { status: 403, body: { message: "Forbidden" } } },
      /\(403\): Forbidden; the token needs the right to/,
    ],
    ["cannot be reached", { away: true }, /^GitHub cannot be reached/],
  ] as const)("refuses the start if it %s", async (_what, over, why) => {
    const { error } = await asked(over);
    expect(error).toMatchObject({
      what: 'the changes of repository "app" cannot land on main',
      why: typeof why === "string" ? why : expect.stringMatching(why),
      todo: expect.stringMatching(/token|write/),
      exitCode: 4,
    });
  });

  test("may be read alone if git pushes the branch", async () => {
    expect((await asked({ token: "reader", kind: "github-branch" })).error).toBeUndefined();
  });
});

describe("a start with pull requests", () => {
  test.each(["classic", "rules"] as const)(
    'is refused in one line if "onBroken" would push reverts to a base that takes none (%s)',
    async (source) => {
      const seed = { protection: { main: { source, contexts: ["tests"] } } };
      await expect(opened(seed, "revert")).rejects.toMatchObject({
        what: 'the changes of repository "app" cannot land on main',
        why: `"onBroken": "revert" pushes a revert to main, and rules of ${REPO} take changes by pull requests alone`,
        exitCode: 4,
      });
    },
  );

  test.each([
    ["a base without rules", {}, "revert"],
    ["another answer to broken bases", PROTECTED, "freeze"],
  ] as const)("goes on with %s", async (_what, seed, onBroken) => {
    expect((await opened(seed, onBroken)).pullRequests).toBeDefined();
  });
});

describe("a remote that is not on github.com, without baseUrl", () => {
  /** Opens the clone with another address of its remote, and notes what the remote is asked. */
  const at = async (address: string, kind: "github" | "github-branch", baseUrl?: string) => {
    const github = await aStage({});
    expect(await github.git(["remote", "set-url", "origin", address])).toMatchObject({ code: 0 });
    const asked: string[] = [];
    const note = (what: string) => () => {
      asked.push(what);
      return Promise.reject(new RepoUnavailable("asked"));
    };
    const repo = await openRepo({ id: RepoId.parse("app"), path: github.clone, base: "main", env: process.env });
    const remote: typeof repo.remote = async (how) =>
      replaced(await repo.remote(how), { checkWritable: note("checkWritable"), tip: note("tip"), fetch: note("fetch") });
    const spec = {
      kind,
      remote: "origin",
      repo: REPO,
      token: "T",
      appearMinutes: 10,
      stillMinutes: 360,
      ...(baseUrl && { baseUrl }),
    } as const;
    const whole =
      spec.kind === "github"
        ? { ...spec, kind: spec.kind, approvals: "gate" as const }
        : { ...spec, kind: spec.kind, fixMode: "safe" as const };
    const opening = openForge(replaced(repo, { remote }), whole, SECRETS, { how: "look" });
    return {
      error: await opening.then(
        () => undefined,
        (error: unknown) => error,
      ),
      asked,
    };
  };

  test.each([
    ["https://ghe.acme.example/acme/app.git", "ghe.acme.example"],
    ["http://ghe.acme.example/~ann/app", "ghe.acme.example"],
    ["git@ghe.acme.example:acme/app.git", "ghe.acme.example"],
    ["ssh://git@ghe.acme.example:2222/acme/app", "ghe.acme.example"],
    ["git@acme.ghe.com:acme/app.git", "acme.ghe.com"],
    ["git@my_alias:acme/app.git", "an unknown host"],
    ["https://github.com.evil.example/acme/app", "github.com.evil.example"],
  ])("is refused before anybody is asked: %s", async (address, host) => {
    for (const kind of ["github", "github-branch"] as const) {
      const { error, asked } = await at(address, kind);
      expect(error).toMatchObject({
        why: `the remote "origin" is at ${host}, and without "baseUrl" its token would go to api.github.com`,
        todo: expect.stringMatching(/^Name "baseUrl" in its forge: "https:\/\/HOST\/api\/v3"/),
        exitCode: 4,
      });
      expect(asked).toEqual([]);
    }
  });

  test.each([
    ["https://github.com/acme/app.git", undefined],
    ["git@github.com:acme/app.git", undefined],
    ["ssh://git@ssh.github.com:443/acme/app.git", undefined],
    ["../elsewhere.git", undefined],
    ["git@ghe.acme.example:acme/app.git", "https://ghe.acme.example/api/v3"],
  ])("does not refuse %s with baseUrl %s", async (address, baseUrl) => {
    const { error, asked } = await at(address, "github", baseUrl);
    expect(error).toMatchObject({ why: "asked" });
    expect(asked.length).toBeGreaterThan(0);
  });
});
