import { describe, expect, it } from "vitest";
import { nextBranchMove } from "../../../src/domain/ci/branch-move.ts";
import { type CiLoop, lastCiFailure, reduceCi } from "../../../src/domain/ci/ci-fact.ts";
import { fixableKinds } from "../../../src/domain/ci/fixable.ts";
import { findFixers } from "../../../src/domain/ci/fixers.ts";
import type { RemoteCheck } from "../../../src/domain/forge/pull-request.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";

const aCheck = (state: RemoteCheck["state"], name = "test"): RemoteCheck => ({ name, state, isRequired: false });
const OWN = { head: "a".repeat(40), since: 1_000, appearMs: 60_000 };
const at = (checks: readonly RemoteCheck[], { tip = OWN.head as string | undefined, now = 2_000 } = {}) =>
  nextBranchMove({ tip, checks }, OWN, now);

describe("nextBranchMove", () => {
  it("is green only if there is a check and all have passed", () => {
    expect(at([aCheck("passed"), aCheck("passed", "lint")])).toEqual({ do: "green" });
    expect(at([])).toEqual({ do: "wait", why: "waits for a check to appear, 1 min at most" });
    expect(at([], { now: 61_000 })).toMatchObject({ do: "stop", why: expect.stringContaining("no check appeared within 1 min") });
  });

  it("waits for all checks, also if one has failed already", () => {
    expect(at([aCheck("failed"), aCheck("running", "lint")])).toEqual({ do: "wait", why: "waits for lint", on: "checks" });
    expect(at([aCheck("failed"), aCheck("passed", "lint")])).toEqual({ do: "fix", checks: [aCheck("failed")] });
  });

  it("is not green while a check that failed before has not run on the commit", () => {
    const own = { ...OWN, expected: ["test"] };
    const move = (checks: readonly RemoteCheck[], now = 2_000) => nextBranchMove({ tip: OWN.head, checks }, own, now);
    expect(move([aCheck("passed"), aCheck("passed", "bot")])).toEqual({ do: "green" });
    expect(move([aCheck("passed", "bot")])).toEqual({ do: "wait", why: "waits for test to run" });
    const skipped = { ...aCheck("passed"), isInconclusive: true } as const;
    expect(move([skipped, aCheck("passed", "bot")], 61_000)).toEqual({
      do: "stop",
      why: "test failed before and did not run on aaaaaaaaaaaa",
    });
    expect(move([skipped, aCheck("passed")])).toEqual({ do: "green" });
  });

  it("waits for the workflows of a fresh commit before it believes a status", () => {
    const move = (withoutWorkflowSince: number | undefined, { now = 61_000, hasWorkflows = true } = {}) => {
      const checks = [aCheck("passed", "bot"), aCheck("failed", "preview")];
      const since = withoutWorkflowSince === undefined ? {} : { withoutWorkflowSince };
      return nextBranchMove({ tip: OWN.head, checks, ...since }, { ...OWN, since: 50_000, hasWorkflows }, now).do;
    };
    expect(move(55_000)).toBe("wait");
    expect(move(undefined)).toBe("fix");
    expect(move(55_000, { hasWorkflows: false })).toBe("fix");
    expect(move(55_000, { now: 110_000 })).toBe("fix");
    // The forge had it long before this engine looked.
    expect(move(1_000)).toBe("fix");
  });

  it("is not green while a workflow runs: a job that needs another one appears later", () => {
    const reading = { tip: OWN.head, checks: [aCheck("passed")], isWorkflowRunning: true } as const;
    expect(nextBranchMove(reading, OWN, 61_000)).toEqual({ do: "wait", why: "waits for its workflows to end" });
  });

  it("takes no check of another commit", () => {
    expect(at([aCheck("passed")], { tip: "b".repeat(40) })).toEqual({ do: "rebuild" });
    expect(nextBranchMove({ tip: undefined, checks: [] }, OWN, 2_000)).toMatchObject({ do: "stop" });
  });
});

