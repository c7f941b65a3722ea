import { displayValue } from "@loopdash/values";
import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../src/domain/batch/check-agent.ts";
import { checkValue } from "../../../src/domain/batch/issues.ts";
import { formatProblems, pathText, problemAt, sortProblems } from "../../../src/domain/batch/problem.ts";
import { resolveBatch } from "../../../src/domain/batch/resolve.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { warnOfBatch } from "../../../src/domain/batch/warn.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { batchValue } from "./sample.ts";

const parsed = (part: Readonly<Record<string, unknown>> = {}) => BatchFile.parse(batchValue(part));

describe("a problem", () => {
  it("stands at its value, or at the innermost thing around it", () => {
    const given = new Map([
      ["", 4],
      ["a", 2],
      ["a.b", 3],
    ]);
    const locate = (path: readonly (string | number)[]) => {
      const line = given.get(path.join("."));
      return line === undefined ? undefined : { line, column: 1 };
    };
    expect(problemAt(locate, ["a", "b"], "m", "h")).toStrictEqual({ line: 3, column: 1, path: "a.b", message: "m", hint: "h" });
    expect(problemAt(locate, ["a", "x", 0], "m")).toStrictEqual({ line: 2, column: 1, path: "a.x[0]", message: "m" });
    expect(problemAt(locate, ["x"], "m")).toStrictEqual({ line: 4, column: 1, path: "x", message: "m" });
    expect(problemAt(() => undefined, ["x", 1], "m")).toStrictEqual({ line: 1, column: 1, path: "x[1]", message: "m" });
  });

  it("names a path as people write it", () => {
    expect(pathText(["a", 0, "b-c", "d e", "1x", `k${"x".repeat(64)}`])).toBe(`a[0].b-c["d e"]["1x"]["k${"x".repeat(39)}…"]`);
    expect(pathText(["d e", "$x"])).toBe('["d e"].$x');
  });

  it("does not name the batch file that a loop of ci has written itself", () => {
    const problem = { line: 13, column: 11, path: "a", message: "m" };
    const own = "/home/ann/.local/state/loopdash/ci/0123456789abcdef/0001.json";
    expect(formatProblems(own, [problem])).toBe("the batch of this loop  a: m");
    expect(formatProblems("/home/ann/ci/0001.json", [problem])).toBe("/home/ann/ci/0001.json:13:11  a: m");
  });

  it("stands in the batch file first, then in the ticket files by name", () => {
    const at = (file: string) => ({ file, path: "", message: file });
    const line = (n: number, column = 1) => ({ line: n, column, path: "", message: `${n}:${column}` });
    const sorted = sortProblems([at("b"), line(2), at("A"), line(1, 9), line(1, 2), at("b")]);
    expect(sorted.map(({ message }) => message)).toEqual(["1:2", "1:9", "2:1", "A", "b", "b"]);
  });

  it("says of twenty each, of more how many there are", () => {
    const list = Array.from({ length: 21 }, (_, i) => ({ line: i, column: 1, path: "", message: "m" }));
    expect(formatProblems("f", list.slice(0, 20)).split("\n").at(-1)).toBe("f:19:1  m");
    expect(formatProblems("f", list).split("\n").at(-1)).toBe("and 1 more");
  });

  it("shows values short", () => {
    expect(displayValue("x".repeat(40))).toBe(`"${"x".repeat(40)}"`);
    expect(displayValue("x".repeat(41))).toBe(`"${"x".repeat(40)}…"`);
    expect([displayValue([1]), displayValue({}), displayValue(null), displayValue(7), displayValue(true)]).toEqual([
      "a list",
      "an object",
      "null",
      "7",
      "true",
    ]);
  });
});

