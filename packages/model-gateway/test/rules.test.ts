import { describe, expect, it, test } from "vitest";
import { readAuthority } from "../src/server/hosts/authority.ts";
import { HostRules } from "../src/server/hosts/host-rules.ts";
import { isPublicAddress } from "../src/server/hosts/public-address.ts";
import { readTarget } from "../src/server/hosts/target.ts";
import { apiRoutes, matchRoute, upstreamPath } from "../src/server/models/routes.ts";

const allowed = (rules: string[], text: string): boolean => {
  const to = readAuthority(text);
  return to !== undefined && new HostRules(rules).allows(to);
};

test("a host with headers is led by its own entry alone, whatever else opens its name", () => {
  const to = { host: "npm.corp.example", port: 8080 };
  const entry = { host: to.host, port: to.port, addresses: ["10.0.0.0/8"] };
  const headers = { authorization: "Bearer {secret:npm}" };
  const addresses = ["9.9.9.9", "10.1.2.3"];
  const allowedBy = (...rules: ConstructorParameters<typeof HostRules>[0]) =>
    addresses.filter((address) => new HostRules(rules).allowsAddress(to, address));
  expect(allowedBy("*.corp.example:8080", entry)).toEqual(addresses);
  expect(allowedBy("*.corp.example:8080", { ...entry, headers })).toEqual(["10.1.2.3"]);
});

describe("a host rule", () => {
  it.each([
    ["registry.npmjs.org", "registry.npmjs.org:443"],
    ["registry.npmjs.org", "REGISTRY.npmjs.ORG:443"],
    ["*.example.com:8443", "a.example.com:8443"],
    ["*.example.com:8443", "a.b.example.com:8443"],
    ["localhost:3000", "localhost:3000"],
    ["10.1.2.3:443", "10.1.2.3:443"],
    ["[::1]:443", "[0:0:0:0:0:0:0:1]:443"],
  ])("%s lets %s through", (rule, asked) => expect(allowed([rule], asked)).toBe(true));

  it.each([
    ["registry.npmjs.org", "registry.npmjs.org:80"],
    ["registry.npmjs.org", "registry.npmjs.org.evil.com:443"],
    ["registry.npmjs.org", "evilregistry.npmjs.org:443"],
    ["registry.npmjs.org", "registry.npmjs.org.:443"],
    ["registry.npmjs.org", "registry.npmjs.org"],
    ["registry.npmjs.org", "registry.npmjs.org:0443x"],
    ["registry.npmjs.org", "user@registry.npmjs.org:443"],
    ["registry.npmjs.org", "registry.npmjs.org:443@evil.com:443"],
    ["registry.npmjs.org", "registry.npmjs.org:443/x"],
    ["registry.npmjs.org", " registry.npmjs.org:443"],
    ["registry.npmjs.org", "registry.npmjs.org%00.evil.com:443"],
    ["registry.npmjs.org", "registry。npmjs。org:443"],
    ["*.example.com", "example.com:443"],
    ["*.example.com", "evilexample.com:443"],
    ["*.example.com", ".example.com:443"],
    ["*.example.com", "a..example.com:443"],
    ["*.example.com", "-.example.com:443"],
    ["127.0.0.1:443", "127.1:443"],
    ["127.0.0.1:443", "2130706433:443"],
    ["127.0.0.1:443", "0x7f000001:443"],
    ["127.0.0.1:443", "0x7f.0.0.1:443"],
    ["127.0.0.1:443", "0177.0.0.1:443"],
    ["127.0.0.1:443", "127.000.000.001:443"],
    ["127.0.0.1:443", "[::ffff:127.0.0.1]:443"],
    ["127.0.0.1:443", "[::ffff:7f00:1]:443"],
    ["127.0.0.1:443", "[::127.0.0.1]:443"],
    ["127.0.0.1:443", "127.0.0.1.:443"],
    ["[::1]", "[::1%lo]:443"],
  ])("%s does not let %s through", (rule, asked) => expect(allowed([rule], asked)).toBe(false));

  it.each([
    "",
    "*",
    "*.",
    "*.com",
    "*.co.uk",
    "127.0.0.1",
    "169.254.169.254",
    "*.*.example.com",
    "a.*.com",
    "*.10.0.0.1",
    "127.1",
    "2130706433",
    "exa mple.com",
    "example.com.",
    "http://example.com",
    "example.com:0",
    "example.com:65536",
    "a/b",
  ])("%j is refused with an explanation", (rule) =>
    expect(() => new HostRules(["registry.npmjs.org", rule])).toThrow(
      expect.objectContaining({ name: "UserError", exitCode: 2 }),
    ),
  );
});

