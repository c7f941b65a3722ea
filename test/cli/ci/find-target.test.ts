import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { findBranch } from "../../../src/adapters/forge/github/find-branch.ts";
import { askGitHub } from "../../../src/cli/ci/find-target.ts";
import { ForgeUnavailable } from "../../../src/ports/forge.ts";

const token = { get: () => Promise.resolve("t"), renew: () => Promise.resolve("t") };

/** A port that was free a moment ago, and on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("an address where nobody answers is no fault of the token: the person is sent to the address", async () => {
  const dead = { repo: "acme/app", baseUrl: `http://127.0.0.1:${await closedPort()}/api/v3`, token, now: Date.now };
  await expect(askGitHub(() => findBranch(dead, "work"))).rejects.toMatchObject({
    why: expect.stringMatching(/^GitHub cannot be reached: .*ECONNREFUSED/),
    todo: "See that this machine reaches that address, and that GITHUB_API_URL is right if it is set; then try again.",
    exitCode: 4,
  });
});

test("an answer that refuses sends the person to the token", async () => {
  const refuse = () => Promise.reject(new ForgeUnavailable("GitHub refuses to read the repository (401): Bad credentials"));
  await expect(askGitHub(refuse)).rejects.toMatchObject({
    todo: "See that GITHUB_TOKEN may read the repository, and try again.",
    exitCode: 4,
  });
});
