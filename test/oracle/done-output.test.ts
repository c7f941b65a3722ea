import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { embedded, oracleInFolder, ticket } from "./process.ts";

const { tracker, program, env, batch } = oracleInFolder();

/** What it comes to where writing to one of its outputs is what `body` says, with `write` for the real thing. */
async function whereWriting(to: "stdout" | "stderr", body: string) {
  const fd = to === "stdout" ? 1 : 2;
  const preload = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    const write = fs.writeSync; const again = Object.assign(new Error("full"), { code: "EAGAIN" }); let times = 0;
    fs.writeSync = (fd, bytes) => { if (fd !== ${fd}) return write(fd, bytes); times += 1; ${body} }; syncBuiltinESMExports();`;
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = spawn(process.execPath, [...flags, program(), batch(["A"])], { env: env(), stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, ...said };
}

/** More time goes by at each write than a reader is waited for. */
const LATE = "const now = performance.now(); performance.now = () => now + 10_000;";
const ALL = '{"id":"A","state":"done"}\n{"verdict":"done","done":1,"gated":0,"open":0}\n';

describe("an output of the oracle", () => {
  test.each([
    ["takes nothing", `${LATE} return 0;`, "nobody takes what it prints"],
    ["is always full", `${LATE} throw again;`, "nobody takes what it prints"],
    ["fails", "throw new Error('lost');", "lost"],
    ["fails after a part", "if (times > 1) throw new Error('lost'); return write(fd, bytes.subarray(0, 3));", "lost"],
  ])("that %s is not a verdict", async (_what, body, why) => {
    writeFileSync(tracker(), embedded(ticket("A", "done")));
    expect(await whereWriting("stdout", body)).toMatchObject({ code: 2, stderr: `cannot judge: ${why}\n` });
  });

  test.each([
    ["a little at a time, and now and then nothing", "if (times % 2 === 1) throw again;"],
    ["a little at a time, for as long as it takes", LATE],
  ])("that takes %s, gets all", async (_what, body) => {
    writeFileSync(tracker(), embedded(ticket("A", "done")));
    const said = await whereWriting("stdout", `${body} return write(fd, bytes.subarray(0, 7));`);
    expect(said).toEqual({ code: 0, stdout: ALL, stderr: "" });
  });

  test("behind which something fails that nobody thought of is no verdict either", async () => {
    writeFileSync(tracker(), embedded(ticket("A", "done")));
    const said = await whereWriting("stdout", "setImmediate(() => { throw new Error('stray'); }); return write(fd, bytes);");
    expect(said).toEqual({ code: 2, stdout: ALL, stderr: "cannot judge: stray\n" });
  });

  test("that takes no reason leaves the exit code, which says that nothing was judged", async () => {
    writeFileSync(tracker(), "");
    expect(await whereWriting("stderr", "throw new Error('lost');")).toEqual({ code: 2, stdout: "", stderr: "" });
  });
});
