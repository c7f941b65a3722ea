import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { ALLOWED_NAMES, allowedEnvironment } from "../../../src/adapters/executor/environment.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { program, requestOf, useFolder } from "./support.ts";

useFolder();

const HARMFUL = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_MODEL",
  "OPENAI_API_KEY",
  "GITHUB_TOKEN",
  "LINEAR_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "SSH_AUTH_SOCK",
  "LC_TOKEN",
  "LC_ALL_KEY",
  "XDG_RUNTIME_DIR",
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_KEY_0",
  "NODE_OPTIONS",
  "LD_PRELOAD",
  "DYLD_INSERT_LIBRARIES",
  "BASH_ENV",
  "LOOPDASH_FENCE",
  "__proto__",
  "constructor",
];

describe("the environment of children", () => {
  it("holds allow-listed names only, whatever the source holds", () => {
    const name = fc.oneof(fc.string(), fc.constantFrom(...HARMFUL, ...ALLOWED_NAMES, "path", "Path", "HOME "));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (entries) => {
        const environment = allowedEnvironment(Object.fromEntries(entries), {});
        expect(Object.keys(environment).filter((key) => !ALLOWED_NAMES.has(key))).toEqual([]);
        expect(environment["TERM"]).toBe("dumb");
        for (const entry of environment["PATH"]?.split(":") ?? ["none"]) expect(entry).toMatch(/^\//);
      }),
      { numRuns: 1_000 },
    );
  });

  it("allows nothing that looks like a secret or that steers another program", () => {
    const fit =
      /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|TMPDIR|NO_COLOR|PAGER|GIT_PAGER|GIT_TERMINAL_PROMPT|LC_[A-Z]+|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME)$/;
    expect([...ALLOWED_NAMES].filter((name) => !fit.test(name))).toEqual([]);
    expect(HARMFUL.filter((name) => ALLOWED_NAMES.has(name))).toEqual([]);
  });

  it("copies what is allowed and lets the caller's values win", () => {
    const from = { HOME: "/home/me", LC_ALL: "C", PATH: "/usr/bin::./node_modules/.bin:/bin", TERM: "xterm" };
    const extra = { GIT_AUTHOR_NAME: "me", HOME: "/elsewhere" };
    expect(allowedEnvironment(from, extra)).toMatchObject({ ...extra, LC_ALL: "C", PATH: "/usr/bin:/bin", TERM: "dumb" });
    expect(allowedEnvironment({}, {})["PATH"]).toBe("/usr/local/bin:/usr/bin:/bin");
    expect("HOME" in allowedEnvironment({}, {})).toBe(false);
  });

  it.each(["GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_COUNT", "NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV"])(
    "refuses %s also from the caller",
    (name) => {
      expect(() => allowedEnvironment({}, { [name]: "x" })).toThrow(TypeError);
    },
  );

  it.each([
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
    "CI_JOB_TOKEN",
    "LINEAR_API_KEY",
    "JIRA_API_TOKEN",
    "NPM_TOKEN",
    "NODE_AUTH_TOKEN",
    "CARGO_REGISTRY_TOKEN",
    "TWINE_PASSWORD",
    "AZURE_DEVOPS_EXT_PAT",
    "SYSTEM_ACCESSTOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "SSH_AUTH_SOCK",
    "SSH_ASKPASS",
    "GIT_ASKPASS",
    "GIT_SSH_COMMAND",
    "LOOPDASH_HOME",
  ])("refuses %s, which no child may have, also from the caller", (name) => {
    expect(() => allowedEnvironment({}, { [name]: "x" })).toThrow(TypeError);
  });

  it.each(["GIT_AUTHOR_NAME", "ANTHROPIC_API_KEY", "LOOPDASH_TICKET", "NODE_ENV", "CI", "GH_PAGER"])(
    "lets the caller give %s, on purpose",
    (name) => {
      expect(allowedEnvironment({}, { [name]: "x" })[name]).toBe("x");
    },
  );

  it("reaches the child exactly, with the marker and nothing of the engine's", async () => {
    process.env["NODE_V8_COVERAGE"] = "/tmp/nowhere";
    onTestFinished(() => void delete process.env["NODE_V8_COVERAGE"]);
    const env = { A: "1", EMPTY: "", SPACED: "a b\n$c" };
    const request = requestOf({ argv: [process.execPath, program("print-environment.mjs")], env });
    const result = await createExecutor().run(request);
    expect(JSON.parse(result.tail)).toEqual({ ...env, LOOPDASH_FENCE: request.marker });
  });

  it("cannot smuggle another marker in", async () => {
    const request = requestOf({ argv: [process.execPath, program("print-environment.mjs")], env: { LOOPDASH_FENCE: "other" } });
    expect(JSON.parse((await createExecutor().run(request)).tail)).toEqual({ LOOPDASH_FENCE: request.marker });
  });
});
