import { expect, test } from "vitest";
import { type OwnNotify, tellable } from "../../../src/cli/engine/own-notify.ts";

const own: OwnNotify = {
  secrets: undefined,
  notify: [
    { kind: "command", command: ["mail"] },
    { kind: "command", command: ["tell"], on: ["ended"] },
    { kind: "ntfy", url: "https://ntfy.example/topic", tokenSecret: "token", on: ["landed"] },
  ],
};
const kinds = (told: ReturnType<typeof tellable>) => told.own?.notify.map(({ kind, on }) => `${kind} ${on?.join(",")}`);

test("without a sandbox nobody who needs a secret is told, and the start says so", () => {
  const told = tellable(own, { isSandboxed: false, isOneOfMany: false });
  expect(kinds(told)).toEqual(["command needs-you,stalled,limit,incident,ended,engine-died", "command ended"]);
  expect(told.untold.map(({ message }) => message)).toEqual([expect.stringMatching(/^1 of your own receivers is told nothing/)]);
  expect(tellable(own, { isSandboxed: true, isOneOfMany: false }).untold).toEqual([]);
});

test("the end of one run of many is told to nobody", () => {
  const told = tellable(own, { isSandboxed: true, isOneOfMany: true });
  expect(kinds(told)).toEqual(["command needs-you,stalled,limit,incident,engine-died", "ntfy landed"]);
});
