import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

const CHECK = { step: "check", name: "tests", command: ["node", "--test"] };
const FINISH = [{ step: "gates" }, CHECK, { step: "merge" }];

function stageOf(): Stage {
  const stage = new Stage();
  stage.repo("app", { "README.md": "# test\n", "test/a.test.mjs": 'import test from "node:test"; test("a", () => {});\n' });
  stage.agent(HONEST);
  return stage;
}

/** An SSH key by which the repository's person signs; gives its public key. */
function signs(stage: Stage): string {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", stage.path("id")]);
  for (const [key, value] of [
    ["user.name", "A. Person"],
    ["user.email", "a@example.com"],
    ["commit.gpgsign", "true"],
    ["gpg.format", "ssh"],
    ["user.signingkey", stage.path("id.pub")],
  ] as const)
    stage.git("app", "config", key, value);
  const key = execFileSync("cat", [stage.path("id.pub")], { encoding: "utf8" }).trim();
  stage.write("signers", `a@example.com ${key}\n`);
  return key;
}

const verified = (stage: Stage): string =>
  stage.git("app", "-c", `gpg.ssh.allowedSignersFile=${stage.path("signers")}`, "log", "-1", "--format=%G? %GS", "main");

describe("the commits that land", { timeout: 300_000 }, () => {
  test("are by the repository's person, or by whom the batch names", async () => {
    using stage = stageOf();
    stage.git("app", "config", "user.name", "A. Person");
    stage.git("app", "config", "user.email", "a@example.com");
    expect((await stage.run([stage.batch(["T-1"], { finish: FINISH }), "--headless"])).code).toBe(0);
    expect(stage.git("app", "log", "-1", "--format=%an <%ae>|%cn <%ce>|%s", "main")).toBe(
      "A. Person <a@example.com>|A. Person <a@example.com>|Do T-1 (T-1)",
    );
    const commit = {
      author: "B. Bot <bot@example.com>",
      coAuthor: "C <c@example.com>",
      trailers: { Refs: "JIRA-{ticket}" },
      template: "{type}({scope}): {title}\n\n{body}\n\nTicket: {ticket}",
    };
    const tickets = [{ id: "T-2", title: "fix(api): stop it", body: "Why.\nSigned-off-by: Nobody <n@example.com>" }];
    expect((await stage.run([stage.batch(tickets, { name: "other", finish: FINISH, commit }), "--headless"])).code).toBe(0);
    const format = "--format=%an <%ae>|%cn <%ce>|%s|%(trailers:only,unfold,separator=%x3B )";
    const [people, committer, subject, trailers] = stage.git("app", "log", "-1", format, "main").split("|");
    expect([people, committer, subject]).toEqual(["B. Bot <bot@example.com>", "B. Bot <bot@example.com>", "fix(api): stop it"]);
    expect(trailers).toMatch(
      /^Ticket: T-2; Refs: JIRA-T-2; Co-authored-by: C <c@example\.com>; Loopdash-Ticket: T-2; Loopdash-Run: other-[\w-]+; Loopdash-Attempt: 1; Loopdash-Agent: command agent\.mjs$/,
    );
  });

  test("are signed if the repository's commits are, and the checked candidate is the one that lands", async () => {
    using stage = stageOf();
    signs(stage);
    const ended = await stage.events(stage.batch(["T-1", "T-2"], { sandbox: "required", finish: FINISH }));
    expect(ended.code, ended.stderr).toBe(0);
    expect(verified(stage)).toBe("G a@example.com");
    const judged = ended.events.flatMap((event) =>
      event.type === "step-ended" && event.judged !== undefined ? [event.judged] : [],
    );
    expect(judged).toContain(stage.git("app", "rev-parse", "main"));
    expect(stage.git("app", "fsck", "--strict", "--no-dangling")).toBe("");
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
  });

  test("are signed too if they revert a change that is not live, and the report has how long the base was broken", async () => {
    using stage = stageOf();
    signs(stage);
    stage.agent(`${HONEST} fs.writeFileSync("state.txt", attempt === 1 ? "bad" : "good");`);
    const live = { step: "verify", name: "live", command: ["sh", "-c", "test ! -e state.txt || ! grep bad state.txt"] };
    const batch = stage.batch(["T-1"], {
      finish: [...FINISH, live],
      onBroken: "revert",
      live: { repeats: 1, everySeconds: 0.1 },
      commit: { author: "B. Bot <bot@example.com>", trailers: { Refs: "JIRA-{ticket}" } },
    });
    const ended = await stage.events(batch);
    expect(ended.code, ended.stderr).toBe(0);
    const log = stage.git(
      "app",
      "-c",
      `gpg.ssh.allowedSignersFile=${stage.path("signers")}`,
      "log",
      "-3",
      "--format=%G? %an %s",
      "main",
    );
    expect(log.split("\n")).toEqual([
      expect.stringMatching(/^G B\. Bot (?!Revert).*T-1/),
      expect.stringMatching(/^G B\. Bot Revert .*T-1/),
      expect.stringMatching(/^G B\. Bot (?!Revert).*T-1/),
    ]);
    expect(stage.git("app", "log", "-1", "--format=%B", "main~1")).toContain("Refs: JIRA-T-1");
    const { incidentList } = await stage.report();
    expect(incidentList).toMatchObject([{ kind: "live-check", ticket: "T-1", durationMs: expect.any(Number) }]);
    const line = /UTC, for \d+s: failing live checks of T-1: .*; reverted by [0-9a-f]{7}/;
    for (const format of ["--md", "--html"]) expect((await stage.run(["report", format])).stdout).toMatch(line);
  });

  test("are not signed if the batch says so, and refuse the start if they must be and cannot", async () => {
    using stage = stageOf();
    signs(stage);
    renameSync(stage.path("id"), stage.path("away"));
    const refused = await stage.run([stage.batch(["T-1"], { finish: FINISH }), "--headless"]);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringMatching(/must be signed, and a trial failed[^]*ssh-keygen/) });
    const plain = stage.batch(["T-1"], { finish: FINISH, commit: { sign: false } });
    expect((await stage.run([plain, "--headless"])).code).toBe(0);
    expect(verified(stage)).toBe("N");
  });

  test("wait for a key that is away, and no unsigned commit lands meanwhile", async () => {
    using stage = stageOf();
    signs(stage);
    stage.agent(`${HONEST} fs.renameSync(process.env.HOME + "/id", process.env.HOME + "/away");`);
    const start = stage.git("app", "rev-parse", "main");
    const batch = stage.batch(["T-1"], { finish: FINISH, limits: { outageMinutes: 0.02 } });
    const ended = await stage.run([batch, "--headless"]);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toContain("the commit cannot be signed: ssh-keygen");
    expect(stage.git("app", "rev-parse", "main")).toBe(start);
    renameSync(stage.path("away"), stage.path("id"));
    stage.agent(HONEST);
    const resumed = await stage.run([batch, "--headless"]);
    expect(resumed.code, resumed.stdout).toBe(0);
    expect(verified(stage)).toBe("G a@example.com");
    expect(stage.landed()).toEqual(["T-1"]);
  });
});
