import { expect, test } from "vitest";
import { cleanUp, git, setUp } from "./real-repo.ts";

cleanUp();

const remotesOf = (...settings: readonly (readonly [string, string])[]) =>
  setUp((user) => {
    for (const [key, value] of settings) git(user, "config", key, value);
  }).then(({ repo }) => repo.url);

test("a repository's page is that of its origin, without the token that the remote holds", async () => {
  expect(await remotesOf(["remote.origin.url", "https://someone:ghp_secret@github.com/acme/app.git"])).toBe(
    "https://github.com/acme/app",
  );
});

test("the remote that the base follows comes first", async () => {
  const url = await remotesOf(
    ["remote.origin.url", "git@github.com:me/fork.git"],
    ["remote.upstream.url", "git@github.com:acme/app.git"],
    ["branch.main.remote", "upstream"],
  );
  expect(url).toBe("https://github.com/acme/app");
});

test("a base that follows a local branch has the page of origin", async () => {
  expect(await remotesOf(["remote.origin.url", "git@github.com:acme/app"], ["branch.main.remote", "."])).toBe(
    "https://github.com/acme/app",
  );
});

test("an address is read as git rewrites it", async () => {
  expect(await remotesOf(["remote.origin.url", "gh:acme/app"], ["url.https://github.com/.insteadOf", "gh:"])).toBe(
    "https://github.com/acme/app",
  );
  expect(
    await remotesOf(
      ["remote.origin.url", "https://github.com/acme/app"],
      ["url.https://mirror.example/.insteadOf", "https://github.com/acme/"],
      ["url.git@github.com:.insteadOf", "https://github.com/"],
    ),
  ).toBeUndefined();
});

test("a repository without a remote, or with one elsewhere, has no page", async () => {
  expect(await remotesOf()).toBeUndefined();
  expect(await remotesOf(["remote.origin.url", "https://git.corp.example/acme/app.git"])).toBeUndefined();
});
