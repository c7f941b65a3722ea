import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../helpers/scratch.ts";
import { bundleRelay, NO_SOCKET, node, startRelay } from "./relay-stage.ts";

const folder = scratchFolder();

/** Runs a script behind a relay that loads its guard by this code; `$NAME` in it is the name at which the guard is served. */
async function behindRelay(script: string, loadGuard: string, name = `loopdash-test-${randomUUID()}`) {
  const argv = [NO_SOCKET, "--guard-socket", `@${name}`, "--", ...node(script.replaceAll("$NAME", `\\0${name}`))];
  return startRelay({ entry: await bundleRelay(loadGuard), folder: folder() }, argv).ended;
}

const QUESTION = ["/", "/home/dev", "", "guard", "check", "--", "git reset --hard"].join("\\0");
const ASK = `require("node:net").connect("$NAME").on("error", ({ code }) => console.log(code)).on("data", (text) => console.log(String(text)))
  .on("close", () => console.log("end")).end(Buffer.byteLength("${QUESTION}") + "\\n${QUESTION}");`;
const TAKE = `require("node:net").createServer((hole) => hole.end("0 0 0\\n")).on("error", ({ code }) => console.log(code)).listen("$NAME", function () { console.log("taken"); this.close(); });`;
const LATE = `() => new Promise((settle) => setTimeout(() => settle(import("./src/cli/guard/run-guard.ts")), 1_500))`;

describe("the name at which a relay serves the guard", () => {
  it("is the relay's before its program runs, and a question that comes early is answered when the guard is loaded", async () => {
    const { code, stdout } = await behindRelay(`${TAKE} ${ASK}`, LATE);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^EADDRINUSE\n2 0 \d+\nloopdash: the guard blocks this command \(git-reset\)\n[^]*end\n$/);
  });

  it("stays the relay's if the guard cannot be loaded: nobody gets an answer there", async () => {
    const { code, stdout, stderr } = await behindRelay(`${TAKE} ${ASK}`, `() => Promise.reject(new Error("broken"))`);
    expect(code).toBe(0);
    // It may be hung up on while it still writes.
    expect(stdout).toMatch(/^EADDRINUSE\n(?:E\w+\n)?end\n$/);
    expect(stderr).toBe("loopdash relay: the guard is not served: broken\n");
  });

  it("keeps the relay from starting anything if somebody else has it", async () => {
    const name = `loopdash-test-${randomUUID()}`;
    const other = createServer().listen(`\0${name}`);
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const ended = await behindRelay(`console.log("started")`, LATE, name);
    expect(ended).toMatchObject({ code: 126, stdout: "", stderr: expect.stringContaining("nothing is started") });
  });
});
