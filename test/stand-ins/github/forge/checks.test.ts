import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { aStage, CHECK, REPO, type Stage } from "./stage.ts";

const REPORT = `<testsuite name="a"><testcase name="adds"><failure>no</failure></testcase></testsuite>`;
const FAILING = `
console.log("hello");
console.log("::error file=src/a.ts,line=7,title=Sum::expected 2%0Agot 3");
require("fs").writeFileSync("junit.xml", ${JSON.stringify(REPORT)});
process.exit(4);`;

async function checkRuns(stage: Stage, sha: string) {
  return (await stage.get(`/commits/${sha}/check-runs`)).body.check_runs;
}

/** Every file of a ZIP archive, read from its local headers. */
function unzip(bytes: Buffer): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [packed, name] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const start = at + 30 + name;
    files[bytes.subarray(at + 30, start).toString()] = inflateRawSync(bytes.subarray(start, start + packed)).toString();
    at = start + packed;
  }
  return files;
}

describe("the checks of a pull request", () => {
  it("have the log, the annotations and the reports of what the command did", async () => {
    const stage = await aStage({ jobs: [{ name: "unit", command: ["node", "-e", FAILING] }] });
    const pull = await stage.open("topic", { "a.txt": "a\n" });
    await stage.standIn.forge.untilChecked(REPO, pull.headSha);
    const [run] = (await stage.get(`/actions/runs?head_sha=${pull.headSha}`)).body.workflow_runs;
    expect(run).toMatchObject({ status: "completed", conclusion: "failure", event: "pull_request", run_attempt: 1 });
    const [job] = (await stage.get(`/actions/runs/${run.id}/jobs`)).body.jobs;
    const redirect = await stage.get(`/actions/jobs/${job.id}/logs`);
    expect(redirect.status).toBe(302);
    const location = redirect.headers.get("location") ?? "";
    const log = await (await fetch(location)).text();
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z hello$/m);
    expect(log).toContain("##[error]expected 2%0Agot 3");
    expect(log).toMatch(/##\[error\]Process completed with exit code 4\.\n$/);
    expect((await fetch(location, { headers: { authorization: "Bearer token" } })).status).toBe(400);
    expect(stage.standIn.forge.downloads.refused).toBe(1);
    expect((await stage.get(`/check-runs/${job.id}/annotations`)).body).toMatchObject([
      { path: "src/a.ts", start_line: 7, annotation_level: "failure", title: "Sum", message: "expected 2\ngot 3" },
      { path: ".github", message: "Process completed with exit code 4." },
    ]);
    const [artifact] = (await stage.get(`/actions/runs/${run.id}/artifacts`)).body.artifacts;
    const zip = await stage.get(`/actions/artifacts/${artifact.id}/zip`);
    const bytes = Buffer.from(await (await fetch(zip.headers.get("location") ?? "")).arrayBuffer());
    expect(unzip(bytes)).toEqual({ "junit.xml": REPORT });
  });

  it("belong to one SHA: a new head has none until its own appear, and the old ones stay", async () => {
    const stage = await aStage({ jobs: [CHECK] });
    const pull = await stage.open("topic", { "ok.txt": "yes\n" });
    const old = pull.headSha;
    await stage.standIn.forge.untilChecked(REPO, old);
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.standIn.forge.gate = ({ stage: moment }) => (moment === "register" ? promise : undefined);
    const sha = await stage.push("topic", { "ok.txt": "no\n" }, "topic");
    expect(await checkRuns(stage, sha)).toEqual([]);
    expect(await checkRuns(stage, old)).toMatchObject([{ conclusion: "success" }]);
    expect((await stage.send("PUT", `/pulls/${pull.number}/merge`)).body.message).toContain('"test" is expected');
    resolve();
    await stage.standIn.forge.untilChecked(REPO, sha);
    expect(await checkRuns(stage, sha)).toMatchObject([{ conclusion: "failure" }]);
  });

  it("go through queued and in progress, and may never end", async () => {
    const stage = await aStage({ jobs: [CHECK] });
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: string[] = [];
    stage.standIn.forge.gate = ({ stage: moment }) => {
      seen.push(moment);
      return moment === "start" ? promise : moment === "finish" ? Promise.withResolvers<void>().promise : undefined;
    };
    const { headSha } = await stage.open("topic", { "ok.txt": "yes\n" });
    await stage.standIn.forge.until(() => seen.includes("start") || stage.jobs(headSha).length === 1);
    expect(await checkRuns(stage, headSha)).toMatchObject([{ status: "queued", conclusion: null }]);
    resolve();
    await stage.standIn.forge.until(() => stage.jobs(headSha)[0]?.status === "in_progress");
    expect(await checkRuns(stage, headSha)).toMatchObject([{ status: "in_progress", conclusion: null, completed_at: null }]);
    const [job] = stage.jobs(headSha);
    expect((await stage.get(`/actions/jobs/${job?.id}/logs`)).status).toBe(404);
    expect((await stage.send("POST", `/actions/jobs/${job?.id}/rerun`)).status).toBe(403);
  });

  it("run again by name: what was flaky, or had lost its runner, then tells the truth, and the attempt has ids of its own", async () => {
    const jobs = [
      { ...CHECK, name: "flaky", flaky: "fails first on each SHA" as const },
      { ...CHECK, name: "lost", infrastructure: { how: "runner lost" as const, attempts: 1 } },
      { ...CHECK, name: "steady" },
    ];
    const stage = await aStage({ jobs });
    const pull = await stage.open("topic", { "ok.txt": "yes\n" });
    const sha = pull.headSha;
    await stage.standIn.forge.untilChecked(REPO, sha, 3);
    const results = async () =>
      Object.fromEntries((await checkRuns(stage, sha)).map(({ name, conclusion }: Record<string, string>) => [name, conclusion]));
    expect(await results()).toEqual({ flaky: "failure", lost: "failure", steady: "success" });
    const lost = stage.jobs(sha).find(({ name }) => name === "lost");
    expect((await stage.get(`/check-runs/${lost?.id}/annotations`)).body[0].message).toContain(
      "lost communication with the server",
    );
    expect((await stage.get(`/actions/jobs/${lost?.id}/logs`)).status).toBe(404);
    const [run] = (await stage.get(`/actions/runs?head_sha=${sha}`)).body.workflow_runs;
    expect(await stage.send("POST", `/actions/runs/${run.id}/rerun-failed-jobs`)).toMatchObject({ status: 201, body: {} });
    await stage.standIn.forge.untilChecked(REPO, sha, 5);
    expect(await results()).toEqual({ flaky: "success", lost: "success", steady: "success" });
    const listed = (await stage.get(`/actions/runs/${run.id}/jobs?filter=all`)).body;
    expect([listed.total_count, new Set(listed.jobs.map(({ id }: { id: number }) => id)).size]).toEqual([5, 5]);
    expect((await stage.get(`/actions/runs/${run.id}`)).body).toMatchObject({ run_attempt: 2, conclusion: "success" });
    expect((await stage.send("POST", `/actions/runs/${run.id}/rerun-failed-jobs`)).status).toBe(403);
  });

  it("run on pushes to the default branch, too, if the job says so, by hand or by a merge; a person starts failed ones again", async () => {
    const stage = await aStage({ jobs: [CHECK, { ...CHECK, name: "main", isRequired: false, on: ["push"] }] });
    const { forge } = stage.standIn;
    const first = (await stage.git(["rev-parse", "origin/main"])).stdout.trim();
    await forge.untilChecked(REPO, first);
    expect(stage.jobs(first)).toMatchObject([{ name: "main", conclusion: "failure", attempt: 1 }]);
    expect(stage.forge.runs).toMatchObject([{ event: "push", branch: "main", sha: first }]);
    await forge.person("ann").rerunFailed(REPO, first);
    await forge.untilChecked(REPO, first, 2);
    expect(stage.jobs(first)).toMatchObject([{ attempt: 1 }, { name: "main", attempt: 2 }]);

    const pull = await stage.open("topic", { "ok.txt": "yes\n" });
    await forge.untilChecked(REPO, pull.headSha);
    const merged = await forge.person("ann").merge(REPO, pull.number);
    await forge.untilChecked(REPO, merged);
    const pushed = await forge.person("ann").push(REPO, "main", { "b.txt": "b\n" });
    await forge.untilChecked(REPO, pushed);
    expect([pull.headSha, merged, pushed].map((sha) => stage.jobs(sha))).toMatchObject([
      [{ name: "test" }],
      [{ name: "main", conclusion: "success" }],
      [{ name: "main" }],
    ]);
    await forge.person("ann").rerunFailed(REPO, merged);
    expect(stage.jobs(merged)).toHaveLength(1);
  });

  it("belong to workflows that are listed, with those that GitHub provides itself", async () => {
    const codeql = { name: "CodeQL", path: "dynamic/github-code-scanning/codeql" };
    const stage = await aStage({ jobs: [{ name: "lint", command: ["true"], workflow: "Style" }], workflows: [codeql] });
    const { total_count, workflows } = (await stage.get("/actions/workflows?per_page=1&page=2")).body;
    expect([total_count, workflows]).toMatchObject([2, [{ ...codeql, state: "active" }]]);
    expect((await stage.get("/actions/workflows")).body.workflows[0]).toMatchObject({ path: ".github/workflows/style.yml" });
    expect(stage.standIn.mistakes).toEqual([]);
  });

  it("get variables of the machine that runs them", async () => {
    const command = ["node", "-e", 'process.exit(process.env.SLOW === "yes" ? 5 : 0)'];
    const stage = await aStage({ jobs: [{ name: "timed", command }] });
    const { forge } = stage.standIn;
    forge.machine = ({ job, attempt, event }): Readonly<Record<string, string>> =>
      attempt === 1 ? { SLOW: job === "timed" && event === "pull_request" ? "yes" : "" } : {};
    const { headSha } = await stage.open("topic", { "a.txt": "a\n" });
    await forge.untilChecked(REPO, headSha);
    await forge.person("ann").rerunFailed(REPO, headSha);
    await forge.untilChecked(REPO, headSha, 2);
    expect(stage.jobs(headSha).map(({ conclusion }) => conclusion)).toEqual(["failure", "success"]);
  });

  it("end what takes too long, with all that it started", async () => {
    const forever = { name: "forever", command: ["sh", "-c", "sleep 1000 & sleep 1000"], timeoutMs: 300 };
    const stage = await aStage({ jobs: [forever] });
    const { headSha } = await stage.open("topic", { "a.txt": "a\n" });
    await stage.standIn.forge.untilChecked(REPO, headSha);
    expect(stage.jobs(headSha)).toMatchObject([{ conclusion: "cancelled" }]);
  });
});
