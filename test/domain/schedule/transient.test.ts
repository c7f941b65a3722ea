import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TransientSpec } from "../../../src/domain/batch/transient-spec.ts";
import { MAX_LOOKED_AT, matchTransient, type TransientKind, unfitForTransient } from "../../../src/domain/schedule/transient.ts";
import { parseTransients } from "../../../src/domain/schedule/transients-file.ts";
import { words } from "../batch/sample.ts";

const KINDS: readonly TransientKind[] = ["prepare", "check", "verify"];
const NOT_CHECKS: readonly TransientKind[] = ["prepare", "verify"];

function spec(name: string, pattern: string, steps: readonly TransientKind[] = KINDS): TransientSpec {
  return { name, pattern, steps, waitSeconds: 0 };
}

const SHIPPED = readFileSync(join(import.meta.dirname, "../../../prompts/transients.json"), "utf8");
const BUILT_IN = builtIn();
function builtIn(): readonly TransientSpec[] {
  const read = parseTransients(SHIPPED);
  if (!read.ok) throw new Error(read.why);
  return read.classes;
}
const named = (kind: TransientKind, output: string, specs = BUILT_IN) => matchTransient(specs, kind, output)?.name;

describe("a failed command's output", () => {
  const busy = spec("busy", "^the oven is (hot|cold)$", ["check"]);

  test("belongs to a class by a line of it, in either case and in any colour, in the steps that the class names", () => {
    expect(named("check", "a\nThe Oven is HOT\nb", [busy])).toBe("busy");
    expect(named("check", "a\r\n\u001b[31mthe oven\u001b[0m is hot\r\nb", [busy])).toBe("busy");
    expect(named("check", "they say the oven is hot", [busy])).toBeUndefined();
    expect(named("verify", "the oven is hot", [busy])).toBeUndefined();
    expect(named("check", "", [busy])).toBeUndefined();
  });

  test("belongs to the first class that takes it", () => {
    expect(named("check", "the oven is hot", [spec("own", "oven"), busy])).toBe("own");
    expect(named("check", "the oven is hot", [spec("other", "stove"), busy, spec("own", "oven")])).toBe("busy");
  });

  test("is looked at from its end, so far and no further", () => {
    const line = "the oven is hot\n";
    expect(named("check", line + "x".repeat(MAX_LOOKED_AT - line.length), [busy])).toBe("busy");
    expect(named("check", line + "x".repeat(MAX_LOOKED_AT), [busy])).toBeUndefined();
  });
});

describe("a pattern", () => {
  test.for([
    ["(a", "missing closing )"],
    ["[z-a]", "invalid character class range"],
    ["a(?=b)", "(?="],
    ["(?<!a)b", "(?<"],
    ["(abc)\\1", "\\1"],
    ["a{2000}", "invalid repeat count"],
  ] as const)("%s is none", ([pattern, why]) => {
    expect(unfitForTransient(pattern)).toContain("must be a regular expression of RE2");
    expect(unfitForTransient(pattern)).toContain(why);
  });

  test.for(["a*", "(abc|)", ".+", "[^x]+", "\\w+ failed", "^FAIL", "error"])(
    "%s takes any failure, and is refused",
    (pattern) => {
      expect(unfitForTransient(pattern)).toMatch(/^must be narrow: it takes ".*" for a transient,/);
    },
  );

  test.for(["(a*)*bb", "(x+x+)+y", "(.*)(.*)(.*)(.*)(.*)=(.*)$", "(a|a|a?)+cc"])(
    "%s, by which a backtracking engine hangs, is looked for in no time to speak of",
    (pattern) => {
      expect(unfitForTransient(pattern)).toBeUndefined();
      for (const char of "ax") expect(named("check", char.repeat(MAX_LOOKED_AT), [spec("slow", pattern)])).toBeUndefined();
    },
  );

  test("that cannot be used is told where the batch is read", () => {
    const transients = [spec("fine", "oven is hot"), spec("odd", "bcd(?!e)"), { ...spec("short", "ab"), steps: [] }];
    expect(words({ transients: transients.slice(0, 1) })).toEqual([""]);
    expect(words({ transients: transients.slice(0, 2) })).toEqual([
      "transients[1].pattern must be a regular expression of RE2, which has no lookaround and no backreferences (invalid or unsupported Perl syntax: `(?!`)",
    ]);
    expect(words({ transients })).toEqual([
      "transients[2].pattern must be text of 3 to 300 characters, not 2",
      "transients[2].steps must not be empty",
    ]);
  });
});

