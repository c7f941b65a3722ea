import { SecretUnavailable } from "@loopdash/model-gateway";
import { describe, expect, test } from "vitest";
import { refuseUnread } from "../../../src/cli/engine/outside-tracker.ts";

describe("a service that cannot be read at the start", () => {
  test.each([
    ["linear", "If Linear is away, start again once it is back", "LINEAR_API_KEY"],
    ["github", "If GitHub is away, start again once it is back", "GITHUB_TOKEN"],
  ] as const)("%s: the message says what to do while it is away, and where its token comes from", (kind, away, variable) => {
    const refused = () => refuseUnread(new Error("it does not answer"), kind);
    expect(refused).toThrow(expect.objectContaining({ why: "it does not answer", todo: expect.stringContaining(away) }));
    expect(refused).toThrow(expect.objectContaining({ todo: expect.stringContaining(`else the variable ${variable}`) }));
    expect(refused).toThrow(expect.objectContaining({ exitCode: 3 }));
  });

  test("a missing token refuses the start, as any other missing secret does", () => {
    const missing = new SecretUnavailable(
      'the secret "github-token" is missing: GITHUB_TOKEN is not set in loopdash\'s environment',
    );
    expect(() => refuseUnread(missing, "github")).toThrow(
      expect.objectContaining({ todo: expect.stringContaining("Set that variable"), exitCode: 4 }),
    );
  });
});
