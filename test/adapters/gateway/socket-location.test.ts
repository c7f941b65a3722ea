import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ModelUpstream } from "@loopdash/model-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { anthropicAnswer, ask, json, message, PRICES, SECRET, standIn } from "../../../packages/model-gateway/test/stage.ts";
import { openGateway } from "../../../src/adapters/gateway/open-gateway.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

async function modelGateway(near: string, port: number, over: Partial<ModelUpstream> = {}) {
  const credential = { header: "x-api-key", value: () => SECRET } as const;
  const model = {
    api: "anthropic",
    baseUrl: `http://127.0.0.1:${port}`,
    credential,
    prices: PRICES,
    capUsd: 10,
    ...over,
  } as const;
  const gateway = await openGateway({ folder: near, model });
  onTestFinished(() => gateway.close());
  return { gateway };
}

describe("the socket", () => {
  it("is this user's alone, in a folder of its own, and goes with the gateway", async () => {
    const vendor = await standIn(json({}));
    const { gateway } = await modelGateway(folder(), vendor.port);
    const other = await modelGateway(folder(), vendor.port);
    expect(statSync(gateway.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(gateway.socketPath)).mode & 0o777).toBe(0o700);
    expect(dirname(dirname(gateway.socketPath))).toBe(folder());
    expect(other.gateway.socketPath).not.toBe(gateway.socketPath);
    await gateway.close();
    await gateway.close();
    expect(statSync(dirname(gateway.socketPath), { throwIfNoEntry: false })).toBeUndefined();
    expect(statSync(other.gateway.socketPath).isSocket()).toBe(true);
  });

  it("is elsewhere where its path would be too long", async () => {
    const long = join(folder(), "x".repeat(100));
    await mkdir(long);
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(long, vendor.port);
    expect(Buffer.byteLength(gateway.socketPath)).toBeLessThan(104);
    expect(statSync(dirname(dirname(gateway.socketPath))).mode & 0o777).toBe(0o700);
    expect((await ask(gateway, { body: message() })).status).toBe(200);
  });

  it("that cannot be made is told with what to do", async () => {
    await expect(modelGateway("/proc/none", 1)).rejects.toMatchObject({ name: "UserError", exitCode: 4 });
    await expect(modelGateway(folder(), 1, { baseUrl: "ftp://x" })).rejects.toMatchObject({ name: "UserError", exitCode: 2 });
    await expect(modelGateway(folder(), 1, { baseUrl: `https://u:${SECRET}@x` })).rejects.not.toThrow(SECRET);
    await expect(modelGateway(folder(), 1, { capUsd: Number.NaN })).rejects.toThrow("capUsd");
  });
});
