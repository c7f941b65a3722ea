import { describe, expect, test } from "vitest";
import { SERVICES, stagedIn } from "./services.ts";
import { HONEST, PROGRAM } from "./stage.ts";

const LATE = 300_000;

describe.each(SERVICES)("a batch of tickets in %s", { timeout: LATE }, (kind) => {
  test("is worked in the order of its dependencies, and the oracle reads the service by itself", async () => {
    const { stage, service, batch, run } = await stagedIn(kind, [[1], [2, [1]]], {}, PROGRAM);
    stage.agent(`if (!prompt.includes("The words of " + ticket)) process.exit(1); ${HONEST}`);
    const { code, stdout, stderr, events } = await run();
    expect({ code, stderr }, stdout.slice(-3_000)).toEqual({ code: 0, stderr: "" });
    expect(stage.landed()).toEqual([service.id(1), service.id(2)]);
    expect(service.shown().map(({ state }) => state)).toEqual(["done", "done"]);
    expect(service.shown().map(({ comments }) => comments.length)).toEqual([1, 1]);
    expect(service.shown()[0]?.comments[0]).toContain("landed as");
    expect(events.find(({ type }) => type === "tripwire-ended")).toMatchObject({ ok: true });
    const oracle = await stage.run(["oracle", batch], service.env);
    expect(oracle.code, oracle.stderr).toBe(0);
    expect(JSON.parse(oracle.stdout)).toMatchObject({ verdict: "done", counts: { done: 2, gated: 0, open: 0 } });
  });
});
