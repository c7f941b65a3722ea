import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { embedded, oracleInFolder, ticket } from "./process.ts";

const { folder, tracker, tickets, program, env, ask, batch, inFolder } = oracleInFolder();

describe("the oracle as a process, embedded tracker", () => {
  test("all done or gated: 0, with evidence for each", async () => {
    writeFileSync(
      tracker(),
      embedded(ticket("A", "done"), ticket("B", "human-gated", { humanStep: "press\u2028it" }), ticket("X", "open")),
    );
    expect(await ask(batch(["A", "B"]))).toEqual({
      code: 0,
      lines: [
        { id: "A", state: "done" },
        { id: "B", state: "human-gated", step: "press\u2028it" },
        { verdict: "done", done: 1, gated: 1, open: 0 },
      ],
      stderr: "",
    });
  });

  test.each<[string, object[], number]>([
    ["one open", [ticket("A", "done"), ticket("B", "open")], 1],
    ["gated without a step", [ticket("A", "done"), ticket("B", "human-gated")], 1],
    ["gated with a blank step", [ticket("A", "done"), ticket("B", "human-gated", { humanStep: " " })], 1],
    ["a look-alike state", [ticket("A", "done"), ticket("B", "Done")], 2],
    ["a look-alike letter", [ticket("A", "done"), ticket("B", "dоne")], 2],
    ["a look-alike state beyond the batch", [ticket("A", "done"), ticket("B", "done"), ticket("C", "closed")], 2],
    ["a missing ticket", [ticket("A", "done")], 2],
    ["a ticket twice", [ticket("A", "done"), ticket("B", "done"), ticket("B", "done")], 2],
    ["a further key", [ticket("A", "done"), ticket("B", "done", { done: true })], 2],
    ["a state that is no text", [ticket("A", "done"), { ...ticket("B", ""), state: true }], 2],
    ["a state in a list", [ticket("A", "done"), { ...ticket("B", ""), state: ["done"] }], 2],
    ["a step over two lines", [ticket("A", "done"), ticket("B", "human-gated", { humanStep: "a\nb" })], 2],
    ["no tickets", [], 2],
  ])("%s", async (_what, list, code) => {
    writeFileSync(tracker(), embedded(...list));
    const said = await ask(batch(["A", "B"]));
    expect(said.code).toBe(code);
    expect(said.stderr).toMatch(code === 2 ? /^cannot judge: .+\n$/ : /^$/);
    if (code === 1) expect(said.lines.at(-1)).toEqual({ verdict: "not-done", done: 1, gated: 0, open: 1 });
    if (code === 2) expect([[], [{ verdict: "unjudged" }]]).toContainEqual(said.lines);
  });

  test.each<[string, () => void]>([
    ["no file", () => undefined],
    ["half a file", () => writeFileSync(tracker(), embedded(ticket("A", "done"), ticket("B", "done")).slice(0, -9))],
    ["an empty file", () => writeFileSync(tracker(), "")],
    ["no UTF-8", () => writeFileSync(tracker(), Buffer.from(embedded({ ...ticket("A", "done"), title: "\u00ff" }), "latin1"))],
    ["another version", () => writeFileSync(tracker(), JSON.stringify({ version: 2, tickets: [ticket("A", "done")] }))],
    ["a folder", () => mkdirSync(tracker())],
    [
      "a link to a sound one",
      () => {
        writeFileSync(join(folder(), "real.json"), embedded(ticket("A", "done")));
        symlinkSync(join(folder(), "real.json"), tracker());
      },
    ],
    [
      "a huge file",
      () => {
        writeFileSync(tracker(), embedded(ticket("A", "done")));
        truncateSync(tracker(), 3 * 1024 ** 3);
      },
    ],
  ])("%s in the tracker's place cannot be judged", async (_what, make) => {
    make();
    const said = await ask(batch(["A"]));
    expect([said.code, said.stderr.split("\n").length]).toEqual([2, 2]);
    expect(said.stderr).not.toContain("kept changing");
  });

  test.each<[string, () => readonly string[]]>([
    ["no argument", () => []],
    ["two arguments", () => [batch(["A"]), batch(["A"])]],
    ["a batch that is not there", () => [join(folder(), "nowhere.json")]],
    ["an empty batch", () => [batch([])]],
    ["a batch that names one twice", () => [batch(["A", "A"])]],
    ["an id that is none", () => [batch(["A", "../A"])]],
    ["a tracker of another kind", () => [batch(["A"], { kind: "cloud", file: tracker() })]],
    ["a tracker with two places", () => [batch(["A"], { kind: "embedded", file: tracker(), folder: tickets() })]],
    ["a relative path", () => [batch(["A"], { kind: "embedded", file: "tracker.json" })]],
  ])("%s cannot be judged", async (_what, args) => {
    writeFileSync(tracker(), embedded(ticket("A", "done")));
    expect((await ask(...args())).code).toBe(2);
  });

  test("without one argument it says what to give", async () => {
    expect((await ask()).stderr).toBe("cannot judge: give one argument: the batch to judge\n");
    expect((await ask("a", "b")).stderr).toBe("cannot judge: give one argument: the batch to judge\n");
  });

  test("an unjudged tracker is said in one line of evidence, the reason on stderr", async () => {
    writeFileSync(tracker(), embedded(ticket("A", "Done")));
    const said = await ask(batch(["A"]));
    expect(said).toMatchObject({ code: 2, lines: [{ verdict: "unjudged" }] });
    expect(said.stderr).toContain('ticket "A" is in state "Done"');
  });

  test("a path in a problem stays on one line, harmless and in bounds", async () => {
    const file = `/nowhere\n\r\u001bx\u202e${"y".repeat(900)}/${"z".repeat(900)}`;
    const { code, stderr } = await ask(batch(["A"], { kind: "embedded", file }));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^cannot judge: E[A-Z]+: [a-z ]+, open '\/nowhere x\?y+\/z+\n$/);
    expect(stderr.length).toBe("cannot judge: ".length + 1_000 + 1);
  });

  test("a problem is one line and cannot steer a terminal", async () => {
    writeFileSync(tracker(), embedded(ticket("A", "\u001b[2J\u009b2J\nverdict: done\u202e")));
    const said = await ask(batch(["A"]));
    expect(said.code).toBe(2);
    expect(said.stderr).toMatch(/^cannot judge: [^\u0000-\u001f\u007f-\u009f\u202e]+\n$/);
  });

  test("a reader that goes away, or a full disk behind stdout, is not a verdict", async () => {
    writeFileSync(tracker(), embedded(ticket("A", "done")));
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [program(), batch(["A"])], {
      env: env(),
      stdio: ["ignore", full, "ignore"],
    });
    closeSync(full);
    expect(await once(child, "exit")).toEqual([2, null]);
    const gone = spawn(
      "/bin/bash",
      ["-c", 'exec > >(exec 0<&-); wait $!; "$0" "$1" "$2"; echo "code $?" >&2', process.execPath, program(), batch(["A"])],
      {
        env: { ...process.env, ...env() },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let stderr = "";
    gone.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await once(gone, "close");
    expect(stderr).toMatch(/EPIPE[\s\S]*code 2\n$/);
  });

  test("a file that is written all the time is judged whole or not at all", async () => {
    // In both texts one ticket is open; only a mixture of the two has none. They are equally long and written in place.
    const ids = ["FIRST", "LAST"];
    const filler = ticket("FILLER", "done", { note: "x".repeat(24 * 1024 * 1024) });
    const texts = [
      embedded(ticket("FIRST", "done"), filler, ticket("LAST", "open")),
      embedded(ticket("FIRST", "open"), filler, ticket("LAST", "done")),
    ].map((text) => Buffer.from(text));
    writeFileSync(tracker(), texts[0] ?? "");
    const handle = await open(tracker(), "r+");
    const codes = await askUnderWriting(
      batch(ids),
      6,
      async (n) => {
        const text = texts[(n + 1) % 2] ?? Buffer.alloc(0);
        await handle.write(text, 0, text.length, 0);
      },
      // So large a file counts as just written for a second and a half.
      2_500,
    );
    await handle.close();
    expect(codes).not.toContain(0);
    expect((await ask(batch(ids))).code).toBe(1);
  });
});

describe("the oracle as a process, folder of tickets", () => {
  const put = (name: string, text: string | Buffer) => writeFileSync(join(tickets(), name), text);

  test("all done or gated: 0", async () => {
    put("A.md", "---\nstate: done\n---\n# A\n");
    put("b.md", "---\r\nid: B\r\nstate: \"human-gated\"\r\nhumanStep: 'press it' # now\r\n---\r\n");
    put("C.md", "# C\n");
    put("README.md", "---\nid: A\nstate: open\n---\n");
    expect(await ask(batch(["A", "B"], inFolder()))).toEqual({
      code: 0,
      lines: [
        { id: "A", state: "done" },
        { id: "B", state: "human-gated", step: "press it" },
        { verdict: "done", done: 1, gated: 1, open: 0 },
      ],
      stderr: "",
    });
  });

  test.each<[string, number, () => void]>([
    ["one open", 1, () => put("B.md", "---\nstate: open\n---\n")],
    ["one without front matter", 1, () => put("B.md", "# B\nstate: done\n")],
    ["gated without a step", 1, () => put("B.md", "---\nstate: human-gated\n---\n")],
    ["a look-alike", 2, () => put("B.md", "---\nstate: Done\n---\n")],
    ["a missing ticket", 2, () => undefined],
    ["a ticket in two files", 2, () => (put("B.md", "---\nstate: done\n---\n"), put("B2.md", "---\nid: B\nstate: open\n---\n"))],
    ["half a file", 2, () => put("B.md", "---\nstate: done\n")],
    ["YAML that it does not read", 2, () => put("B.md", "---\nstate: !!str done\n---\n")],
    ["a huge file", 2, () => put("B.md", Buffer.alloc(2 * 1024 * 1024, "---\nstate: done\n---\n"))],
    ["a link to a sound file", 2, () => symlinkSync(join(tickets(), "A.md"), join(tickets(), "B.md"))],
  ])("%s", async (_what, code, make) => {
    put("A.md", "---\nstate: done\n---\n");
    make();
    const said = await ask(batch(["A", "B"], inFolder()));
    expect([said.code, said.stderr === ""]).toEqual([code, code !== 2]);
    if (code === 2 && said.stderr.includes("line")) expect(said.stderr).toContain("B.md");
  });

  test("a folder that is not there cannot be judged", async () => {
    expect((await ask(batch(["A"], { kind: "folder", folder: join(folder(), "nowhere") }))).code).toBe(2);
  });

  test("tickets that change places all the time are seen at one instant or not at all", async () => {
    // At every instant at least one of the two is open.
    put("A.md", "---\nstate: done\n---\n");
    put("Z.md", "---\nstate: open\n---\n");
    for (let n = 0; n < 300; n += 1) put(`M-${n}.md`, "---\nstate: done\n---\n");
    const ids = ["A", "Z", ...Array.from({ length: 300 }, (_, n) => `M-${n}`)];
    const codes = await askUnderWriting(batch(ids, inFolder()), 40, async () => {
      await replace("A", "open");
      await replace("Z", "done");
      await replace("Z", "open");
      await replace("A", "done");
    });
    expect(codes).not.toContain(0);
    expect((await ask(batch(ids, inFolder()))).code).toBe(1);
  });

  async function replace(id: string, state: string): Promise<void> {
    await writeFile(join(folder(), "new"), `---\nstate: ${state}\n---\n`);
    await rename(join(folder(), "new"), join(tickets(), `${id}.md`));
  }
});

/** Exit codes of four judgements while `write` runs over and over, with a rest that a judgement fits into after every `burst` of it. */
async function askUnderWriting(
  batchFile: string,
  burst: number,
  write: (n: number) => Promise<void>,
  restMs = 300,
): Promise<readonly (number | null)[]> {
  let stop = false;
  const writer = (async () => {
    for (let n = 0; !stop; n += 1) {
      await write(n);
      if (n % burst === burst - 1) await pause(restMs);
    }
  })();
  const codes: (number | null)[] = [];
  for (let n = 0; n < 4; n += 1) codes.push((await ask(batchFile)).code);
  stop = true;
  await writer;
  return codes;
}
