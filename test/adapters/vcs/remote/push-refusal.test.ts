import { describe, expect, test } from "vitest";
import { isForbidden, isOwnFault, refusalWords } from "../../../../src/adapters/vcs/remote/push-refusal.ts";

const refusal = (why: string, ...told: readonly string[]) =>
  refusalWords(`!\tHEAD:refs/heads/main\t[remote rejected] (${why})`, told.map((line) => `remote: ${line}`).join("\n"));

describe("isForbidden", () => {
  test.each([
    ["protected branch hook declined", "error: GH006: Protected branch update failed for refs/heads/main."],
    ["pre-receive hook declined", "GitLab: You are not allowed to push code to protected branches on this project."],
    ["pre-receive hook declined", "Gitea: Not allowed to push to protected branch main"],
    [
      "push declined due to repository rule violations",
      "error: GH013: Repository rule violations",
      "- Changes must be made through a pull request.",
    ],
    [
      "push declined due to repository rule violations",
      "error: GH013: Repository rule violations",
      "- Cannot create ref due to creations being restricted.",
    ],
    ["branch is currently checked out"],
  ])("is true for a missing right: %s %s", (why, ...told) => {
    expect(isForbidden(refusal(why, ...told))).toBe(true);
  });

  test.each([
    [
      "pre-receive hook declined",
      "error: GH001: Large files detected.",
      "error: File a.bin is 101.00 MB; this exceeds the limit",
    ],
    ["push declined due to repository rule violations", "error: GH013: Repository rule violations", "- GITHUB PUSH PROTECTION"],
    ["pre-receive hook declined", "error: File GH006 not allowed to push is bad"],
    ["hook declined", "no commits on Fridays"],
    ["protected branch hook declined", "error: GH006: Protected branch", "- Push cannot contain secrets"],
  ])("is false for what a change holds: %s %s", (why, ...told) => {
    expect(isForbidden(refusal(why, ...told))).toBe(false);
  });
});

describe("isOwnFault", () => {
  test("takes the server's own words", () => {
    expect(["Internal Server Error", "failed to update ref", "unpacker error"].map((why) => isOwnFault(refusal(why)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("does not take a name that a hook quotes", () => {
    expect(isOwnFault(refusal("pre-receive hook declined", "error: File timeout.bin is 101.00 MB"))).toBe(false);
  });
});
