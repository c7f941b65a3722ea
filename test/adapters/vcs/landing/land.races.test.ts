import { describe, expect, test } from "vitest";
import { land } from "../../../../src/adapters/vcs/landing/land.ts";
import type { Store } from "../../../../src/adapters/vcs/repository/store.ts";
import { cleanUp, git, write } from "../real-repo.ts";
import { openedStore } from "../sessions.ts";

cleanUp();

describe("a landing while others move the base", () => {
  test("never moves the base back, though it moves away and comes again while it is looked at", async () => {
    const { user, store, first: to } = await openedStore();
    git(user, "commit", "-q", "--allow-empty", "-m", "on top");
    const from = git(user, "rev-parse", "main");
    git(user, "commit", "-q", "--allow-empty", "-m", "away");
    const looks = [git(user, "rev-parse", "main")];
    git(user, "reset", "-q", "--hard", from);
    const readBranch: Store["readBranch"] = (ref) => Promise.resolve(looks.shift()).then((tip) => tip ?? store.readBranch(ref));
    await land({ ...store, readBranch }, { from, to }, { ours: new Set(), unwilling: new Set() });
    expect(git(user, "rev-parse", "main")).toBe(from);
  });

  test("has moved if another landing moves base and checkout after the look at the base: that is no person's work", async () => {
    const { user, store } = await openedStore();
    const from = git(user, "rev-parse", "main");
    const commit = (file: string) => {
      write(user, file, "new\n");
      git(user, "add", file);
      git(user, "commit", "-q", "-m", file);
      const made = git(user, "rev-parse", "main");
      git(user, "reset", "-q", "--hard", from);
      return made;
    };
    const [to, other] = [commit("one.txt"), commit("two.txt")] as const;
    git(user, "reset", "-q", "--hard", other);
    const looks = [from];
    const readBranch: Store["readBranch"] = (ref) => Promise.resolve(looks.shift()).then((tip) => tip ?? store.readBranch(ref));
    const landing = await land({ ...store, readBranch }, { from, to }, { ours: new Set(), unwilling: new Set() });
    expect(landing).toEqual({ as: "moved", tip: other });
  });
});
