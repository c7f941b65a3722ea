import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Network, startConnectionTimer } from "./network.ts";
import { RunClock } from "./run-clock.ts";

const PASSAGE = {
  there: 0,
  back: 0,
  outgoing: (address: string, body: string) => ({ address, body }),
  incoming: (body: string) => body,
};

test("what an engine that is killed has begun goes no further", async () => {
  await startConnectionTimer();
  const network = new Network(new RunClock(), () => PASSAGE);
  let got = 0;
  const server = createServer((_, response) => {
    got += 1;
    network.cut();
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    network.close();
    server.close();
  });
  const ask = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  void ask().catch(ask);
  await network.settle(() => got);
  expect(got).toBe(1);
});
