import { createReadStream, existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { issuesFor, type ServiceCanary } from "./service-issues.ts";

/** A file above this size is no page of a service, and is passed on as it is. Bytes. */
const LARGEST_PAGE = 32 * 1024 * 1024;

/**
 * A service on loopback that has the tickets of a canary's file, so that a canary takes the way of the real tickets. It reads the
 * file for each request: a missing file is a service that is down, a damaged one a damaged answer.
 */
export async function openStandIn({
  kind,
  file,
}: ServiceCanary): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer(
    (request, response) => void answer({ kind, file }, request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/graphql`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  { kind, file }: Pick<ServiceCanary, "kind" | "file">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { variables } = (await json(request)) as { readonly variables: { readonly ids: readonly string[] } };
  if (!existsSync(file)) return void response.writeHead(503).end();
  response.writeHead(200, { "content-type": "application/json" });
  if ((await stat(file)).size > LARGEST_PAGE) return void createReadStream(file).pipe(response);
  const text = await readFile(file, "utf8");
  response.end(standInAnswer(kind, text, variables.ids));
}

function standInAnswer(kind: ServiceCanary["kind"], text: string, ids: readonly string[]): string {
  try {
    return JSON.stringify(issuesFor(kind, text, ids));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