describe("an address is", () => {
  it.each(["1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1", "64:ff9b::101:101"])(
    "public: %s",
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );
  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:1.1.1.1",
    "::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::",
    "64:ff9b:1::1",
    "3fff::1",
    "example.com",
    "",
  ])("not public: %s", (ip) => expect(isPublicAddress(ip)).toBe(false));

  it("only allowed where it is listed with that port", () => {
    const inner = ["inner.example.com", "inner.example.com:8080"];
    const rules = new HostRules([...inner, "10.1.2.3", "127.0.0.1:8080", "[fd00::1]"]);
    const allows = (address: string, port: number) => rules.allowsAddress({ host: "inner.example.com", port }, address);
    expect(allows("10.1.2.3", 443)).toBe(true);
    expect(allows("10.1.2.3", 8080)).toBe(false);
    expect(allows("127.0.0.1", 8080)).toBe(true);
    expect(allows("127.0.0.2", 8080)).toBe(false);
    expect(allows("fd00:0::1", 443)).toBe(true);
    expect(allows("::ffff:10.1.2.3", 443)).toBe(false);
    expect(allows("1.1.1.1", 443)).toBe(true);
    expect(rules.allowsAddress({ host: "other.example.com", port: 443 }, "1.1.1.1")).toBe(false);
  });

  const at = (addresses: string[], port?: number) => ({
    host: "*.corp.example",
    addresses,
    ...(port === undefined ? {} : { port }),
  });
  const leads = (spec: ReturnType<typeof at>, address: string) =>
    new HostRules([spec]).allowsAddress({ host: "npm.corp.example", port: spec.port ?? 443 }, address);
  it.each([
    [at(["10.0.0.0/8"]), "10.2.0.7"],
    [at(["10.0.0.0/8", "192.168.7.0/24"]), "192.168.7.9"],
    [at(["fd12:3456::/32"]), "fd12:3456::7"],
    [at(["93.184.216.0/24"]), "93.184.216.34"],
    [at(["127.0.0.1"], 8080), "127.0.0.1"],
    [at(["::1"], 8080), "::1"],
    [at(["169.254.10.1"], 80), "169.254.10.1"],
  ])("within the range that a person gives: %j takes %s", (spec, address) => expect(leads(spec, address)).toBe(true));

  it.each([
    [at(["10.0.0.0/8"]), "11.0.0.1"],
    [at(["10.0.0.0/8"]), "1.1.1.1"],
    [at(["10.0.0.0/8"]), "127.0.0.1"],
    [at(["10.0.0.0/8"]), "169.254.169.254"],
    [at(["10.0.0.0/8"]), "::ffff:10.2.0.7"],
    [at(["10.0.0.0/8"]), "64:ff9b::a02:7"],
    [at(["10.0.0.0/8"]), "2002:a02:7::"],
    [at(["10.0.0.0/8"]), "::ffff:127.0.0.1"],
    [at(["10.0.0.0/8"]), "not an address"],
    [at(["100.64.0.0/10"]), "100.100.100.200"],
    [at(["192.0.0.0/24"]), "192.0.0.192"],
    [at(["fd00::/8"]), "fd00:ec2::254"],
    [at(["126.0.0.0/8", "127.0.0.2"], 8080), "127.0.0.1"],
    [at(["127.0.0.1"], 8080), "::ffff:127.0.0.1"],
  ])("never beyond it: %j refuses %s", (spec, address) => expect(leads(spec, address)).toBe(false));

  it.each([
    [at(["0.0.0.0/0"]), "too wide"],
    [at(["10.0.0.0/7"]), "too wide"],
    [at(["::/0"]), "too wide"],
    [at(["10.0.0.1/8"]), "is not a range"],
    [at(["10.0.0"]), "is not a range"],
    [at(["example.com"]), "is not a range"],
    [at(["127.0.0.0/8"], 8080), "leads to this machine"],
    [at(["127.0.0.1"]), "leads to this machine"],
    [at(["169.254.169.254"]), "leads to this machine"],
    [at(["169.254.0.0/16"], 80), "leads to this machine"],
    [at(["::ffff:10.0.0.0/104"], 80), "leads to this machine"],
    [at(["64:ff9b::/96"], 80), "leads to this machine"],
    [{ ...at(["10.0.0.0/8"]), host: "*.example" }, "two parts or more"],
    [{ ...at(["10.0.0.0/8"]), host: "*.co.uk" }, "many owners"],
  ])("not to be opened: %j", (spec, why) =>
    expect(() => new HostRules([spec])).toThrow(expect.objectContaining({ exitCode: 2, why: expect.stringContaining(why) })),
  );
});

