import { describe, expect, it } from "vitest";
import { told, words } from "./sample.ts";

const app = { path: "../app" };
const reviewer = { kind: "command", command: ["./review"] };
const ticket = (id: string, more: object = {}) => ({ id, title: "x", ...more });

describe("what a slip of the pen is called", () => {
  it.each([
    ["", "1:1  the file is empty"],
    ["// nothing yet\n", "1:1  the file is empty"],
    ["[]", "1:1  must be an object in braces, not a list"],
    ["{", '1:2  the "{" of line 1 is not closed'],
    ['{\n"name": "b"\n"repos": {}\n}', '3:1  a "," is expected before this'],
    ["{'name': 'b'}", '1:2  the key "name" must stand in double quotes'],
    ["{name: 1}", '1:2  the key "name" must stand in double quotes'],
    ['{"name": yes}', "1:10  yes is not a value; text stands in double quotes; else true, false, null or a number"],
    ['{"name": "b', '1:10  this text is not closed; a double quote is missing at its end; a line break is written as "\\n"'],
    ['{"a": "c:\\work"}', '1:7  there is no such escape; a backslash is written as "\\\\"'],
    ['{"a": 1}}', "1:9  the batch ends before this; remove what follows"],
    ['{\n"a": [1, 2}', '2:11  "}" stands here, but the "[" of line 2 is still open'],
    ['{"a": [1', '1:9  the "[" of line 1 is not closed'],
    ["{1}", '1:2  the key "1" must stand in double quotes'],
    ["{it's: 1}", '1:2  the key "it\'s" must stand in double quotes'],
    ['{"a": yes,"b":1}', "1:7  yes is not a value; text stands in double quotes; else true, false, null or a number"],
    [`{"a": 'b'}`, `1:7  "'b'" is not a value; text stands in double quotes; else true, false, null or a number`],
    ['{"a": }', "1:7  a value is expected here"],
    ['{"a" 1}', '1:6  a ":" is expected before this'],
    ['{"a": 1 /* x', '1:9  this comment is not closed; a "*/" is missing'],
  ])("%j", (text, message) => {
    expect(told(text)).toBe(`batch.json:${message}`);
  });

  // Not by their own text: a name as long makes a pattern that no runner can look for.
  it.each([
    ["lists", "[", "1:65  brackets nest deeper than 64 levels"],
    ["lists, closed wrongly", "[},", "1:193  brackets nest deeper than 64 levels"],
  ])("a hundred thousand nested %s", (_what, piece, message) => {
    expect(told(piece.repeat(100_000))).toBe(`batch.json:${message}`);
  });

  it("tells what is wrong before a wrong bracket, too", () => {
    expect(told('{\n"a": [1 2],\n"b": [3},\n"c": no')).toBe(
      'batch.json:2:9  a "," is expected before this\nbatch.json:3:8  "}" stands here, but the "[" of line 3 is still open',
    );
  });

  it("says of a file that is too long nothing else", () => {
    expect(told(" ".repeat(32 * 1024 * 1024 + 1))).toBe("batch.json:1:1  the file is longer than 32 million characters");
  });
});