describe("fixableKinds", () => {
  it("tells formats and lints, and nothing of tests", () => {
    expect(fixableKinds(["ci"], [{ category: "format", job: "ci" }])).toEqual(["format"]);
    expect(fixableKinds(["ci"], [{ category: "lint", job: "ci" }])).toEqual(["lint"]);
    expect(fixableKinds(["ci"], [{ category: "test", job: "ci" }])).toEqual([]);
  });

  it("goes by the name of a job whose output nobody recognises, and of no other", () => {
    expect(fixableKinds(["check format", "build"], [{ category: "unknown", job: "check format" }])).toEqual(["format"]);
    expect(fixableKinds(["Lint"], [])).toEqual(["lint"]);
    expect(fixableKinds(["lint"], [{ category: "types", job: "lint" }])).toEqual([]);
  });
});

describe("findFixers", () => {
  const files = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries));
  const commands = (entries: Readonly<Record<string, string>>, kinds: Parameters<typeof findFixers>[1]) =>
    findFixers(files(entries), kinds).map(({ command }) => command.join(" "));

  it("takes the repository's own scripts, called by its package manager", () => {
    const scripts = { scripts: { "lint:fix": "eslint . --fix", format: "prettier -w ." } };
    const own = { "package.json": JSON.stringify(scripts), "pnpm-lock.yaml": "", ".prettierrc": "{}", "eslint.config.js": "" };
    expect(commands(own, ["lint", "format"])).toEqual(["pnpm run lint:fix", "pnpm run format"]);
    expect(commands(own, ["format"])).toEqual(["pnpm run format"]);
  });

  it("leaves out a script that only looks", () => {
    const own = { "package.json": '{"scripts": {"format": "prettier --check ."}}', ".prettierrc": "{}" };
    expect(commands(own, ["format"])).toEqual(["node_modules/.bin/prettier --write ."]);
  });

  it.each([
    [{ "biome.json": "{}" }, "node_modules/.bin/biome check --write ."],
    [{ "pyproject.toml": "[tool.ruff.lint]\n" }, "ruff check --fix .;ruff format ."],
    [{ "pyproject.toml": "[tool.ruff]\n[tool.black]\n" }, "ruff check --fix .;black ."],
    [{ "pyproject.toml": "[project]\n" }, ""],
    [{ "go.mod": "module a\n" }, "gofmt -w ."],
    [{ "Cargo.toml": "[package]\n" }, "cargo fmt --all"],
    [{ "package.json": '{"devDependencies": {"prettier": "3"}}' }, ""],
    [{}, ""],
  ])("finds in %j the fixers: %s", (entries, wanted) => {
    expect(commands(entries as Record<string, string>, ["lint", "format"]).join(";")).toBe(wanted);
  });

  it("gives nothing for nothing", () => {
    expect(commands({ "biome.json": "{}" }, [])).toEqual([]);
  });
});

describe("reduceCi", () => {
  const ref = { ticket: TicketId.parse("CI-1"), fence: 1 as never };
  const failure = { head: "h1", failed: ["test"], fixable: [] };

  it("keeps what each attempt pushed and what failed then", () => {
    let loop: CiLoop | undefined;
    loop = reduceCi(loop, 1, { type: "ci-triaged", ...failure, ...ref });
    loop = reduceCi(loop, 2, { type: "ci-fixed", fixers: ["npm run format"], ...ref });
    loop = reduceCi(loop, 2, { type: "ci-pushed", repo: RepoId.parse("app"), from: "h1", to: "h2", files: 3, ...ref });
    expect(loop.iterations).toEqual([
      { attempt: 1, failure },
      { attempt: 2, fixers: ["npm run format"], commit: "h2", files: 3 },
    ]);
    expect(lastCiFailure(loop)).toEqual(failure);
    expect(lastCiFailure(undefined)).toBeUndefined();
  });
});
