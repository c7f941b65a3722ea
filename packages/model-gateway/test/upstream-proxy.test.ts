import { describe, expect, it } from "vitest";
import { UpstreamProxy } from "../src/server/hosts/upstream-proxy.ts";
import { connectProxy } from "./connect-proxy.ts";
import { scratchFolder } from "./scratch.ts";
import { anthropicAnswer, ask, gatewayOf, json, message, modelGateway, raw, standIn } from "./stage.ts";

const folder = scratchFolder();
const LOGIN = "worker:p@ss:w%rd";
const URL_OF = (port: number) => `http://worker:p%40ss%3Aw%25rd@127.0.0.1:${port}`;
const unknown = () => Promise.reject(new Error("no such name"));

const tunnelled = (host: string) =>
  `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\nGET /page HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe("a machine with a proxy", () => {
  const world = async (over: { hosts?: string[]; resolve?: (name: string) => Promise<readonly string[]>; env?: object } = {}) => {
    const host = await standIn((_req, res) => void res.end("from the host"));
    const proxy = await connectProxy(LOGIN, host.port);
    const env = { HTTPS_PROXY: URL_OF(proxy.port), HTTP_PROXY: URL_OF(proxy.port), ...over.env };
    const hosts = over.hosts ?? ["registry.example.com", "registry.example.com:80"];
    const gateway = await gatewayOf({ folder: folder(), hosts, proxyEnv: env, resolve: over.resolve ?? unknown });
    return { host, proxy, gateway };
  };

  it("is left through it by tunnel, with its password, of which neither side of the tunnel sees anything", async () => {
    const { host, proxy, gateway } = await world();
    const text = await raw(gateway, tunnelled("registry.example.com:443"));
    expect(text).toContain("from the host");
    expect(proxy.asked).toEqual([{ target: "registry.example.com:443", credentials: LOGIN }]);
    expect(text + JSON.stringify(host.seen)).not.toMatch(/p@ss|p%40ss|proxy-auth|d29ya2Vy/i);
    expect(gateway.totals()).toMatchObject({ tunnels: 1, refused: 0 });
  });

  it("is left through it for plain HTTP too, whatever the program says of proxies itself", async () => {
    const { host, proxy, gateway } = await world();
    const headers = { "proxy-authorization": "Basic b3RoZXI6b25l" };
    const reply = await ask(gateway, { method: "GET", path: "http://registry.example.com/page", headers });
    expect(reply).toMatchObject({ status: 200, text: "from the host" });
    expect(proxy.asked).toEqual([{ target: "http://registry.example.com/page", credentials: LOGIN }]);
    expect(JSON.stringify(host.seen)).not.toMatch(/proxy-auth/i);
  });

  it("reaches nothing else through it than what is open", async () => {
    const { proxy, gateway } = await world();
    expect(await raw(gateway, tunnelled("evil.example.com:443"))).toMatch(/^HTTP\/1.1 403 /);
    expect((await ask(gateway, { method: "GET", path: "http://evil.example.com/" })).status).toBe(403);
    expect((await ask(gateway, { method: "GET", path: `http://127.0.0.1:${proxy.port}/` })).status).toBe(403);
    expect(proxy.asked).toEqual([]);
  });

  it("does not ask it for a name that leads into the machine or its network, as far as it knows", async () => {
    const { proxy, gateway } = await world({ resolve: async () => ["93.184.216.34", "10.0.0.7"] });
    expect(await raw(gateway, tunnelled("registry.example.com:443"))).toMatch(/^HTTP\/1.1 403 /);
    expect((await ask(gateway, { method: "GET", path: "http://registry.example.com/" })).status).toBe(403);
    expect(proxy.asked).toEqual([]);
    expect(gateway.totals().blocked).toMatchObject([{ address: "10.0.0.7" }, { address: "10.0.0.7", port: 80 }]);
  });

  it("leaves without it for what NO_PROXY names", async () => {
    const { proxy, gateway } = await world({ env: { NO_PROXY: "other.example, .example.com" } });
    expect(await raw(gateway, tunnelled("registry.example.com:443"))).toMatch(/^HTTP\/1.1 502 /);
    expect(proxy.asked).toEqual([]);
  });

  it("says what is wrong with it, and nothing of its password", async () => {
    const host = await standIn((_req, res) => void res.end());
    const proxy = await connectProxy("worker:another", host.port);
    const proxyEnv = { https_proxy: URL_OF(proxy.port) };
    const gateway = await gatewayOf({ folder: folder(), hosts: ["registry.example.com"], proxyEnv, resolve: unknown });
    const text = await raw(gateway, tunnelled("registry.example.com:443"));
    expect(text).toMatch(/^HTTP\/1.1 502 /);
    expect(text).toContain(
      `the machine's proxy 127.0.0.1:${proxy.port} refused registry.example.com:443 (407: it wants other cred`,
    );
    expect(text + JSON.stringify([...gateway.totals().refusals])).not.toMatch(/p@ss|p%40ss|d29ya2Vy/);
    const gone = await gatewayOf({
      ...{ folder: folder(), hosts: ["registry.example.com"], resolve: unknown },
      proxyEnv: { HTTPS_PROXY: "http://worker:p%40ss@127.0.0.1:1" },
    });
    expect(await raw(gone, tunnelled("registry.example.com:443"))).toContain("the machine's proxy 127.0.0.1:1 cannot be reached");
  });

  it("reaches its model through it as well", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const proxy = await connectProxy(LOGIN, vendor.port);
    const over = { baseUrl: "http://api.example.com" };
    const { gateway } = await modelGateway(folder(), vendor.port, over, { proxyEnv: { HTTP_PROXY: URL_OF(proxy.port) } });
    expect(await ask(gateway, { body: message() })).toMatchObject({ status: 200 });
    expect(proxy.asked).toEqual([{ target: "http://api.example.com/v1/messages", credentials: LOGIN }]);
  });
});