describe("what a value of the wrong shape is called", () => {
  it.each<[object, ...string[]]>([
    [{ limits: { workers: "four" } }, 'limits.workers must be a whole number from 1 to 64, not "four"'],
    [{ limits: { workers: 65 } }, "limits.workers must be a whole number from 1 to 64, not 65"],
    [
      { behaviour: { onFail: "stepback" } },
      'behaviour.onFail must be "none", "nudge", "step-back", "split", "escalate" or "gate", not "stepback"; did you mean "step-back"?',
    ],
    [
      { behaviour: { onFail: ["stepback"] } },
      'behaviour.onFail[0] must be "nudge", "step-back", "split", "escalate" or "gate", not "stepback"; did you mean "step-back"?',
    ],
    [
      { behaviour: { onFail: { momentum: "gat" } } },
      'behaviour.onFail.momentum must be "none", "nudge", "step-back", "split", "escalate" or "gate", not "gat"; did you mean "gate"?',
    ],
    [{ behaviour: { onFail: { momentm: "gate" } } }, 'behaviour.onFail: unknown key "momentm"; did you mean "momentum"?'],
    [{ limits: { attempts: 1.5 } }, "limits.attempts must be a whole number from 1 to 20, not 1.5"],
    [{ limits: { silenceMinutes: 0 } }, "limits.silenceMinutes must be a number above 0 and at most 10080, not 0"],
    [{ limits: { usdPerRun: -1 } }, "limits.usdPerRun must be a number of at least 0, not -1"],
    [{ limits: { workrs: 3 } }, 'limits: unknown key "workrs"; did you mean "workers"?'],
    [{ ticket: [] }, 'unknown key "ticket"; did you mean "tickets"?'],
    [
      { zzzzzz: 1 },
      'unknown key "zzzzzz"; known here: $schema, name, tracker, repos, agent, reviewer, secondReviewer, oracle and 23 more',
    ],
    [{ tracker: { kind: "jira" } }, 'tracker.kind: unknown kind "jira"; known here: local, linear, github, command'],
    [{ tracker: {} }, "tracker.kind is missing; known here: local, linear, github, command"],
    [{ agent: { kind: "jules" } }, 'agent.kind: unknown kind "jules"; known here: command, claude, codex, gemini, opencode'],
    [{ agent: { kind: "comand", command: ["x"] } }, 'agent.kind: unknown kind "comand"; did you mean "command"?'],
    [{ agent: undefined }, "agent is missing (the program that works a ticket)"],
    [
      { agent: { kind: "command", command: "npm test" } },
      'agent.command must be a list of texts, not "npm test"; write ["npm", "test"]',
    ],
    [{ agent: { kind: "command", command: [] } }, "agent.command must not be empty"],
    [{ repos: {} }, "repos: name at least one repository"],
    [{ repos: { app: {} } }, "repos.app.path is missing (the repository's folder: absolute, or relative to this file)"],
    [{ sandbox: "of" }, 'sandbox must be "required", "auto" or "off", not "of"; did you mean "off"?'],
    [
      { finish: [{ step: "lint" }] },
      'finish[0].step: unknown step "lint"; known here: gates, check, review, adversary, merge, verify, assert',
    ],
    [{ finish: [{ step: "reviev" }] }, 'finish[0].step: unknown step "reviev"; did you mean "review"?'],
    [{ reviewer: { kind: "codx" } }, 'reviewer.kind: unknown kind "codx"; did you mean "codex"?'],
    [
      { reviewer: { kind: "codex", apiKeyEnv: "K", blocking: "grave" } },
      'reviewer.blocking must be "critical", "high", "medium" or "low", not "grave"; known here: critical, high, medium, low',
    ],
    [
      { reviewer: { kind: "codex", apiKeyEnv: "K", canaryEvry: 5 } },
      'reviewer: unknown key "canaryEvry"; did you mean "canaryEvery"?',
    ],
    [
      { transients: [{ name: "registry", pattern: "503", steps: ["check"], waitSeconds: 601 }] },
      "transients[0].waitSeconds must be a number from 0 to 600, not 601",
    ],
    [
      { transients: [{ name: "registry", pattern: "503", steps: ["review"] }] },
      'transients[0].steps[0] must be "prepare", "check" or "verify", not "review"; known here: prepare, check, verify',
    ],
    [
      { finish: [{ step: "merge" }, { step: "verify", command: ["v"], within: 0 }] },
      "finish[1].within must be a number from 0.1 to 86400, not 0",
    ],
    [{ finish: [{ step: "merge" }, { step: "verify", command: ["v"], expect: {} }] }, "finish[1].expect: name a text or a json"],
    [
      { finish: [{ step: "merge" }, { step: "verify", command: ["v"], expect: { txt: "x" } }] },
      "finish[1].expect: name a text or a json",
      'finish[1].expect: unknown key "txt"; did you mean "text"?',
    ],
    [{ finish: [{ step: "check" }] }, "finish[0].command is missing (a program and its arguments; no shell reads it)"],
    [
      { tickets: [ticket("T-1", { dependsOn: "T-2" })] },
      'tickets[0].dependsOn must be a list of texts, not "T-2"; write ["T-2"]',
    ],
    [{ tickets: [ticket("T-1", { title: "y".repeat(201) })] }, "tickets[0].title must be text of 1 to 200 characters, not 201"],
    [{ name: 7 }, "name must be text, not 7"],
    [{ tickets: [ticket("T-1", { body: 7 })] }, "tickets[0].body must be text of at most 64000 characters, not 7"],
    [
      { oracle: { command: ["o"], reads: "zzzzzz" } },
      'oracle.reads must be "tracker" or "elsewhere", not "zzzzzz"; known here: tracker, elsewhere',
    ],
    [
      { finish: [{ step: "check", command: ["t"], report: { path: "r.xml" } }, { step: "merge" }] },
      "finish[0].report.format is missing (how it is written); known here: junit, vitest, jest, tap",
    ],
    [{ name: "a/b" }, "name: use 1 to 40 letters, digits, spaces, '.', ':', '_' or '-'"],
    [
      { tickets: [ticket("T/1")] },
      "tickets[0].id: \"T/1\" cannot name a branch: only letters, digits, '-', '_' and single dots are allowed, and it must start with a letter or digit",
    ],
  ])("%j", (part, ...messages) => {
    expect(words({ ...part })).toEqual(messages);
  });
});

