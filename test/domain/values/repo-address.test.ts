import { describe, expect, test } from "vitest";
import { commitAddress, repoAddress } from "../../../src/domain/values/repo-address.ts";

describe("the page of a repository", () => {
  test.each([
    "https://github.com/acme/app.git",
    "https://github.com/acme/app/",
    "https://token:x-oauth-basic@github.com/acme/app.git",
    "https://ghp_secret@github.com/acme/app",
    "git@github.com:acme/app.git",
    "github.com:acme/app",
    "git@github.com:/acme/app.git",
    "ssh://git@github.com/acme/app.git",
    "ssh://git@github.com:22/acme/app",
    "ssh://git@ssh.github.com:443/acme/app.git",
    "git://github.com/acme/app.git",
    "git@GitHub.com:acme/app.git",
  ])("is found by %s, without user names and tokens", (remote) => {
    expect(repoAddress(remote)).toBe("https://github.com/acme/app");
  });

  test.each([
    ["git@gitlab.com:group/sub/app.git", "https://gitlab.com/group/sub/app"],
    ["https://oauth2:glpat@gitlab.com/group/app.git", "https://gitlab.com/group/app"],
    ["git@acme.ghe.com:team/app.git", "https://acme.ghe.com/team/app"],
  ])("is found by %s", (remote, address) => {
    expect(repoAddress(remote)).toBe(address);
  });

  test.each([
    "https://git.corp.example/acme/app.git",
    "https://github.com.evil.example/acme/app",
    "https://evil.example/github.com/acme/app",
    "git@bitbucket.org:acme/app.git",
    "/srv/git/app.git",
    "../github.com:acme/app",
    "C:\\repos\\app",
    "file:///github.com/acme/app",
    "ext::sh -c github.com:acme/app",
    "https://github.com/acme",
    "https://github.com/acme/app/issues",
    "https://github.com/acme/..",
    "git@github.com:acme/app\u001b]8;;",
    'git@github.com:acme/"onclick=',
    "",
  ])("is not known for %j", (remote) => {
    expect(repoAddress(remote)).toBeUndefined();
  });
});

describe("the page of a commit", () => {
  const sha = "0123456789abcdef0123456789abcdef01234567";

  test("is below its repository", () => {
    expect(commitAddress("https://github.com/acme/app", sha)).toBe(`https://github.com/acme/app/commit/${sha}`);
    expect(commitAddress("https://gitlab.com/acme/app", sha)).toBe(`https://gitlab.com/acme/app/-/commit/${sha}`);
  });

  test.each(["", "0123456", `${sha}/..`, sha.toUpperCase()])("is not known for %j", (text) => {
    expect(commitAddress("https://github.com/acme/app", text)).toBeUndefined();
  });
});
