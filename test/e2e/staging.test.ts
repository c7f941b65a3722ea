import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { listening } from "../../packages/model-gateway/test/stage.ts";
import { HONEST, Stage } from "./stage.ts";

/** A staging service on loopback that answers who has its token, which it may change, and notes what it was sent. */
async function staging(first: string) {
  const sent: (string | undefined)[] = [];
  const service = { port: 0, sent, token: first, onAnswer: (): void => undefined };
  const server = createServer((req, res) => {
    const { authorization } = req.headers;
    sent.push(authorization);
    const isAdmin = req.url?.endsWith("/admin") === true;
    const isKnown = !isAdmin && authorization === `Bearer ${service.token}`;
    res.writeHead(isKnown ? 200 : 401).end(isKnown ? "version 2\n" : "who are you?\n");
    if (isKnown) service.onAnswer();
  });
  service.port = await listening(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return service;
}

/** A run whose `verify` asks http://localhost:PORT, to which the gateway adds the token. */
async function verifies(
  service: Awaited<ReturnType<typeof staging>>,
  script: (url: string) => string,
  {
    secrets,
    check,
    ...over
  }: { readonly secrets: (stage: Stage) => object; readonly check?: (url: string) => string; readonly [key: string]: unknown },
) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  const url = `http://localhost:${service.port}/version`;
  stage.repo("app");
  stage.agent(HONEST);
  const host = { host: "localhost", addresses: ["127.0.0.1"], port: service.port };
  const batch = stage.batch(["T-1"], {
    sandbox: "required",
    limits: { attempts: 1 },
    secrets: { staging: secrets(stage) },
    sandboxPolicy: { hosts: { live: [{ ...host, headers: { authorization: "Bearer {secret:staging}" } }] } },
    finish: [
      ...(check === undefined ? [] : [{ step: "check", name: "tests", command: ["sh", "-c", check(url)] }]),
      { step: "merge" },
      { step: "verify", name: "live", command: ["sh", "-c", script(url)], expect: { text: "version 2" } },
    ],
    ...over,
  });
  return { stage, ...(await stage.events(batch)) };
}

describe("a staging service on this machine that wants a token", { timeout: 300_000 }, () => {
  test("is read by a verify whose requests the gateway completes, and by no check", async () => {
    const service = await staging("staging/Token+4711-not-for-agents");
    const { stage, code, stdout } = await verifies(service, (url) => `env; curl -sS --fail ${url}`, {
      secrets: (at) => ({ file: at.write("token", `${service.token}\n`) }),
      check: (url) => `! curl -sS --fail --max-time 5 ${url}`,
    });
    expect(code, stdout.slice(-3000)).toBe(0);
    expect(new Set(service.sent)).toEqual(new Set([`Bearer ${service.token}`]));
    for (const text of [stdout, stage.everything()]) {
      expect(text).not.toContain(service.token);
      expect(text).not.toContain("[secret staging]");
    }
  });

  test("that refuses the token is named where the failed check is told", async () => {
    const service = await staging("the-token-of-staging");
    const { code, events } = await verifies(service, (url) => `curl -sS --fail ${url}`, {
      secrets: (at) => ({ file: at.write("token", "another-token-of-staging\n") }),
    });
    expect(code).toBe(1);
    expect(JSON.stringify(events)).toContain(`exited with code 22; localhost:${service.port} answered 401 to the secret`);
  });

  test("that refuses the token reverts nothing and starts no agent: only a person can renew it", async () => {
    const service = await staging("the-token-of-staging");
    const { stage, code, events } = await verifies(service, (url) => `curl -sS --fail ${url}`, {
      secrets: (at) => ({ file: at.write("token", "another-token-of-staging\n") }),
      limits: { attempts: 3 },
      live: { repeats: 1, everySeconds: 0.1 },
      onBroken: "revert",
    });
    expect(code).toBe(1);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "attempt-claimed")).toHaveLength(1);
    expect(types.filter((type) => type.startsWith("revert"))).toEqual([]);
    const { tickets } = await stage.report();
    expect(tickets).toMatchObject([
      { state: "open", landed: { givenUp: expect.stringContaining("answered 401 to the secret") } },
    ]);
    const { stdout } = await stage.run(["report", "--md"]);
    expect(stdout).toContain('answered 401 to the secret "staging"');
  });

  test("that accepts the token, and refuses only what a change asks for, reverts that change", async () => {
    const service = await staging("the-token-of-staging");
    const { code, events } = await verifies(service, (url) => `curl -sS --fail ${url} && curl -sS --fail ${url}/admin`, {
      secrets: (at) => ({ file: at.write("token", "the-token-of-staging\n") }),
      live: { repeats: 1, everySeconds: 0.1 },
      onBroken: "revert",
    });
    expect(code).toBe(1);
    expect(events.map(({ type }) => type)).toContain("revert-landed");
  });

  test("that changes its token while a verify runs is asked again with a new one, which is fetched once", async () => {
    const service = await staging("first-token-of-staging");
    const second = "second-token-of-staging";
    const { stage, code, stdout } = await verifies(
      service,
      // The first answer is the last one to the first token.
      (at) => `curl -sS --fail -o /dev/null ${at} || exit 1; until curl -sS --fail ${at}; do sleep 0.5; done`,
      {
        secrets: (at) => {
          at.write("token", service.token);
          service.onAnswer = () => {
            service.token = second;
            at.write("token", second);
            service.onAnswer = () => undefined;
          };
          return { command: ["/bin/sh", "-c", `echo x >>${at.path("fetches")}; cat ${at.path("token")}`] };
        },
      },
    );
    expect(code, stdout.slice(-3000)).toBe(0);
    expect(service.sent[0]).toBe("Bearer first-token-of-staging");
    expect(service.sent.at(-1)).toBe("Bearer second-token-of-staging");
    expect(readFileSync(stage.path("fetches"), "utf8")).toBe("x\nx\n");
    expect(stdout + stage.everything()).not.toMatch(/(?:first|second)-token-of-staging/);
  });
});