describe("a batch as a run freezes it", () => {
  it("has its oracle and its policy, with paths from the batch file", () => {
    const policy = { read: ["r", "/abs"], write: ["../w"] };
    const batch = resolveBatch(parsed({ oracle: { command: ["o"] }, sandboxPolicy: policy }), { folder: "/b" });
    expect(batch.oracle).toMatchObject({ command: ["o"] });
    expect(batch.sandboxPolicy).toMatchObject({ read: ["/b/r", "/abs"], write: ["/w"] });
    const plain = resolveBatch(parsed(), { folder: "/b" });
    expect(plain).not.toHaveProperty("oracle");
    expect(plain).not.toHaveProperty("sandboxPolicy");
  });

  it("has the batch file's folder wherever a step's command names it", () => {
    const check = { step: "check", name: "judge", command: ["{batch}/judge", "--in={batch}", "{batches}"] };
    const batch = resolveBatch(parsed({ finish: [check, { step: "merge" }] }), { folder: "/b" });
    expect(batch.tickets[0]?.finish[0]).toMatchObject({ name: "judge", command: ["/b/judge", "--in=/b", "{batches}"] });
  });

  it("is made of what was checked only", () => {
    const two = parsed({ repos: { a: { path: "a" }, b: { path: "b" } } });
    expect(() => resolveBatch(two, { folder: "/" })).toThrow("ticket T-1 was not checked");
    expect(() => resolveBatch(parsed({ tickets: [{ id: "T-1" }] }), { folder: "/" })).toThrow("ticket T-1 was not checked");
    expect(() => resolveBatch({ ...parsed(), repos: {} }, { folder: "/" })).toThrow("ticket T-1 was not checked");
  });
});

describe("what may be meant otherwise", () => {
  const warned = (part: Readonly<Record<string, unknown>>) =>
    warnOfBatch(parsed(part), () => undefined).map(({ path, message }) => `${path}: ${message}`);
  const check = { step: "check", name: "t", command: ["t"] };
  const unchecked = "no check runs before merge: whatever the agent leaves will land";

  const gates = { step: "gates" };
  const ungated = "no gates run before merge, so nothing holds the batch's list of protected paths";

  it("is said with its place", () => {
    expect(warned({ oracle: { command: ["o"], reads: "elsewhere" }, finish: [gates, check, { step: "merge" }] })).toEqual([
      "oracle.reads: no canary can test an oracle that reads no tracker",
    ]);
    const tickets = [
      { id: "A", title: "x", finish: [gates, { step: "merge" }] },
      { id: "B", title: "x", finish: [gates, check, { step: "merge" }] },
    ];
    expect(warned({ tickets })).toEqual([`tickets[0].finish: ${unchecked}`]);
    expect(warned({ tickets: [...tickets.slice(1), { id: "C", title: "x" }] })).toEqual([`finish: ${unchecked}`]);
    const own = [{ id: "A", title: "x", finish: [check, { step: "merge" }] }];
    const protect = ["test/**"];
    const finish = [check, { step: "merge" }];
    expect(warned({ protect, tickets: own, finish: [gates, ...finish] })).toEqual([`tickets[0].finish: ${ungated}`]);
    expect(warned({ protect, finish })).toEqual([`finish: ${ungated}`]);
    expect(warned({ finish })).toEqual([]);
  });
});

