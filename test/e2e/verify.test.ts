import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "./actors.ts";
import { HONEST, Stage } from "./stage.ts";

/**
 * A live thing: a server with an environment per path. Each answers its n-th request with the n-th of its answers, the last one
 * from then on: `[status, body]`. Who asked for what is kept in `asked`.
 */
const LIVE = `import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
const answers = JSON.parse(process.argv[2]), asked = {};
const server = createServer((request, response) => {
  const at = request.url.slice(1);
  appendFileSync(process.argv[3], at + "\\n");
  const n = asked[at] ?? 0;
  asked[at] = n + 1;
  const [status, body] = answers[at][Math.min(n, answers[at].length - 1)];
  response.writeHead(status).end(body);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** Prints what the live thing says; where it says no, fails as \`curl --fail\` does. */
const LOOK = `const response = await fetch(process.argv[2]);
if (!response.ok) { console.error("curl: (22) The requested URL returned error: " + response.status); process.exit(22); }
console.log(await response.text());
`;

type Answers = Readonly<Record<string, readonly (readonly [status: number, body: string])[]>>;

/** A stage with a live thing beside it, and a batch of one ticket that is verified by looking at it. */
async function scene(answers: Answers, steps: readonly object[], over: object = {}) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  const asked = stage.path("asked");
  const live = spawn(process.execPath, [stage.write("live.mjs", LIVE), JSON.stringify(answers), asked], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void live.kill("SIGKILL"));
  const [port] = (await once(live.stdout, "data")) as [Buffer];
  const look = stage.write("look.mjs", LOOK);
  stage.repo("app");
  stage.agent(HONEST);
  const finish = steps.map((step) => {
    if (!("environment" in step)) return step;
    const url = `http://127.0.0.1:${String(port).trim()}/${String(step.environment)}`;
    return { step: "verify", name: "live", command: [process.execPath, look, url], ...step };
  });
  const batch = stage.batch(["T-1"], {
    limits: { attempts: 1 },
    live: { repeats: 0 },
    finish: [{ step: "merge" }, ...finish],
    ...over,
  });
  return { stage, batch, asked: () => (existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : []) };
}

const UP: readonly [number, string] = [200, '{"status": "up", "version": 2, "parts": [{"name": "db", "ms": 3}]}'];
const OLD: readonly [number, string] = [200, '{"status": "up", "version": 1, "parts": []}'];
const DOWN: readonly [number, string] = [503, ""];

const dev = {
  environment: "dev",
  within: 60,
  every: 0.1,
  expect: { json: { status: "up", version: 2, parts: [{ name: "db" }] } },
};
const prod = { environment: "prod", expect: { text: '"version": 2' } };

describe("a live thing", () => {
  test("that comes up late holds in its time, dev before prod, and both are looked at once more in the end", async () => {
    const { stage, batch, asked } = await scene({ dev: [DOWN, OLD, UP], prod: [UP] }, [dev, prod]);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(asked()).toEqual(["dev", "dev", "dev", "prod", "dev", "prod"]);
    expect(events.flatMap((e) => (e.type === "step-ended" ? [e.summary] : []))).toEqual([
      expect.stringMatching(/^landed /),
      expect.stringMatching(/^passed on probe 3, after [\d.]+ s$/),
      expect.stringMatching(/^passed in [\d.]+ s$/),
      expect.stringContaining("tracker"),
    ]);
    expect((await stage.report()).transients).toEqual({ retried: 0, passed: 0 });
  });

  test("that stays as it was ships nothing, and prod is not looked at", async () => {
    const { stage, batch, asked } = await scene({ dev: [OLD], prod: [UP] }, [{ ...dev, within: 0.5 }, prod]);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(new Set(asked())).toEqual(new Set(["dev"]));
    const evidence = events.find((e) => e.type === "attempt-ended")?.evidence;
    expect(evidence).toMatchObject({ step: "verify", name: "live (dev)", detail: OLD[1] });
    expect(evidence?.summary).toMatch(/^version is 1, not 2; .* \(\d+ probes? in [\d.]+ s, to hold within 0\.5 s\)$/);
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "open" }]);
  });

  test("that is busy for a moment is looked at once more, and that is counted", async () => {
    const { stage, batch, asked } = await scene({ prod: [DOWN, UP] }, [prod], {
      transients: [{ name: "starting-up", pattern: "returned error: 503", steps: ["verify"], waitSeconds: 0 }],
    });
    expect((await stage.run([batch, "--headless"])).stdout).toMatch(
      /verify live \(prod\): transient 'starting-up', retry in 0 s/,
    );
    expect(asked()).toEqual(["prod", "prod", "prod"]);
    expect(await stage.report()).toMatchObject({ exitCode: 0, transients: { retried: 1, passed: 1 }, fixAndProceed: 1 });
  });

  test("that is down twice is down", async () => {
    const { stage, batch, asked } = await scene({ prod: [DOWN] }, [prod], {
      transients: [{ name: "starting-up", pattern: "returned error: 503", steps: ["verify"], waitSeconds: 0 }],
    });
    expect((await stage.run([batch, "--headless"])).code).toBe(1);
    // Twice in the attempt, and twice in the last check of what has landed.
    expect(asked()).toEqual(["prod", "prod", "prod", "prod"]);
    expect(await stage.report()).toMatchObject({ transients: { retried: 2, passed: 0 }, fixAndProceed: 0 });
  });

  test("is waited for until somebody stops the run, and no longer", async () => {
    const { stage, batch, asked } = await scene({ dev: [OLD] }, [{ ...dev, within: 86_400, every: 86_400 }]);
    const started = stage.start([batch, "--json"]);
    await started.until(/"kind":"verify"/);
    await until(() => asked().length === 1, "a look at the live thing");
    started.child.kill("SIGINT");
    expect((await started.ended).code).toBe(130);
    expect(asked()).toEqual(["dev"]);
  });
});

test("the classes that ship are the harness's: a gateway that is not there yet is known without a word in the batch", async () => {
  const { stage, batch } = await scene({ prod: [DOWN, UP] }, [prod]);
  const { code, events } = await stage.events(batch);
  expect(code).toBe(0);
  expect(events.find((e) => e.type === "step-retried")).toMatchObject({
    name: "live (prod)",
    transient: "gateway-5xx",
    waitMs: 10_000,
  });
});

test("a class that would take any failure keeps the batch from starting, with its place", async () => {
  const classes = [".+ failed|.{2,}", "a(?=b)"].map((pattern) => ({ name: "odd", pattern, steps: ["check"] }));
  const { stage, batch } = await scene({ prod: [UP] }, [prod], { transients: classes });
  const { code, stderr } = await stage.run([batch, "--headless"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /batch\.json:\d+:\d+ {2}transients\[0\]\.pattern must be narrow: it takes "FAIL" for a transient, and so any failure\n/,
  );
  expect(stderr).toMatch(/batch\.json:\d+:\d+ {2}transients\[1\]\.pattern must be a regular expression of RE2/);
});
