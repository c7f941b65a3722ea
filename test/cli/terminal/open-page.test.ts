import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openerOf, openPage, pageAddress } from "../../../src/cli/terminal/open-page.ts";

describe("openerOf", () => {
  it("needs a screen in front of the person", () => {
    expect(openerOf({}, "linux")).toBeUndefined();
    expect(openerOf({ DISPLAY: "" }, "linux")).toBeUndefined();
    expect(openerOf({ DISPLAY: ":0" }, "linux")).toBe("xdg-open");
    expect(openerOf({ WAYLAND_DISPLAY: "wayland-0" }, "linux")).toBe("xdg-open");
    expect(openerOf({}, "darwin")).toBe("open");
    expect(openerOf({ SSH_CONNECTION: "a b" }, "darwin")).toBeUndefined();
  });
});

describe("pageAddress", () => {
  it.each(["file:///etc/passwd", "javascript:alert(1)", "--help", "x", "ssh://h/x", ""])("refuses %j", (url) =>
    expect(pageAddress(url)).toBeUndefined(),
  );
  it("gives addresses of the web in printable ASCII", () => {
    expect(pageAddress("https://h/pull/1")).toBe("https://h/pull/1");
    expect(pageAddress("https://h/a b;$(id)\u001b")).toMatch(/^https:\/\/h\/[!-~]+$/);
  });
});

describe("openPage", () => {
  /** A program that writes its words and its environment to a file, and ends with this code. */
  function aProgram(code: number) {
    const folder = mkdtempSync(join(tmpdir(), "loopdash-open-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [program, said] = [join(folder, "opener"), join(folder, "said")];
    writeFileSync(program, `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } > ${said}.part && mv ${said}.part ${said}\nexit ${code}\n`);
    chmodSync(program, 0o755);
    return { program, said: () => readFileSync(said, "utf8") };
  }

  it("gives the address as one word, without a shell, and no secret", async () => {
    const { program, said } = aProgram(0);
    const failed = vi.fn();
    const address = "https://h/a;touch$IFS/tmp/x";
    openPage(program, address, { PATH: process.env["PATH"], DISPLAY: ":7", GITHUB_TOKEN: "secret" }, failed);
    await vi.waitFor(() => expect(said()).toContain("DISPLAY=:7"), { timeout: 20_000 });
    expect(said().split("\n")[0]).toBe(address);
    expect(said()).not.toContain("secret");
    expect(failed).not.toHaveBeenCalled();
  });

  it("says why it did not open", async () => {
    const failed = vi.fn();
    openPage(aProgram(3).program, "https://h/", { PATH: process.env["PATH"] }, failed);
    openPage("/no/such/opener", "https://h/", {}, failed);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(2), { timeout: 20_000 });
    expect(failed.mock.calls.flat().toSorted()).toEqual(["it ended with code 3", expect.stringContaining("ENOENT")]);
  });
});