describe("an agent", () => {
  const found = (part: Readonly<Record<string, unknown>>) => {
    const all: string[] = [];
    checkAgent(parsed(part), (path, message, hint) => all.push(`${path.join(".")}: ${message}; ${hint ?? ""}`));
    return all;
  };
  const claude = { kind: "claude", apiKeyEnv: "KEY" };
  const codex = { kind: "codex", apiKeyEnv: "KEY" };

  it("of a vendor runs in a sandbox, for money, by a key", () => {
    expect(found({ agent: claude })).toEqual([]);
    expect(found({ agent: { ...claude, billing: "subscription", program: "/bin/claude" } })).toEqual([]);
    expect(found({ agent: { ...codex, kind: "opencode" } })).toEqual(['agent: opencode needs a model; name it under "model"']);
    expect(found({ agent: { ...codex, kind: "opencode", model: "some-model" } })).toEqual([]);
    expect(found({ agent: codex, sandbox: "off" })).toEqual(['sandbox: codex never runs without a sandbox; use "required"']);
    expect(found({ agent: claude, limits: { usdPerAttempt: 0 } })).toEqual([
      "limits.usdPerAttempt: claude cannot work for nothing; set a limit above 0",
    ]);
    expect(found({ agent: { ...codex, kind: "opencode", model: "m", billing: "subscription" } })).toEqual([
      'agent.billing: opencode can only be billed to an API key here; use "api"',
    ]);
    expect(found({ agent: { ...codex, program: "a\u0000b" } })).toEqual([expect.stringMatching(/^agent\.program: /)]);
  });

  it("of a vendor is billed to a subscription by its own login, or to a key", () => {
    for (const kind of ["claude", "codex", "gemini"])
      expect(found({ agent: { kind, billing: "subscription", loginUrl: "https://example.com/token" } })).toEqual([]);
    expect(found({ agent: { kind: "codex" } })).toEqual([
      'agent: has no key; name the variable that holds it under "apiKeyEnv", or a secret of the batch under "apiKeySecret", or use "billing": "subscription"',
    ]);
    expect(found({ agent: { ...codex, billing: "subscription" } })).toEqual([
      "agent.apiKeyEnv: is not for codex's subscription, which is used by the program's own login; leave it out",
    ]);
    expect(found({ agent: { ...codex, loginUrl: "https://example.com/token" } })).toEqual([
      "agent.loginUrl: is for the login of a subscription, and no account here uses one; leave it out",
    ]);
  });

  it("of a vendor has a key and a login in its fallbacks, neither taken over by the other", () => {
    expect(found({ agent: { ...codex, fallback: [{ billing: "subscription" }] } })).toEqual([]);
    expect(
      found({ agent: { kind: "codex", billing: "subscription", fallback: [{ billing: "api", apiKeyEnv: "KEY" }] } }),
    ).toEqual([]);
    expect(found({ agent: { kind: "codex", billing: "subscription", fallback: [{ billing: "api" }] } })).toEqual([
      'agent.fallback.0: has no key; name the variable that holds it under "apiKeyEnv", or a secret of the batch under "apiKeySecret", or use "billing": "subscription"',
    ]);
    expect(found({ agent: { kind: "claude", billing: "subscription", fallback: [{ apiKeyEnv: "TOKEN" }] } })).toEqual([]);
  });

  it("that costs more than a limit could never start", () => {
    expect(found({ agent: claude, limits: { usdPerAttempt: 20 } })).toEqual([
      "limits.usdPerAttempt: one attempt costs 20 dollars, more than limits.usdPerTicket of 15: none could ever start; raise the limit",
    ]);
    const command = { kind: "command", command: ["a"], usdPerAttempt: 200 };
    expect(found({ agent: command, sandbox: "off" })).toEqual([
      "agent.usdPerAttempt: one attempt costs 200 dollars, more than limits.usdPerAttempt of 5, limits.usdPerTicket of 15, " +
        "limits.usdPerRun of 50, limits.usdPerDay of 150: none could ever start; raise the limit",
    ]);
  });
});

describe("a value of the wrong shape", () => {
  const said = (part: Readonly<Record<string, unknown>>) => {
    const checked = checkValue(BatchFile, batchValue(part));
    return checked.ok ? [] : checked.findings.map(({ path, message, hint }) => [path.join("."), message, hint ?? ""].join("|"));
  };

  it.each<[Record<string, unknown>, string]>([
    [{ agent: 7 }, "agent|must be an object in braces, not 7|"],
    [{ agent: {} }, "agent.kind|is missing|known here: command, claude, codex, gemini, opencode"],
    [{ agent: { kind: 7 } }, "agent.kind|must be text, not 7|known here: command, claude, codex, gemini, opencode"],
    [{ agent: { kind: "zzzzzz" } }, 'agent.kind|unknown kind "zzzzzz"|known here: command, claude, codex, gemini, opencode'],
    [{ sandbox: "zzzzzz" }, 'sandbox|must be "required", "auto" or "off", not "zzzzzz"|known here: required, auto, off'],
    [{ sandbox: 7 }, 'sandbox|must be "required", "auto" or "off", not 7|'],
    [
      { agent: { kind: "command", command: " npm   test " } },
      'agent.command|must be a list of texts, not " npm   test "|write ["npm", "test"]',
    ],
    [{ agent: { kind: "command", command: "a; b" } }, 'agent.command|must be a list of texts, not "a; b"|'],
    [{ agent: { kind: "command", command: "a $b" } }, 'agent.command|must be a list of texts, not "a $b"|'],
    [{ agent: { kind: "command", command: 7 } }, "agent.command|must be a list of texts, not 7|"],
    [{ agent: { kind: "command", command: [] } }, "agent.command|must not be empty|"],
    [{ tickets: 7 }, "tickets|must be a list, not 7|"],
    [{ tickets: [{ id: "A", title: "" }] }, "tickets.0.title|must not be empty|"],
    [{ limits: { usdPerRun: Number.NEGATIVE_INFINITY } }, "limits.usdPerRun|must be a number of at least 0, not one that large|"],
  ])("%j", (part, line) => {
    expect(said(part)).toEqual([line]);
  });
});

it("a user's mistake says what and why in one", () => {
  const cause = new Error("c");
  const mistake = new UserError({ what: "a", why: "b", todo: "c", exitCode: 2, cause });
  expect(mistake).toMatchObject({ name: "UserError", message: "a: b", what: "a", why: "b", todo: "c", exitCode: 2, cause });
});
