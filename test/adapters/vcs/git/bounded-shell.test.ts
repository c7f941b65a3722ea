import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { runInShell } from "../../../../src/adapters/vcs/git/bounded-shell.ts";

let name = "";
const start = { argv: ["/bin/sh", "-s"], cwd: "/", env: { PATH: process.env["PATH"] ?? "" } };

function ask(input: string, more: { onOutput?: (chunk: Buffer) => "more" | "stop"; signal?: AbortSignal } = {}) {
  const { signal, ...rest } = more;
  return runInShell(name, { ...start, ...rest, input }, signal);
}

afterEach(async () => {
  await runInShell(name, start, undefined);
});

describe("a shell that runs one command after another", () => {
  it("answers each with its own output, error output and exit code", async () => {
    name = randomUUID();
    const answers = await Promise.all([ask("echo one; echo wrong >&2; exit 3"), ask("printf two"), ask("echo $$")]);
    expect(answers[0]).toEqual({ status: 3, stdout: "one\n", stderr: "wrong\n", stopped: false });
    expect(answers[1]).toEqual({ status: 0, stdout: "two", stderr: "", stopped: false });
    expect((await ask("echo $$")).stdout).toBe(answers[2]?.stdout);
  });

  it("passes every byte of a long output on, and none of its own", async () => {
    name = randomUUID();
    const chunks: Buffer[] = [];
    const onOutput = (chunk: Buffer) => {
      chunks.push(chunk);
      return "more" as const;
    };
    await ask(`printf 'a\\0b\\377'; head -c 1000000 /dev/zero; printf '\\n\\n'`, { onOutput });
    const all = Buffer.concat(chunks);
    expect(all.length).toBe(4 + 1_000_000 + 2);
    expect(all.subarray(0, 4)).toEqual(Buffer.from([0x61, 0, 0x62, 0xff]));
    expect(all.subarray(-2).toString()).toBe("\n\n");
  });

  it("takes no output for the end of a command", async () => {
    name = randomUUID();
    const mark = `\n${randomUUID()} 000\n`;
    expect((await ask(`printf '${mark.replaceAll("\n", "\\n")}'; exit 4`)).stdout).toBe(mark);
    expect(await ask("exit 5")).toMatchObject({ status: 5, stdout: "" });
  });

  it("gives a command neither the text of the next one, nor its variables", async () => {
    name = randomUUID();
    const [read, seen] = await Promise.all([ask("export LEFT=x; cat"), ask('echo "[$LEFT]"')]);
    expect(read.stdout).toBe("");
    expect(seen.stdout).toBe("[]\n");
  });

  it("is killed with all that it runs if its output is long enough, and answers nothing more", async () => {
    name = randomUUID();
    const stopped = await ask("yes", { onOutput: () => "stop" });
    expect(stopped).toMatchObject({ status: null, stopped: true });
  });

  it("is killed when it is called off, whatever it waits for, and so is what waits behind it", async () => {
    name = randomUUID();
    const cut = new AbortController();
    const first = ask("printf %050d 0; exec sleep 1000", {
      signal: cut.signal,
      onOutput: () => {
        cut.abort();
        return "more";
      },
    });
    const second = ask("echo late", { signal: cut.signal });
    expect(await first).toMatchObject({ status: null });
    expect(await second).toMatchObject({ status: null, stdout: "" });
  });
});
