import { describe, expect, it } from "vitest";
import type { SeedJob } from "../../../stand-ins/github/forge/model.ts";
import { CHECK, REPO } from "../../../stand-ins/github/forge/stage.ts";
import { aForgeStage, isRequest, unavailable } from "./stage.ts";

const JUNIT = '<testsuite name="s"><testcase name="adds"><failure>1 != 2</failure></testcase></testsuite>';

/** A job that fails by itself, after this code. */
function failing(name: string, code: string): SeedJob {
  return { name, command: ["node", "-e", `const fs = require("fs"); ${code}; process.exitCode = 1`] };
}

const TESTS = failing(
  "test",
  `console.log("1 != 2"); console.log("::error file=src/a.ts,line=7::1 is not 2"); fs.writeFileSync("junit.xml", ${JSON.stringify(JUNIT)})`,
);

async function failuresOf(jobs: readonly SeedJob[], names = jobs.map(({ name }) => name)) {
  const stage = await aForgeStage({ jobs });
  const { headSha } = await stage.opened({ "ok.txt": "no\n" });
  await stage.forge.untilChecked(REPO, headSha, jobs.length);
  return { stage, headSha, failures: await stage.pullRequests.failures(headSha, names) };
}

describe("failures", () => {
  it("have the log, the annotations and the report of the job that failed", async () => {
    const { stage, headSha, failures } = await failuresOf([TESTS, { ...CHECK, name: "passes", command: ["node", "-e", ""] }]);
    const [job] = stage.github.jobs(headSha);
    expect(failures).toEqual([
      {
        name: "test",
        url: `${stage.standIn.url}/${REPO}/actions/runs/${job?.runId}/job/${job?.id}`,
        log: expect.stringMatching(
          /^##\[group\]Run node[^]*\n1 != 2\n##\[error\]1 is not 2\n##\[error\]Process completed with exit code 1\.$/,
        ),
        annotations: [
          { path: "src/a.ts", line: 7, level: "failure", message: "1 is not 2" },
          { path: ".github", line: 1, level: "failure", message: "Process completed with exit code 1." },
        ],
        reports: [{ name: "junit.xml", text: JUNIT }],
      },
    ]);
  });

  it("sends the token to no place where logs and artifacts are kept", async () => {
    const { stage, failures } = await failuresOf([TESTS]);
    expect([failures[0]?.reports.length, stage.forge.downloads.refused]).toEqual([1, 0]);
  });

  it("have each job's own reports", async () => {
    const lint = failing("lint", 'fs.writeFileSync("lint.xml", "<lint/>")');
    const { failures } = await failuresOf([TESTS, lint]);
    expect(failures.map(({ name, reports }) => [name, reports.map((report) => report.name)])).toEqual([
      ["test", ["junit.xml"]],
      ["lint", ["lint.xml"]],
    ]);
  });

  it("have the end of a long log", async () => {
    const { failures } = await failuresOf([
      failing("test", 'for (let i = 1; i <= 12000; i += 1) console.log(["line", i, "x".repeat(40)].join(" "))'),
    ]);
    const { log = "" } = failures[0] ?? {};
    expect(log.length).toBeLessThanOrEqual(256 * 1024);
    expect(log).toMatch(/^line \d+ x{40}\n/);
    expect(log).toContain("line 12000 ");
  });

  it("bound what is large, and say what cannot be had", async () => {
    const large = 'fs.writeFileSync("large.xml", "x".repeat(1024 * 1024 + 1)); fs.writeFileSync("small.xml", "<a/>")';
    const { stage, headSha, failures } = await failuresOf([failing("test", large)]);
    expect(failures[0]?.reports).toEqual([{ name: "small.xml", text: "<a/>" }]);
    const gone = { status: 410, body: { message: "Gone\u001b[31m" } };
    stage.standIn.fault = (request) => (/\/(?:logs|annotations|zip)$/.test(request.path) ? gone : undefined);
    const [left] = await stage.pullRequests.failures(headSha, ["test"]);
    expect(left).toMatchObject({ name: "test", annotations: [], reports: [] });
    expect(left?.log.split("\n")).toEqual([
      "[loopdash: its log cannot be had: GitHub refuses to fetch the log (410): Gone]",
      "[loopdash: the artifact test-reports cannot be had: GitHub refuses to fetch an artifact (410): Gone]",
      "[loopdash: its annotations cannot be had: GitHub refuses to list its annotations (410): Gone]",
    ]);
  });

  it("say that the token may not see jobs, and have the annotations all the same", async () => {
    const { stage, headSha } = await failuresOf([TESTS]);
    const refused = { status: 403, body: { message: "Resource not accessible" } };
    stage.standIn.fault = (request) => (/\/actions\//.test(request.path) ? refused : undefined);
    const [failure] = await stage.pullRequests.failures(headSha, ["test"]);
    expect(failure).toMatchObject({ annotations: [{ path: "src/a.ts" }, {}], reports: [] });
    expect(failure?.log).toContain("its jobs cannot be had: GitHub refuses to list its workflow runs (403)");
    expect((await unavailable(stage.pullRequests.rerun(headSha, ["test"]))).message).toContain("the token needs the right");
  });

  it("say that an artifact is no archive, and that it is too large", async () => {
    const { stage, headSha } = await failuresOf([TESTS]);
    const elsewhere = (bytes: Buffer) => ({
      status: 302,
      headers: { location: stage.forge.downloads.offer("application/zip", bytes) },
    });
    stage.once(isRequest("GET", /\/zip$/), elsewhere(Buffer.from("<html></html>".repeat(10))));
    expect((await stage.pullRequests.failures(headSha, ["test"]))[0]?.log).toContain(
      "test-reports cannot be had: it has no end record]",
    );
    stage.once(isRequest("GET", /\/zip$/), elsewhere(Buffer.alloc(5 * 1024 * 1024 + 1)));
    expect((await stage.pullRequests.failures(headSha, ["test"]))[0]?.log).toContain("cannot be had: it is larger than 5 MiB]");
    stage.once(isRequest("GET", /\/zip$/), { status: 302, headers: { location: "file:///etc/passwd" } });
    expect((await stage.pullRequests.failures(headSha, ["test"]))[0]?.log).toContain(
      "cannot be had: it is at an address that is not https]",
    );
  });

  it("show no signed address in a note", async () => {
    const { stage, headSha } = await failuresOf([TESTS]);
    const signed = `${stage.standIn.url}/repos/${REPO}/actions/jobs/${stage.github.jobs(headSha)[0]?.id}/logs?sig=s3cr3t-signature`;
    stage.once(isRequest("GET", /\/logs$/), { status: 302, headers: { location: signed } });
    const [failure] = await stage.pullRequests.failures(headSha, ["test"]);
    expect(failure?.log).toMatch(/its log cannot be had: where it is kept/);
    expect(failure?.log).not.toContain("s3cr3t");
  });

  it("are those of a lost runner, which has no log", async () => {
    const { failures } = await failuresOf([{ ...CHECK, infrastructure: { how: "runner lost", attempts: 1 } }]);
    expect(failures).toMatchObject([
      {
        log: expect.stringContaining("its log cannot be had"),
        annotations: [{ message: expect.stringContaining("lost communication") }],
      },
    ]);
  });

  it("are those of statuses too, with safe names, and of no check that has passed since", async () => {
    const { stage, headSha } = await failuresOf([{ ...CHECK, flaky: "fails first on each SHA", command: ["node", "-e", ""] }]);
    const context = "de\u001b[31mploy";
    await stage.github.send("POST", `/statuses/${headSha}`, {
      state: "failure",
      context,
      description: "No disk",
      target_url: "https://d.test",
    });
    await stage.pullRequests.rerun(headSha, ["test"]);
    await stage.forge.untilChecked(REPO, headSha, 2);
    expect(await stage.pullRequests.failures(headSha, ["test", "deploy"])).toEqual([
      { name: "deploy", url: "https://d.test", log: "No disk", annotations: [], reports: [] },
    ]);
  });

  it("cannot be had while GitHub asks to wait", async () => {
    const { stage, headSha } = await failuresOf([TESTS]);
    stage.standIn.fault = (request) =>
      /\/logs$/.test(request.path)
        ? { status: 403, headers: { "retry-after": "60" }, body: { message: "secondary rate limit" } }
        : undefined;
    expect((await unavailable(stage.pullRequests.failures(headSha, ["test"]))).retryAt).toBeGreaterThan(Date.now() + 50_000);
  });
});
