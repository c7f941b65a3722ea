import { expect, test } from "vitest";
import { type OwnNotify, openOwnRoutes } from "../../../src/cli/engine/own-notify.ts";
import { secretsOf } from "../../../src/cli/engine/run-secrets.ts";

/** The person's receivers, with this environment for their secrets. */
const own = (env: Record<string, string>): OwnNotify => ({
  secrets: secretsOf({ secrets: { token: { env: "TOKEN" } } }, { folder: "/", env }),
  notify: [
    { kind: "command", command: ["mail"] },
    { kind: "command", command: ["tell"], on: ["ended"] },
    { kind: "ntfy", url: "https://ntfy.example/topic", tokenSecret: "token", on: ["landed"] },
  ],
});
const TOKEN = { TOKEN: "a-token-of-ntfy-0123456789" };

async function opened(env: Record<string, string>, run: Parameters<typeof openOwnRoutes>[1]) {
  const { routes, untold } = await openOwnRoutes(own(env), run);
  return { told: routes.map(({ name, spec }) => `${name}: ${spec.on?.join(" ")}`), untold: untold.map(({ message }) => message) };
}

test("without a sandbox nobody who needs a secret is told, and the start says so", async () => {
  expect(await opened(TOKEN, {})).toEqual({
    told: ["your command 1: needs-you stalled limit incident ended engine-died", "your command 2: ended"],
    untold: ["your ntfy 3 is told nothing: agents have no sandbox, and could read the secret that it needs"],
  });
});

test("a secret that is missing leaves its receiver out, and keeps no run from starting", async () => {
  const { told, untold } = await opened({}, { sandbox: {} });
  expect(told).toHaveLength(2);
  expect(untold).toEqual([expect.stringMatching(/^your ntfy 3 is told nothing: .*TOKEN/)]);
});

test("the end of one run of many is told to nobody", async () => {
  expect(await opened(TOKEN, { sandbox: {}, isOneOfMany: true })).toEqual({
    told: ["your command 1: needs-you stalled limit incident engine-died", "your ntfy 3: landed"],
    untold: [],
  });
});

test("a rehearsal fetches no secret and tells nobody", async () => {
  expect(await opened({}, { sandbox: {}, tellsNobody: true })).toEqual({ told: [], untold: [] });
});
