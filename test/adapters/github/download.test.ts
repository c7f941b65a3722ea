import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { DownloadFailure, download } from "../../../src/adapters/github/download.ts";

const BOUNDS = { keep: "all", mostBytes: 1000, timeoutMs: 5000 } as const;

/** A server for the time of a test, and how many requests it has had. */
async function aServer(listener: RequestListener) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** The message of the DownloadFailure with which a download ends. */
async function failure(
  location: string,
  { isPlainAllowed = true, ...bounds }: { readonly isPlainAllowed?: boolean; readonly timeoutMs?: number } = {},
): Promise<string> {
  const error = await download({ location, isPlainAllowed }, { ...BOUNDS, ...bounds }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DownloadFailure);
  return String(error);
}

describe("download", () => {
  it("asks only https, unless GitHub itself is reached by http", async () => {
    const { url, seen } = await aServer((_request, response) => response.end("a log"));
    expect(await failure(url, { isPlainAllowed: false })).toContain("not https");
    expect(seen).toEqual([]);
    const { bytes, isCut } = await download({ location: url, isPlainAllowed: true }, BOUNDS);
    expect([bytes.toString(), isCut]).toEqual(["a log", false]);
  });

  it("follows no further redirect", async () => {
    const { url, seen } = await aServer(({ url: path }, response) => {
      if (path === "/first") response.writeHead(302, { location: "/second" }).end();
      else response.end("elsewhere");
    });
    await failure(`${url}/first`);
    expect(seen).toEqual(["/first"]);
  });

  it("takes no answer that is a refusal, or is too large, cut off or late, and names no address", async () => {
    const { url } = await aServer(({ url: path }, response) => {
      if (path?.startsWith("/gone")) response.writeHead(404).end("gone");
      if (path?.startsWith("/large")) response.end("x".repeat(1001));
      if (path?.startsWith("/cut")) response.writeHead(200, { "content-length": 10 }).end("half", () => response.destroy());
    });
    const failures = [
      await failure(`${url}/gone?sig=secret`),
      await failure(`${url}/large?sig=secret`),
      await failure(`${url}/cut?sig=secret`),
      await failure(`${url}/never?sig=secret`, { timeoutMs: 50 }),
      await failure("http://127.0.0.1:1/?sig=secret"),
      await failure("no address?sig=secret"),
    ];
    expect(failures.join("\n")).not.toContain("secret");
    expect(failures[0]).toContain("the answer is 404");
    expect(failures[1]).toContain("larger than");
    expect(failures[3]).toContain("no answer within");
  });

  it("keeps the end of what is long, in little memory", async () => {
    const { url } = await aServer((_request, response) => {
      for (let part = 0; part < 50; part += 1) response.write(`${part}`.padStart(100, "."));
      response.end("end");
    });
    for (const mostBytes of [150, 4000]) {
      const from = { location: url, isPlainAllowed: true };
      const { bytes, isCut } = await download(from, { ...BOUNDS, keep: "end", mostBytes });
      expect([bytes.length, isCut]).toEqual([mostBytes, true]);
      expect(bytes.toString()).toMatch(/\.49end$/);
    }
  });
});
