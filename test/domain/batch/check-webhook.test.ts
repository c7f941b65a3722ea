import { describe, expect, it } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchText, told } from "./sample.ts";

const secrets = { token: { env: "TOKEN" }, hook: { env: "HOOK" } };
const trackers = [
  { kind: "linear", team: "ENG" },
  { kind: "github", repo: "acme/app" },
];

const folderTickets = [
  { id: TicketId.parse("T-1"), title: "one", body: "", dependsOn: [], exclusive: [], file: "ticket T-1 in the tracker" },
];

/** The messages about a batch with this webhook, in a tracker of a service. */
const about = (tracker: object, webhook: unknown, more: object = {}) =>
  told(batchText({ secrets, tracker: { ...tracker, token: "token", webhook }, ...more }), { folder: "/work", folderTickets })
    .split("\n")
    .map((line) => line.replace(/^batch\.json:\d+:\d+ {2}/, ""));

describe.each(trackers)("a webhook of $kind", (tracker) => {
  it("has a port, and a secret of the batch", () => {
    expect(about(tracker, { port: 8787, secret: "hook" })).toEqual([""]);
    expect(about(tracker, { port: 8787, secret: "hok" })).toEqual([
      'tracker.webhook.secret: the batch has no secret "hok"; did you mean "hook"?',
    ]);
    expect(about(tracker, { port: 8787 })).toEqual([expect.stringContaining("tracker.webhook.secret is missing")]);
    expect(about(tracker, { secret: "hook" })).toEqual([expect.stringContaining("tracker.webhook.port is missing")]);
  });

  it.each([0, 65_536, 80.5, "8787"])("has no port %j", (port) => {
    expect(about(tracker, { port, secret: "hook" })).toEqual([expect.stringMatching(/^tracker\.webhook\.port /)]);
  });

  it("has no other key", () => {
    expect(about(tracker, { port: 1, secret: "hook", host: "0.0.0.0" })).toEqual([
      expect.stringContaining('tracker.webhook: unknown key "host"'),
    ]);
  });

  it("needs the sandbox, as every secret does", () => {
    const told = about(tracker, { port: 8787, secret: "hook" }, { sandbox: "auto" });
    expect(told).toContainEqual(expect.stringMatching(/^tracker\.webhook\.secret: uses a secret, but "sandbox": "auto"/));
  });
});
