import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isAlive } from "../../e2e/actors.ts";
import type { Stage } from "../../e2e/stage.ts";

/** The secret of every attack. */
export const TOKEN = "corp/Token+that-no-agent-may-see-4711";
/** The secret as code spells it that got it: backwards, which nothing masks. */
export const MARKED = [...TOKEN].toReversed().join("");

/**
 * Two servers of this machine. The first wants the token, repeats it in every way that servers do, and notes who used it. The second is
 * an attacker's, and notes who brought it. A path begins with the ticket's id.
 */
const SERVERS = `import * as fs from "node:fs";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
const [root, token] = process.argv.slice(2);
const note = (what) => fs.writeFileSync(root + "/hits/" + what, "");
const idOf = (req) => req.url.split("/").find((part) => part.startsWith("X")) ?? "nobody";
const evil = createServer((req, res) => {
  if (JSON.stringify(req.headers).includes(token)) note("stolen-" + idOf(req));
  res.writeHead(404).end("nothing came with it\\n");
});
const target = createServer((req, res) => {
  const { authorization = "nothing", range, "accept-encoding": encoding = "" } = req.headers;
  if (authorization.includes(token)) note("used-" + idOf(req) + "-" + req.method);
  const text = Buffer.from("you sent " + authorization + "\\n");
  const [, from, to] = /bytes=(\\d+)-(\\d+)/.exec(range ?? "") ?? [];
  if (req.url.endsWith("/redirect")) return res.writeHead(302, { location: "http://127.0.0.1:" + evil.address().port + "/" + idOf(req) }).end();
  if (req.url.endsWith("/header")) return res.writeHead(200, { "x-echo": authorization }).end("ok\\n");
  if (from !== undefined) return res.writeHead(206).end(text.subarray(Number(from), Number(to) + 1));
  if (encoding.includes("gzip")) return res.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text));
  res.writeHead(200).end(text);
});
evil.listen(0, "127.0.0.1", () => target.listen(0, "127.0.0.1", () => {
  fs.writeFileSync(root + "/shared/ports.tmp", target.address().port + " " + evil.address().port);
  fs.renameSync(root + "/shared/ports.tmp", root + "/shared/ports");
}));
`;

/** Starts both, and waits until they listen. They are ended with the stage, being of its environment. */
export function startServers(stage: Stage): void {
  stage.write("hits/.keep", "");
  stage.write("shared/.keep", "");
  const script = stage.write("servers.mjs", SERVERS);
  const child = spawn(process.execPath, [script, stage.root, TOKEN], { cwd: stage.root, env: stage.env, stdio: "ignore" });
  child.unref();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(stage.path("shared/ports"))) {
    if (child.pid === undefined || !isAlive(child.pid)) throw new Error("the servers did not start");
    Atomics.wait(cell, 0, 0, 5);
  }
}

/** The ports of the one that wants the token, and of the attacker's. */
export function portsOf(stage: Stage): { readonly target: number; readonly evil: number } {
  const [target, evil] = readFileSync(stage.path("shared/ports"), "utf8").split(" ").map(Number);
  return { target: target ?? 0, evil: evil ?? 0 };
}

/** True if the attacker's server was brought the token by a ticket. */
export const isStolen = ({ stage, ticket }: { stage: Stage; ticket: string }): boolean =>
  existsSync(stage.path("hits", `stolen-${ticket}`));

/** True if a ticket's request to the first server had the token. */
export const isUsed =
  (method: string) =>
  ({ stage, ticket }: { stage: Stage; ticket: string }): boolean =>
    existsSync(stage.path("hits", `used-${ticket}-${method}`));
