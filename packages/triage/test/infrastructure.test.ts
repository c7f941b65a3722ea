import { describe, expect, it, test } from "vitest";
import { parseFailedJob } from "../src/findings.ts";
import { INFRASTRUCTURE, jobsToRerun, matchInfrastructure } from "../src/infrastructure.ts";
import { aFinding, asGithubLog, fixture, inShort } from "./fixtures.ts";

describe("words of infrastructure", () => {
  test.for(INFRASTRUCTURE.map(({ name, example }) => [name, example] as const))("%s are recognised", ([name, example]) => {
    expect(matchInfrastructure(example)?.name).toBe(name);
    expect(parseFailedJob({ job: "unit", log: example }).findings.map(({ tool, category }) => [tool, category])).toEqual([
      [name, "infrastructure"],
    ]);
  });

  test.for([
    ["runner-lost", "The self-hosted runner lost communication with the server. Verify the machine is running."],
    ["npm-registry", "npm ERR! code E503"],
    [
      "pip-registry",
      "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.example.com', port=443): Read timed out.",
    ],
    ["cargo-registry", "warning: spurious network error (3 tries remaining): [28] Timeout was reached"],
    ["go-proxy", 'go: example.com/m@v1.0.0: Get "https://proxy.example.com/m": dial tcp 192.0.2.1:443: i/o timeout'],
    ["disk-full", "Error: ENOSPC: no space left on device, write"],
    ["rate-limit", "HttpError: You have exceeded a secondary rate limit. Please wait a few minutes before you try again."],
    ["docker-pull-limit", "Error response from daemon: received unexpected HTTP status: 503 Service Unavailable"],
  ] as const)("%s are recognised in other forms", ([name, line]) => {
    expect(matchInfrastructure(line)?.name).toBe(name);
  });

  test.for([
    "expected 'The hosted runner lost communication with the server' to be undefined",
    "    at fetch: npm error code ETIMEDOUT",
    "npm error code E404",
    "npm error code ELIFECYCLE",
    "AssertionError: expected ECONNRESET to be thrown",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "error: download of the file",
    "go: updates to go.mod needed",
    "it stops when no space left on device is thrown",
    "The operation was canceled by the customer.",
    " ✓ says that the rate limit exceeded its bound",
  ])("are not seen in: %s", (line) => {
    expect(matchInfrastructure(line)).toBeUndefined();
  });

  it("stand beside the failures of the same log, once for each class", () => {
    const log = asGithubLog(`${fixture("tsc.txt")}\nnpm error code ETIMEDOUT\nnpm error code ETIMEDOUT\n`);
    expect(parseFailedJob({ job: "unit", log }).findings.map(({ category }) => category)).toEqual([
      ...["types", "types", "types", "types"],
      "infrastructure",
    ]);
  });

  it("are recognised in an annotation without a file", () => {
    const message = "The hosted runner lost communication with the server. Anything in your workflow…";
    const { findings } = parseFailedJob({ job: "unit", annotations: [{ path: ".github", line: 1, level: "failure", message }] });
    expect(findings.map(inShort)).toEqual([`medium infrastructure runner-lost nowhere [] ${message}`]);
  });
});

describe("jobs that run again", () => {
  const lost = (job: string) => aFinding({ job, category: "infrastructure" });

  it("are those with such words, by name", () => {
    expect(jobsToRerun([lost("b"), aFinding({ job: "c" }), lost("a"), lost("b")], new Set())).toEqual(["a", "b"]);
  });

  it("run again once, whatever the second log says: a test can print these words", () => {
    expect(jobsToRerun([lost("a"), lost("b")], new Set(["a"]))).toEqual(["b"]);
    expect(jobsToRerun([lost("a")], new Set(["a"]))).toEqual([]);
  });
});
