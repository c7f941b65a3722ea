import { arePrivateRanges } from "@loopdash/model-gateway";
import { HostRules } from "@loopdash/model-gateway/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchText, batchValue, told, words } from "./sample.ts";

const policy = (hosts: object): Record<string, unknown> => ({ sandboxPolicy: { hosts } });

/** What the batch says of one host, and what the gateway says. */
function judged(host: string): readonly [batch: boolean, gateway: boolean] {
  const { success } = BatchFile.safeParse(batchValue(policy({ agent: [host] })));
  return [success && words(policy({ agent: [host] })).join("") === "", opens(host)];
}

function opens(host: string): boolean {
  try {
    return new HostRules([host]) !== undefined;
  } catch {
    return false;
  }
}

it.each([
  [["10.0.0.0/8"], true],
  [["127.0.0.1"], true],
  [["fd00::/8", "192.168.4.0/24"], true],
  [[], false],
  [["93.184.216.0/24"], false],
  [["127.0.0.1", "93.184.216.34"], false],
  [["172.0.0.0/8"], false],
  [["nowhere"], false],
])("ranges %s are private: %s", (ranges, isPrivate) => {
  expect(arePrivateRanges(ranges)).toBe(isPrivate);
});

describe("hosts of a batch", () => {
  it("that no gateway could open are refused when the batch is read, each at its place", () => {
    const text = `${batchText().slice(0, -1)},
"sandboxPolicy": {"hosts": {
  "prepare": ["registry.npmjs.org",
    "*.com"],
  "agent": ["2130706433", "a..b", "example.com:99999", "*.10.0.0.1", "example.com:0"]}}}`;
    expect(told(text)).toBe(
      [
        'batch.json:4:5  sandboxPolicy.hosts.prepare[1]: "*.com" is too wide: two parts or more must follow the star',
        'batch.json:5:13  sandboxPolicy.hosts.agent[0]: "2130706433" is neither a host name nor an IP address',
        'batch.json:5:27  sandboxPolicy.hosts.agent[1]: "a..b" is neither a host name nor an IP address',
        'batch.json:5:35  sandboxPolicy.hosts.agent[2]: "example.com:99999" has a port outside 1 to 65535',
        'batch.json:5:56  sandboxPolicy.hosts.agent[3]: "*.10.0.0.1" is too wide: two parts or more must follow the star',
        'batch.json:5:70  sandboxPolicy.hosts.agent[4]: "example.com:0" has a port outside 1 to 65535',
      ]
        .map((line) => `${line}; write "name", "*.name" or "name:port"`)
        .join("\n"),
    );
  });

  it("that are narrow enough are taken, with any port that there is", () => {
    const agent = ["*.example.com", "10.0.0.1", "localhost", "example.com:1", "*.example.com:65535"];
    expect(words(policy({ agent }))).toEqual([""]);
  });

  it("with private addresses are taken where a person gives a range, and a mistake in one is told at its place", () => {
    const told = (host: unknown) => words(policy({ agent: [host] })).join("");
    expect(told({ host: "npm.corp.example", addresses: ["10.0.0.0/8", "fd12::/16"] })).toBe("");
    expect(told({ host: "*.corp.example", addresses: ["10.0.0.0/8"], port: 8443 })).toBe("");
    expect(told({ host: "localhost", addresses: ["127.0.0.1"], port: 8080 })).toBe("");
    const at = "sandboxPolicy.hosts.agent[0]";
    expect(told({ host: "a.b", adresses: ["10.0.0.0/8"], addresses: ["10.0.0.0/8"] })).toBe(
      `${at}: unknown key "adresses"; did you mean "addresses"?`,
    );
    expect(told({ host: "a.b" })).toBe(`${at} must have "addresses", "headers" or both`);
    expect(told({ host: "a.b:1", addresses: ["10.0.0.0/8"] })).toBe(`${at}.host: use a host name without a port`);
    expect(told(5)).toBe(`${at}: write a host name, or {"host": "…", "addresses": ["…"]}`);
    const how = 'write {"host": "npm.corp.example", "addresses": ["10.0.0.0/8"]}';
    expect(told({ host: "a.b", addresses: ["10.0.0.1/8"] })).toBe(
      `${at}: "10.0.0.1/8" is not a range of addresses, such as 10.0.0.0/8; ${how}`,
    );
    expect(told({ host: "localhost", addresses: ["127.0.0.1"] })).toBe(
      `${at}: "127.0.0.1" leads to this machine or its link: give the one address, and a "port"; ${how}`,
    );
    expect(told({ host: "*.co.uk", addresses: ["10.0.0.0/8"] })).toContain("names of many owners end in co.uk");
  });

  it("for a step that the batch has not would open nothing, and are refused", () => {
    const finish = [{ step: "check", name: "tests", command: ["x"] }, { step: "merge" }, { step: "assert" }];
    expect(words({ finish, ...policy({ tests: ["a.example"], prepare: [], agent: [] }) })).toEqual([""]);
    expect(words({ finish, ...policy({ test: ["a.example"] }) })).toEqual([
      'sandboxPolicy.hosts.test: no step is named "test"; did you mean "tests"?',
    ]);
    expect(words({ finish, ...policy({ zzzzzz: [] }) })).toEqual([
      'sandboxPolicy.hosts.zzzzzz: no step is named "zzzzzz"; known here: prepare, agent, blocker, adjudicator, tests',
    ]);
    const ticket = { id: "T-1", title: "one", finish: [{ step: "merge" }, { step: "verify", name: "live", command: ["x"] }] };
    expect(words({ tickets: [ticket], ...policy({ live: ["a.example"] }) })).toEqual([""]);
  });

  const piece = fc.constantFrom("*", ".", "-", "a", "b1", "1", "10", "256", "0x1f", "com", ":", "443", "0", "70000", "01");
  it("are taken by the batch where the gateway takes them, and only there", () => {
    const label = fc.string({ unit: fc.constantFrom("a", "1", "-"), minLength: 60, maxLength: 66 });
    const text = fc.oneof(
      fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join("")),
      fc.tuple(label, fc.constantFrom("", ".com", ":80")).map((pieces) => pieces.join("")),
      fc.nat({ max: 130 }).map((n) => `${"a.".repeat(n)}com`),
    );
    fc.assert(
      fc.property(text, (host) => {
        const [batch, gateway] = judged(host);
        expect([host, batch]).toEqual([host, gateway]);
      }),
      { numRuns: 500 },
    );
  });
});
