import { describe, expect, it, test } from "vitest";
import { parseFailedJob } from "../src/findings.ts";
import { equalInARow, failureSignature, findingIdentity, normalisedMessage } from "../src/identity.ts";

const of = (message: string) => findingIdentity({ tool: "vitest", test: "a > b", message });

describe("the identity of a failure", () => {
  test.for([
    ["a time", "failed at 2026-11-26T16:39:52.910Z", "failed at 2026-11-27 01:02:03"],
    ["a clock", "16:39:52 timed out", "16:40:01.5 timed out"],
    ["a date in words", "Thu, 26 Nov 2026 was refused", "Fri, 27 Nov 2026 was refused"],
    ["seconds since the epoch", "token of 1795711143305 is old", "token of 1795711378132 is old"],
    ["a duration", "timed out after 5000ms", "timed out after 5003 ms"],
    ["a duration of Go", "test timed out after 1m30s", "test timed out after 1m31s"],
    ["an address in memory", "<Order object at 0x7f7110236290>", "<Order object at 0x7f085cab5810>"],
    ["a UUID", "no row 0b9f2c1e-1f2a-4b3c-8d4e-5f6a7b8c9d0e", "no row 1c9f2c1e-1f2a-4b3c-8d4e-5f6a7b8c9d0f"],
    ["an object name", "commit ce93d1fc is missing", "commit be469d48 is missing"],
    ["a port", "connect ECONNREFUSED 127.0.0.1:41234", "connect ECONNREFUSED 127.0.0.1:38001"],
    ["a port of localhost", "no answer of http://localhost:3001/a", "no answer of http://localhost:4002/a"],
    ["a process", "pid 4711 died", "pid 12 died"],
    ["a temporary folder", "ENOENT: /tmp/app-x1Yz/data.json", "ENOENT: /var/folders/b/app-7Qk/data.json"],
    ["a checkout", "cannot read 'file:///home/a/1/src/x.mjs'", "cannot read 'file:///home/b/2/src/x.mjs'"],
    ["a position", "at src/a.ts:3:5 and (src/b.ts(7,1))", "at src/a.ts:13:9 and (src/b.ts(8,2))"],
    ["a line", "line 7: it is no number", "line 71: it is no number"],
    ["the plainest name of an error", "Error: no module a", "no module a"],
    ["blanks", "a  b\n\n c", "a b\nc"],
  ] as const)("does not change with %s", ([, one, other]) => {
    expect(of(one), normalisedMessage(other)).toBe(of(other));
  });

  test.for([
    ["values", "expected 3 to be 4", "expected 3 to be 5"],
    ["values of decimals", "expected 0.3 to be 0.30000000000000004", "expected 0.3 to be 0.4"],
    ["words", "no order", "no orders"],
    ["files", "cannot read /tmp/x/a.json", "cannot read /tmp/x/b.json"],
    ["kinds of errors", "TypeError: no", "RangeError: no"],
    ["what stands behind the first 50 characters (S4.37)", `${"x".repeat(60)} one`, `${"x".repeat(60)} two`],
    ["what stands in later lines", "not equal\nExpected: 1", "not equal\nExpected: 2"],
    ["words of letters alone that could be hexadecimal", "deadbeef", "feedface"],
  ] as const)("changes with %s", ([, one, other]) => {
    expect(of(one)).not.toBe(of(other));
  });

  it("changes with the test, and else with the file, but not with the line", () => {
    expect(findingIdentity({ tool: "t", test: "a", message: "m" })).not.toBe(
      findingIdentity({ tool: "t", test: "b", message: "m" }),
    );
    expect(findingIdentity({ tool: "t", file: "a.ts", message: "m" })).not.toBe(
      findingIdentity({ tool: "t", file: "b.ts", message: "m" }),
    );
    const log = (line: number) => parseFailedJob({ job: "types", log: `src/a.ts(${line},3): error TS2322: No.` }).findings[0];
    expect(log(3)?.identity).toBe(log(30)?.identity);
    expect(log(3)?.line).not.toBe(log(30)?.line);
  });

  it("is made of the whole message, of which a finding shows the beginning", () => {
    const finding = (last: string) =>
      parseFailedJob({ job: "types", log: `src/a.ts(1,1): error TS1: ${"x ".repeat(300)}${last}` }).findings[0];
    const log = (last: string) => `src/a.ts(1,1): error TS2322: ${"x ".repeat(300)}${last}`;
    const [one, two] = ["one", "two"].map((last) => parseFailedJob({ job: "types", log: log(last) }).findings[0]);
    expect(finding("one")?.tool).toBe("log");
    expect(one?.message).toBe(two?.message);
    expect(one?.identity).not.toBe(two?.identity);
  });
});

describe("the signature of failures", () => {
  const signature = (...identities: readonly string[]) => failureSignature(identities.map((identity) => ({ identity })));

  it("depends on the set of identities alone", () => {
    expect(signature("a", "b")).toBe(signature("b", "a", "a"));
    expect(signature("a")).not.toBe(signature("a", "b"));
    expect(signature('a","b')).not.toBe(signature("a", "b"));
  });

  it("does not exist without a finding", () => {
    expect(signature()).toBeUndefined();
  });

  it("is counted at the end, in a row (S4.38)", () => {
    const [two, one] = [signature("a", "b"), signature("a")];
    expect(equalInARow([one, one, one])).toBe(3);
    // Two failures, then one of them three times: the source's breaker never trips on this.
    expect(equalInARow([two, two, one, one, one])).toBe(3);
    expect(equalInARow([one, two, one])).toBe(1);
    expect(equalInARow([one, one, undefined])).toBe(0);
    expect(equalInARow([undefined, one])).toBe(1);
    expect(equalInARow([])).toBe(0);
  });
});
