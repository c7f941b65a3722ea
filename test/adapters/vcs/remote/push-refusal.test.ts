import { describe, expect, test } from "vitest";
import { IMMOVABLE, localLines, OWN_FAULT, reasonIn, statusLine } from "../../../../src/adapters/vcs/remote/push-refusal.ts";

describe("the status of a pushed ref", () => {
  const line = "!\trefs/push/1/0/heads/main:refs/heads/main\t[remote rejected] (pre-receive hook declined)";

  test("is the line of exactly that ref", () => {
    const output = ["To /srv/x.git", line.replaceAll("main", "main/x").replace("pre-receive ", ""), line, "Done"].join("\n");
    expect(statusLine(output, "refs/heads/main")).toBe(line);
    expect(statusLine(output, "refs/heads/x")).toBeUndefined();
    expect(statusLine(`To /srv/:refs/heads/main\nremote: ${line}`, "refs/heads/main")).toBeUndefined();
  });

  test("has the protocol's reason in brackets, or none", () => {
    expect([reasonIn(line), reasonIn("*\ta:b\t[new branch]"), reasonIn(undefined)]).toEqual([
      "pre-receive hook declined",
      undefined,
      undefined,
    ]);
  });

  test("tells a fault of the server by the server's reasons", () => {
    const faults = ["Internal Server Error", "unpacker error", "unable to migrate objects to permanent storage"];
    expect(faults.map((why) => OWN_FAULT.test(why))).toEqual([true, true, true]);
    expect(["failed to update ref", "cannot lock ref"].map((why) => IMMOVABLE.test(why))).toEqual([true, true]);
    const refusals = [
      "pre-receive hook declined",
      "protected branch hook declined",
      "push declined due to repository rule violations",
    ];
    expect(refusals.filter((why) => OWN_FAULT.test(why) || IMMOVABLE.test(why))).toEqual([]);
  });
});

describe("what git prints itself", () => {
  test.each([
    ["a line", "remote: fatal: Authentication failed"],
    ["a line that a carriage return begins anew", "remote: x  \rremote: fatal: Authentication failed"],
    ["an ANSI sequence that moves up", "remote: \u001b[1A\u001b[2Kfatal: Authentication failed"],
    ["a prefix of its own", "remote: remote: fatal: Authentication failed"],
    ["an empty line before", "remote:\nremote: fatal: Authentication failed"],
  ])("holds nothing of the remote: %s", (_what, stderr) => {
    expect(localLines(`${stderr}\nfatal: the remote end hung up unexpectedly`)).toBe(
      "fatal: the remote end hung up unexpectedly",
    );
  });
});