describe("the proxy's variables", () => {
  const used = (env: NodeJS.ProcessEnv, host: string, kind: "https" | "http" = "https", port = 443) =>
    new UpstreamProxy(env).for({ host, port }, kind)?.url.host;
  const P = "http://proxy.example:3128";

  it.each([
    [{ HTTPS_PROXY: P }, "a.example", "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: P }, "a.example", "http", undefined],
    [{ https_proxy: P, HTTPS_PROXY: "http://other:1" }, "a.example", "https", "proxy.example:3128"],
    [{ ALL_PROXY: P }, "a.example", "http", "proxy.example:3128"],
    [{ HTTPS_PROXY: "proxy.example:3128" }, "a.example", "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: P }, "localhost", "https", undefined],
    [{ HTTPS_PROXY: P }, "127.0.0.9", "https", undefined],
    [{ HTTPS_PROXY: P }, "::1", "https", undefined],
    [{ HTTPS_PROXY: P, NO_PROXY: "*" }, "a.example", "https", undefined],
    [{ HTTPS_PROXY: P, NO_PROXY: "a.example" }, "b.a.example", "https", undefined],
    [{ HTTPS_PROXY: P, NO_PROXY: "a.example" }, "ba.example", "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: P, NO_PROXY: "*.a.example" }, "b.a.example", "https", undefined],
    [{ HTTPS_PROXY: P, NO_PROXY: "a.example:8443" }, "a.example", "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: P, NO_PROXY: "a.example:443" }, "a.example", "https", undefined],
    [{ HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8" }, "10.2.3.4", "https", undefined],
    [{ HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8" }, "11.2.3.4", "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: P, NO_PROXY: "fd00::/8" }, "fd00::1", "https", undefined],
  ] as const)("%j: %s by %s", (env, host, kind, expected) => expect(used(env, host, kind)).toBe(expected));

  it("that name no proxy which can be used are told without their value", () => {
    const { problems } = new UpstreamProxy({ HTTPS_PROXY: "socks5://user:p4ss@proxy:1", HTTP_PROXY: "http://" });
    expect(problems).toEqual(["HTTPS_PROXY is not an http or https address", "HTTP_PROXY is not an http or https address"]);
  });
});