describe("the routes", () => {
  it.each([
    ["anthropic", "POST", "/v1/messages"],
    ["anthropic", "POST", "/v1/messages?beta=true"],
    ["anthropic", "POST", "/v1/messages/count_tokens?beta=true"],
    ["anthropic", "GET", "/v1/models?limit=1000"],
    ["anthropic", "GET", "/v1/models/mock-small-1"],
    ["openai", "POST", "/v1/responses"],
    ["openai", "POST", "/v1/chat/completions"],
    ["openai", "GET", "/v1/models?client_version=0.169.0"],
  ] as const)("%s has %s %s", (api, method, target) =>
    expect(matchRoute(apiRoutes({ api }), method, target).method).toBe(method),
  );

  it.each([
    ["anthropic", "GET", "/v1/messages"],
    ["anthropic", "DELETE", "/v1/messages"],
    ["anthropic", "POST", "/v1/files"],
    ["anthropic", "POST", "/v1/messages/batches"],
    ["anthropic", "POST", "/v1/messages/"],
    ["anthropic", "POST", "/v1/messages/../files"],
    ["anthropic", "POST", "/v1/messages/count_tokens/../../files"],
    ["anthropic", "POST", "/v1/messages/%2e%2e/files"],
    ["anthropic", "POST", "/v1%2fmessages"],
    ["anthropic", "POST", "/v1/messages%2f..%2ffiles"],
    ["anthropic", "POST", "/v1/messages%00"],
    ["anthropic", "POST", "/v1/./messages"],
    ["anthropic", "POST", "//v1/messages"],
    ["anthropic", "POST", "/V1/messages"],
    ["anthropic", "POST", "/v1/messages;x=1"],
    ["anthropic", "POST", "/v1/messages\n"],
    ["anthropic", "POST", "/v1/messages?api_key=sk-of-somebody"],
    ["anthropic", "POST", "/v1/messages?beta=true&beta=true"],
    ["anthropic", "POST", "/v1/messages?beta=true&key=1"],
    ["anthropic", "POST", "/v1/messages?beta=true=x"],
    ["anthropic", "POST", "/v1/messages?beta=tru%65"],
    ["anthropic", "POST", "/v1/messages?beta=true?key=1"],
    ["anthropic", "POST", "/v1/messages?__proto__=1"],
    ["anthropic", "GET", "/v1/models/.."],
    ["anthropic", "GET", "/v1/models/a/b"],
    ["anthropic", "POST", "/v1/responses"],
    ["openai", "POST", "/v1/messages"],
    ["openai", "GET", "/v1/responses/resp_1"],
    ["openai", "POST", "/v1/files"],
    ["openai", "DELETE", "/v1/models/mock"],
  ] as const)("%s has no %s %s, and says no value of it", (api, method, target) => {
    const refused = () => matchRoute(apiRoutes({ api }), method, target);
    expect(refused).toThrow(expect.objectContaining({ name: "Refusal", status: 403 }));
    expect(refused).not.toThrow("sk-of-somebody");
  });

  it("lead to where the vendor's base URL says", () => {
    expect(upstreamPath("anthropic", new URL("https://api.anthropic.com"), "/v1/messages?beta=true")).toBe(
      "/v1/messages?beta=true",
    );
    expect(upstreamPath("anthropic", new URL("https://own.example/proxy/"), "/v1/messages")).toBe("/proxy/v1/messages");
    expect(upstreamPath("openai", new URL("https://api.openai.com/v1"), "/v1/responses")).toBe("/v1/responses");
  });
});

describe("a request's target", () => {
  it.each([
    ["/v1/messages?a=b", { form: "origin", path: "/v1/messages?a=b" }],
    ["http://Example.com/x?y", { form: "absolute", to: { host: "example.com", port: 80 }, path: "/x?y" }],
    ["HTTP://example.com:8080", { form: "absolute", to: { host: "example.com", port: 8080 }, path: "/" }],
    ["http://example.com?x", { form: "absolute", to: { host: "example.com", port: 80 }, path: "/?x" }],
  ])("%s is read", (text, target) => expect(readTarget(text)).toEqual(target));

  it.each([
    "*",
    "",
    "x",
    "https://example.com/",
    "ftp://example.com/",
    "http:///x",
    "http://u:p@example.com/",
    "http://2130706433/",
    "http://exa\\mple.com/",
    "/x y",
    "/x\\..\\y",
    "/x#y",
    "/x\u0001",
    "/ü",
    "file:///etc/passwd",
    "http://[::1",
    "javascript:1",
  ])("%j is none", (text) => expect(readTarget(text)).toBeUndefined());
});