/** What programs print, by the class that it belongs to, and the steps in which it does. */
const SAMPLES: readonly (readonly [name: string, steps: readonly TransientKind[], ...outputs: readonly string[]])[] = [
  [
    "package-download-cut",
    ["prepare"],
    "npm error code ECONNRESET\nnpm error syscall read\nnpm error network This is a problem related to network connectivity.",
    "npm ERR! code ETIMEDOUT\nnpm ERR! errno ETIMEDOUT",
    " ERR_PNPM_META_FETCH_FAIL  GET https://registry.example/left-pad: request failed, reason: socket hang up",
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.example', port=443): Read timed out.",
    "warning: spurious network error (3 attempts remaining): [28] Timeout was reached\nerror: failed to download from `https://crates.example`",
    "error: RPC failed; curl 56 GnuTLS recv error (-54): Error in the pull function.\nfatal: early EOF",
  ],
  [
    "package-registry-5xx",
    ["prepare"],
    "npm error code E503\nnpm error 503 Service Unavailable - GET https://registry.example/left-pad",
    " ERR_PNPM_FETCH_502  GET https://registry.example/left-pad: Bad Gateway - 502",
    "ERROR: HTTP error 503 while getting https://files.example/a.whl",
    "Error response from daemon: received unexpected HTTP status: 503 Service Unavailable",
  ],
  [
    "state-lock",
    NOT_CHECKS,
    "╷\n│ Error: Error acquiring the state lock\n│ \n│ Error message: ConditionalCheckFailedException: The conditional request failed",
    "error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end",
  ],
  [
    "not-there-yet-404",
    ["verify"],
    "curl: (22) The requested URL returned error: 404",
    "An error occurred (404) when calling the HeadObject operation: Not Found",
    "An error occurred (NoSuchKey) when calling the GetObject operation: The specified key does not exist.",
    "│ unexpected new value: Root resource was present, but now absent.",
  ],
  [
    "gateway-5xx",
    ["verify"],
    "curl: (22) The requested URL returned error: 503",
    "curl: (22) The requested URL returned error: 502",
  ],
  ["connection-cut", ["verify"], "curl: (52) Empty reply from server", "curl: (56) Recv failure: Connection reset by peer"],
  [
    "git-index-lock",
    NOT_CHECKS,
    "fatal: Unable to create '/work/app/.git/index.lock': File exists.\n\nAnother git process seems to be running in this repository",
    "fatal: Unable to create '/work/app/.git/worktrees/t-1/index.lock': File exists.",
  ],
  ["text-file-busy", NOT_CHECKS, "sh: 1: ./tool: Text file busy", "Error: spawn ETXTBSY\n    at ChildProcess.spawn"],
  ["package-manager-lock", ["prepare"], "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 12 (apt-get)"],
];

/** Failures that are real, though they speak of what a transient speaks of. */
const REAL = [
  "FAIL test/http.test.ts > answers 503 while it starts\nAssertionError: expected 503 to be 200",
  "✖ retries on ECONNRESET (12.4ms)\n  Error: connect ECONNRESET 127.0.0.1:8080\n    code: 'ECONNRESET'",
  "not ok 3 - the gateway gives 502 Bad Gateway\n  ---\n  message: 'Request failed with status code 502'\n  ...",
  "E   requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: http://localhost:8000/",
  "E       AssertionError: assert 404 == 200\n1 failed, 11 passed in 0.4s",
  "Error: connect ETIMEDOUT 10.0.0.1:5432\n    at TCPConnectWrap.afterConnect",
  "curl: (22) The requested URL returned error: 500",
  "curl: (7) Failed to connect to localhost port 8080 after 0 ms: Couldn't connect to server",
  "curl: (6) Could not resolve host: live.example",
  "npm error code ERESOLVE\nnpm error ERESOLVE could not resolve",
  "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/no-such-package",
  "npm error code ELIFECYCLE\nnpm error errno 1",
  "expected the log to hold 'fatal: Unable to create index.lock'",
  "FAIL locks.test.ts > says that the file is busy",
];

describe("the harness's classes", () => {
  test("each takes what its programs print, in its steps and in no other", () => {
    expect(SAMPLES.map(([name]) => name)).toEqual(BUILT_IN.map(({ name }) => name));
    for (const [name, steps, ...outputs] of SAMPLES)
      for (const output of outputs)
        for (const kind of KINDS)
          expect([output, kind, named(kind, output)]).toEqual([output, kind, steps.includes(kind) ? name : undefined]);
  });

  test("take nothing that a check prints, whoever wrote it, and for each step what the system says of a program that did not start", () => {
    for (const [name, steps, ...outputs] of SAMPLES)
      for (const output of outputs)
        expect([name, steps.includes("check"), named("check", output)]).toEqual([name, false, undefined]);
    expect(matchTransient(BUILT_IN, "start", "./tool could not be started: spawn ETXTBSY")?.name).toBe("text-file-busy");
    expect(matchTransient(BUILT_IN, "start", "there is no program ./ETXTBSY")).toBeUndefined();
  });

  test.for(REAL)("none takes %j", (output) => {
    expect(KINDS.map((kind) => named(kind, output))).toEqual([undefined, undefined, undefined]);
  });

  test("say whose words they look for", () => {
    const file = JSON.parse(SHIPPED);
    expect(file.classes.every((each: { source: string }) => each.source.length > 10)).toBe(true);
    expect(BUILT_IN.every((each) => !("source" in each))).toBe(true);
  });
});

describe("a harness's file of classes", () => {
  const one = { name: "own", pattern: "the oven is busy", steps: ["verify"], source: "the oven" };
  const file = (...classes: object[]) => JSON.stringify({ about: "", classes });
  const why = (text: string) => {
    const read = parseTransients(text);
    return read.ok ? undefined : read.why;
  };

  test("that is fit gives its classes, with what was left out", () => {
    expect(parseTransients(file(one))).toEqual({
      ok: true,
      classes: [{ name: "own", pattern: "the oven is busy", steps: ["verify"], waitSeconds: 5 }],
    });
  });

  test("is refused where it is not JSON, has too much in it, or takes any failure", () => {
    expect(why("{")).toMatch(/JSON/);
    expect(why(file({ ...one, attempts: 9 }))).toMatch(/attempts/);
    expect(why(file({ ...one, pattern: "FAIL|.*" }))).toMatch(/must be narrow/);
    expect(why(file({ ...one, pattern: "(?=x)y" }))).toMatch(/RE2/);
    expect(why(file({ ...one, waitSeconds: 601 }))).toMatch(/600/);
    expect(why(file(...Array.from({ length: 61 }, () => one)))).toMatch(/60/);
  });
});