describe("what does not fit together is called", () => {
  it.each<[object, ...string[]]>([
    [{ tickets: [] }, 'tickets: the batch has no tickets; list them under "tickets", or name a folder of them in tracker.path'],
    [{ tickets: [{ id: "T-1" }] }, "tickets[0].title is missing (the task, in one line)"],
    [{ tickets: [ticket("T-1"), ticket("T-1")] }, 'tickets[1].id: there is a ticket "T-1" already'],
    [
      { tickets: [ticket("T-1"), ticket("t-1")] },
      'tickets[1].id: "t-1" and "T-1" differ only in case; they would share a folder and a branch: rename one',
    ],
    [
      { tickets: [ticket("T-1"), ticket("T-8", { dependsOn: ["T-9"] })] },
      'tickets[1].dependsOn[0]: unknown ticket "T-9"; did you mean "T-8"?',
    ],
    [{ tickets: [ticket("T-1", { dependsOn: ["T-1"] })] }, 'tickets[0].dependsOn[0]: "T-1" cannot depend on itself'],
    [
      { tickets: [ticket("T-1", { dependsOn: ["T-2"] }), ticket("T-2", { dependsOn: ["T-1"] })] },
      "tickets[0].dependsOn[0]: these tickets wait for each other: T-1 → T-2 → T-1",
    ],
    [{ tickets: [ticket("T-1", { repo: "ap" })] }, 'tickets[0].repo: unknown repository "ap"; did you mean "app"?'],
    [{ repos: { app, infra: app } }, "tickets[0].repo is missing: there is more than one repository; known here: app, infra"],
    [{ finish: [{ step: "gates" }] }, 'finish has no merge, so nothing would ever land; add {"step": "merge"}'],
    [{ finish: [{ step: "merge" }, { step: "merge" }] }, "finish[1]: merge must come only once"],
    [
      { finish: [{ step: "merge" }, { step: "check", command: ["x"] }, { step: "gates" }] },
      "finish[1]: check must come before merge, for it decides what may land",
      "finish[2]: gates must come before merge, for it decides what may land",
    ],
    [
      { reviewer, finish: [{ step: "merge" }, { step: "review" }] },
      "finish[1]: review must come before merge, for it decides what may land",
    ],
    [
      { reviewer, finish: [{ step: "review" }, { step: "review" }, { step: "merge" }] },
      'finish[1].name: finish[0] is a review named "review" as well; give each a name of its own',
    ],
    [
      { finish: [{ step: "verify", command: ["x"] }, { step: "merge" }] },
      "finish[0]: verify must come after merge, for it looks at what has landed",
    ],
    [
      { finish: [{ step: "merge" }, { step: "assert" }, { step: "assert" }] },
      "finish[1]: assert must come last and only once, for it sets the ticket to done",
    ],
    [
      { finish: [{ step: "check", command: ["x"] }, { step: "check", command: ["y"] }, { step: "merge" }] },
      'finish[1].name: finish[0] is a check named "check" as well; give each a name of its own',
    ],
    [{ protect: ["/etc/**"] }, "protect[0] must be relative to the repository, not absolute"],
    [{ protect: ["a/../b"] }, 'protect[0] must not contain "..": paths outside the repository are never touched'],
    [{ protect: ["!src/**"] }, 'protect[0] must not start with "!": list what is protected, not what is free'],
    [{ protect: ["a/[b"] }, 'protect[0] must be a glob pattern (Missing closing: "]" - use "\\\\]" to match literal characters)'],
    [{ repos: { app: { path: "~/app" } } }, 'repos.app.path must be written out: "~" is not expanded'],
    [{ repos: { app: { path: "a\nb" } } }, "repos.app.path must hold no control characters (line breaks and tabs are such)"],
    [{ repos: { app: { ...app, base: "-x" } } }, "repos.app.base must be the name of a branch, as git allows it"],
    [
      { agent: { kind: "command", command: ["a", "b\u0000"] } },
      "agent.command[1] must hold no control characters (line breaks and tabs are such)",
    ],
    [
      { agent: { kind: "command", command: ["a"], usdPerAttempt: 9 } },
      "agent.usdPerAttempt: one attempt costs 9 dollars, more than limits.usdPerAttempt of 5: none could ever start; raise the limit",
    ],
    [{ tickets: [ticket("constructor")] }, 'tickets[0].id: "constructor" is a reserved word; choose another name'],
    [
      { tickets: [ticket("T-1", { exclusive: ["__proto__"] })] },
      'tickets[0].exclusive[0]: "__proto__" is a reserved word; choose another name',
    ],
    [{ tracker: { kind: "local", path: "t" } }, "tracker.path: the ticket folder was not read"],
  ])("%j", (part, ...messages) => {
    expect(words({ ...part })).toEqual(messages);
  });
});
