import { fillSecrets, secretNames } from "@loopdash/model-gateway";
import { describe, expect, it } from "vitest";
import { words } from "./sample.ts";

const secrets = { npm: { env: "NPM_TOKEN" } };
const env = { TOKEN: "{secret:npm}" };
const verify = (command: readonly string[], more: object = {}) => ({
  secrets,
  finish: [{ step: "merge" }, { step: "verify", command, env, ...more }],
});

describe("secrets of a batch", () => {
  it("may come from one place each", () => {
    expect(words({ secrets: { a: { env: "A", file: "b" } } })).toEqual([
      'secrets.a must have exactly one of "env", "file" and "command"',
    ]);
    expect(words({ secrets: { a: {} } })).toEqual(['secrets.a must have exactly one of "env", "file" and "command"']);
    expect(words({ secrets: { "1a": { env: "A" } } })).toEqual([
      "secrets: use a letter and then up to 39 letters, digits, '_' or '-'",
    ]);
    expect(words({ secrets: { a: { command: ["op", "read"], expiresAfterMinutes: 30 } } })).toEqual([""]);
  });

  it("go to a verify whose program is in the batch's folder", () => {
    expect(words(verify(["{batch}/verify.sh", "x"]))).toEqual([""]);
    expect(words(verify(["node", "{batch}/live/verify.mjs"]))).toEqual([""]);
  });

  const prepared = (command: readonly string[], more: object = {}) => ({
    secrets,
    repos: { app: { path: "../app", prepare: [["npm", "ci"], { command, env, ...more }] } },
  });
  const ruled = (command: readonly string[], more: object = {}) => ({
    secrets,
    reviewer: { kind: "command", command, env, ...more },
  });

  it("go to a prepare command and to a reviewer whose program is in the batch's folder", () => {
    expect(words(prepared(["{batch}/fetch.sh", "models"]))).toEqual([""]);
    expect(words(ruled(["node", "{batch}/rule.mjs"]))).toEqual([""]);
    expect(words(prepared(["npm", "ci"], { env: { CI: "1" } }))).toEqual([""]);
  });

  const foreign = [
    ["./verify.sh"],
    ["npm", "test"],
    ["node", "./verify.mjs"],
    ["node", "-e", "{batch}/verify.mjs"],
    ["node", "--import", "./hook.mjs", "{batch}/verify.mjs"],
    ["sh", "-c", "{batch}/verify.sh"],
    ["sh"],
    ["env", "{batch}/verify.sh"],
    ["/usr/bin/node", "{batch}/verify.mjs"],
    ["{batch}/../app/verify.sh"],
    ["{batch}x/verify.sh"],
    ["{batch}"],
  ];
  it.each(foreign.map((command) => ({ command })))("do not go to $command", ({ command }) => {
    expect(words(verify(command))).toEqual([
      expect.stringMatching(/^finish\[1\]\.command: .* not a file in the batch's folder.*; keep the program beside/),
    ]);
  });

  it.each(foreign.map((command) => ({ command })))("do not go to $command of prepare or a reviewer", ({ command }) => {
    expect(words(prepared(command))).toEqual([
      expect.stringMatching(/^repos\.app\.prepare\[1\]\.command: .* not a file in the batch's folder.*; keep the program beside/),
    ]);
    expect(words(ruled(command))).toEqual([
      expect.stringMatching(/^reviewer\.command: .* not a file in the batch's folder.*; keep the program beside/),
    ]);
  });

  it("do not go to a reviewer that is a vendor's program, nor to an argument of one", () => {
    const vendor = { kind: "codex", apiKeyEnv: "KEY", env };
    expect(words({ secrets, reviewer: vendor })).toEqual([expect.stringContaining('reviewer: unknown key "env"')]);
    expect(words(ruled(["{batch}/rule.sh", "{secret:npm}"]))).toEqual([
      expect.stringMatching(/^reviewer\.command\[1\] has a secret, and every user/),
    ]);
    expect(words(prepared(["{batch}/fetch.sh", "{secret:npm}"]))).toEqual([
      expect.stringMatching(/^repos\.app\.prepare\[1\]\.command\[1\] has a secret, and every user/),
    ]);
  });

  it("a list and an object alone are prepare commands, and the message says so", () => {
    const of = (entry: unknown) => words({ repos: { app: { path: "../app", prepare: [entry] } } });
    expect(of("npm ci")).toEqual([
      'repos.app.prepare[0] must be a list of texts, or {"command": […], "env": {…}}; write ["npm", "ci"]',
    ]);
    expect(of({ command: ["a"], envs: {} })).toEqual(['repos.app.prepare[0]: unknown key "envs"; did you mean "env"?']);
    expect(of({ env: {} })).toEqual([expect.stringMatching(/^repos\.app\.prepare\[0\]\.command is missing/)]);
    expect(of([])).toEqual(["repos.app.prepare[0] must not be empty"]);
  });

  it("do not go to a check, and the reason is given", () => {
    expect(words({ secrets, finish: [{ step: "check", command: ["{batch}/x"], env }, { step: "merge" }] })).toEqual([
      "finish[0].env: a check runs the candidate's own code, which would read it; put it on a verify, or prepare what the check needs",
    ]);
  });

  it("do not go to an agent, and to no argument of any command", () => {
    expect(words({ agent: { kind: "command", command: ["a"], env } })).toEqual([
      expect.stringContaining('agent: unknown key "env"'),
    ]);
    const argument = expect.stringMatching(
      /has a secret, and every user of this machine can read the arguments of a process; let the gateway/,
    );
    expect(words({ secrets, agent: { kind: "command", command: ["a", "{secret:npm}"] } })).toEqual([argument]);
    expect(words({ secrets, repos: { app: { path: "../app", prepare: [["npm", "{secret:npm}"]] } } })).toEqual([argument]);
    expect(words({ ...verify(["{batch}/x", "{secret:npm}"]) })).toEqual([argument]);
  });

  it("must exist, need the sandbox, and go to no variable that changes which code runs", () => {
    const misnamed = verify(["{batch}/x"], { env: { TOKEN: "{secret:nmp}" } });
    expect(words(misnamed)).toEqual(['finish[1].env.TOKEN: the batch has no secret "nmp"; did you mean "npm"?']);
    expect(words({ ...verify(["{batch}/x"]), sandbox: "auto" })).toEqual([
      expect.stringMatching(/^finish\[1\]\.env\.TOKEN: uses a secret, but "sandbox": "auto" lets agents run without/),
    ]);
    for (const [at, batch] of [
      ["repos.app.prepare[1].env", prepared],
      ["reviewer.env", ruled],
    ] as const) {
      expect(words(batch(["{batch}/x"], { env: { TOKEN: "{secret:nmp}" } }))).toEqual([
        `${at}.TOKEN: the batch has no secret "nmp"; did you mean "npm"?`,
      ]);
      expect(words({ ...batch(["{batch}/x"]), sandbox: "auto" })).toEqual([
        expect.stringContaining(`${at}.TOKEN: uses a secret, but "sandbox": "auto" lets agents run without`),
      ]);
      expect(words(batch(["{batch}/x"], { env: { LD_PRELOAD: "x" } }))).toEqual([
        `${at}.LD_PRELOAD: "LD_PRELOAD" changes which code runs; choose another variable`,
      ]);
    }
    expect(words(verify(["{batch}/x"], { env: { NODE_OPTIONS: "{secret:npm}" } }))).toEqual([
      'finish[1].env.NODE_OPTIONS: "NODE_OPTIONS" changes which code runs; choose another variable',
    ]);
  });

  it("are checked in a ticket's own finish line as well", () => {
    const finish = [{ step: "merge" }, { step: "verify", command: ["./x"], env }];
    expect(words({ secrets, tickets: [{ id: "T-1", title: "one", finish }] })).toEqual([
      expect.stringMatching(/^tickets\[0\]\.finish\[1\]\.command: "\.\/x" is not a file in the batch's folder/),
    ]);
  });
});

describe("a text with secrets", () => {
  it("gets their values, in base64 where it says so", () => {
    const values = new Map([
      ["user", "me"],
      ["pass", "a}b{secret:user}"],
    ]);
    expect(fillSecrets("Bearer {secret:pass}", values)).toBe("Bearer a}b{secret:user}");
    expect(fillSecrets("Basic {base64:{secret:user}:{secret:pass}}", values)).toBe(
      `Basic ${Buffer.from("me:a}b{secret:user}").toString("base64")}`,
    );
    expect(secretNames("{base64:{secret:user}:{secret:pass}} {secret:user}")).toEqual(["user", "pass"]);
  });
});

describe("hosts with headers", () => {
  const header = { host: "npm.corp.example", headers: { authorization: "Bearer {secret:npm}" } };
  const prepare = (entry: object, more: object = {}) => ({ secrets, sandboxPolicy: { hosts: { prepare: [entry] } }, ...more });

  it("are for prepare, and for a step that is a verify wherever its name stands", () => {
    expect(words(prepare(header))).toEqual([""]);
    const live = { step: "verify", name: "live", command: ["./x"] };
    const opened = { secrets, sandboxPolicy: { hosts: { live: [header] } } };
    expect(words({ ...opened, finish: [{ step: "merge" }, live] })).toEqual([""]);
    const tickets = [{ id: "T-1", title: "one", finish: [{ step: "check", name: "live", command: ["./x"] }, { step: "merge" }] }];
    expect(words({ ...opened, finish: [{ step: "merge" }, live], tickets })).toEqual([
      expect.stringMatching(
        /^sandboxPolicy\.hosts\.live\[0\] has headers, and only prepare and steps named of verify alone get those/,
      ),
    ]);
  });

  it.each(["agent", "blocker", "adjudicator", "tests"])("are not for %s", (who) => {
    const finish = [{ step: "check", name: "tests", command: ["./x"] }, { step: "merge" }];
    expect(words({ secrets, finish, sandboxPolicy: { hosts: { [who]: [header] } } })).toEqual([
      expect.stringMatching(/has headers, and only prepare .* runs what agents wrote or chose; leave the headers out/),
    ]);
  });

  it("name one host, headers that say nothing of the message, and secrets that exist, in a sandbox", () => {
    expect(words(prepare({ ...header, host: "*.corp.example" }))).toEqual([
      "sandboxPolicy.hosts.prepare[0] has headers, and a secret goes to one host, never to every name below one; name the host",
    ]);
    expect(words(prepare({ ...header, headers: { "Transfer-Encoding": "{secret:npm}" } }))).toEqual([
      expect.stringMatching(/"Transfer-Encoding" says how a request is sent; choose another header$/),
    ]);
    expect(words(prepare({ ...header, headers: { authorization: "{secret:other}" } }))).toEqual([
      expect.stringMatching(/the batch has no secret "other"; known here: npm$/),
    ]);
    expect(words(prepare(header, { sandbox: "off" }))).toEqual([
      expect.stringMatching(/uses a secret, but "sandbox": "off" lets/),
    ]);
  });
});
