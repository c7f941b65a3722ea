import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";
import { createSecrets, type SecretsOptions } from "../../../src/adapters/secrets/secrets.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

function secretsOf(specs: SecretsOptions["specs"], options: Partial<SecretsOptions> = {}) {
  const masker = createMasker();
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder() };
  return { masker, secrets: createSecrets({ specs, masker, folder: folder(), env, ...options }) };
}

/** A command that counts its runs in a file, and prints the number as a part of a value. */
const COUNTING = ["/bin/sh", "-c", 'echo x >> runs; echo "value-number-$(wc -l < runs)"'] as const;
const runs = () => readFileSync(join(folder(), "runs"), "utf8").split("\n").length - 1;

describe("a secret", () => {
  it("comes from a variable, a file of the home or of the batch's folder, or a command, without the line's end", async () => {
    writeFileSync(join(folder(), "token"), "from-the-file\r\n");
    const { secrets, masker } = secretsOf(
      {
        variable: { env: "TOKEN" },
        home: { file: "~/token" },
        beside: { file: "token" },
        printed: { command: ["/bin/echo", "from-the-command"] },
      },
      { env: { TOKEN: "from-the-variable", HOME: folder() } },
    );
    const all = ["variable", "home", "beside", "printed"].map((name) => secrets.get(name));
    expect(await Promise.all(all)).toEqual(["from-the-variable", "from-the-file", "from-the-file", "from-the-command"]);
    expect(masker.text("from-the-variable from-the-command")).toBe("[secret variable] [secret printed]");
  });

  it("from a variable or a file is masked from the start, before anybody asks, and is read again when needed", async () => {
    writeFileSync(join(folder(), "token"), "first-in-the-file");
    const { secrets, masker } = secretsOf(
      { a: { env: "TOKEN" }, b: { file: "token" }, c: { file: "none" }, d: { env: "NO_SUCH" }, e: { command: COUNTING } },
      { env: { TOKEN: "from-the-variable" } },
    );
    await secrets.preload();
    expect(masker.text("from-the-variable first-in-the-file")).toBe("[secret a] [secret b]");
    expect(existsSync(join(folder(), "runs"))).toBe(false);
    writeFileSync(join(folder(), "token"), "second-in-the-file");
    expect(await secrets.get("b")).toBe("second-in-the-file");
    expect(masker.text("first-in-the-file second-in-the-file")).toBe("[secret b] [secret b]");
  });

  it("is fetched once for all who ask at the same time, and not again before it expires", async () => {
    let now = 0;
    const { secrets } = secretsOf({ it: { command: COUNTING, expiresAfterMinutes: 1 } }, { now: () => now });
    expect(await Promise.all([secrets.get("it"), secrets.get("it")])).toEqual(["value-number-1", "value-number-1"]);
    now = 59_999;
    expect(await secrets.get("it")).toBe("value-number-1");
    now = 60_000;
    expect(await secrets.get("it")).toBe("value-number-2");
    expect(runs()).toBe(2);
  });

  it("is renewed once where its value is refused, however many say so, and not in a loop", async () => {
    let now = 0;
    const { secrets, masker } = secretsOf({ it: { command: COUNTING } }, { now: () => now });
    const first = await secrets.get("it");
    now = 10_000;
    expect(await Promise.all([secrets.renew("it", first), secrets.renew("it", first)])).toEqual([
      "value-number-2",
      "value-number-2",
    ]);
    expect(await secrets.renew("it", first)).toBe("value-number-2");
    expect(await secrets.renew("it", "value-number-2")).toBe("value-number-2");
    expect(runs()).toBe(2);
    expect(masker.text(first)).toBe("[secret it]");
  });

  it("is fetched again once it was forgotten", async () => {
    const { secrets } = secretsOf({ it: { command: COUNTING } });
    await secrets.get("it");
    secrets.forget();
    expect(await secrets.get("it")).toBe("value-number-2");
  });

  const failing: Readonly<Record<string, readonly [SecretsOptions["specs"][string], RegExp]>> = {
    "is missing in the environment": [{ env: "NO_SUCH" }, /NO_SUCH is not set/],
    "is empty": [{ command: ["/bin/echo"] }, /is empty/],
    "is short": [{ command: ["/bin/echo", "1234567"] }, /fewer than 8 characters/],
    "is short in the environment": [{ env: "SHORT" }, /"it" from SHORT has fewer than 8 characters/],
    "lies in no file": [{ file: "none" }, /cannot be read from .*none: ENOENT/],
    "lies in a folder": [{ file: "." }, /it is not a file/],
    "is printed by no program": [{ command: ["/no/such/program"] }, /did not start/],
    "is not printed in time": [{ command: ["/bin/sleep", "60"] }, /not end within 0.3 s/],
    "is not printed": [{ command: ["/bin/sh", "-c", "echo 'no such item' >&2; exit 6"] }, /exited with code 6: no such item/],
  };
  it.each(Object.entries(failing))("that %s gives the reason", async (_, [spec, reason]) => {
    const { secrets } = secretsOf({ it: spec }, { fetchMs: 300, env: { ...process.env, SHORT: "1234567" } });
    await expect(secrets.get("it")).rejects.toThrow(reason);
  });

  it("is not quoted where its command fails", async () => {
    const script = "echo known-value; echo known-value unknown0value9of7length >&2; exit 1";
    const { secrets } = secretsOf({ it: { command: ["/bin/sh", "-c", script] } });
    await expect(secrets.get("it")).rejects.toThrow(/exited with code 1: \[secret it\] \[…\]$/);
  });
});
