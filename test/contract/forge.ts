import { describe, expect, test } from "vitest";
import type { Forge } from "../../src/ports/forge.ts";
import type { Repo } from "../../src/ports/vcs.ts";

/** A forge with a base of one commit, and what people do around it. */
export interface ForgeStage {
  readonly forge: Forge;
  /** The repository on this machine. */
  readonly repo: Repo;
  /** A commit on top of another, with one more file. On no branch. */
  commitOn(parent: string, file: string): string;
  /** The tip of the base where it counts. */
  tip(): string;
  /** The tip of the base on this machine. */
  here(): string;
  /** Somebody else lands a commit where it counts. Returns it. */
  landByOther(file: string): string | Promise<string>;
  /** A person leaves an uncommitted change in the checkout of the base. */
  makeDirty(): void;
  /** The person takes it back. */
  makeClean(): void;
}

/** The part of a stage that follows the base of the forge. */
type FollowingStage = Pick<ForgeStage, "commitOn" | "here" | "landByOther"> & {
  readonly forge: Pick<Forge, "sync" | "missing">;
};

/** Every forge follows its base like this, also one that lands changes by its own merge. */
export function followingContract(name: string, open: () => Promise<FollowingStage>): void {
  describe(`forge contract, following the base: ${name}`, () => {
    test("brings the base of this machine up to date, and looks without moving it", async () => {
      const stage = await open();
      const other = await stage.landByOther("other.txt");
      const before = stage.here();
      expect(await stage.forge.sync("look")).toBeUndefined();
      expect(stage.here()).toBe(before);
      expect(await stage.forge.sync()).toBeUndefined();
      expect(stage.here()).toBe(other);
    });

    test("names the commits that its base lacks", async () => {
      const stage = await open();
      const from = stage.here();
      const beside = stage.commitOn(from, "beside.txt");
      const other = await stage.landByOther("other.txt");
      expect(await stage.forge.missing([from, other, beside])).toEqual([beside]);
    });
  });
}

/** Every forge that takes a commit as it is lands it like this. */
export function forgeContract(name: string, open: () => Promise<ForgeStage>): void {
  followingContract(name, open);
  describe(`forge contract: ${name}`, () => {
    test("lands a commit on the base, there and here", async () => {
      const stage = await open();
      const from = stage.tip();
      const to = stage.commitOn(from, "work.txt");
      expect(await stage.forge.land({ from, to })).toEqual({ as: "landed" });
      expect([stage.tip(), stage.here()]).toEqual([to, to]);
    });

    test("lands it once, however often it is asked", async () => {
      const stage = await open();
      const from = stage.tip();
      const to = stage.commitOn(from, "work.txt");
      await stage.forge.land({ from, to });
      const next = stage.commitOn(to, "more.txt");
      await stage.forge.land({ from: to, to: next });
      expect(await stage.forge.land({ from, to })).toEqual({ as: "landed" });
      expect([stage.tip(), stage.here()]).toEqual([next, next]);
    });

    test("names the commits that its base lacks", async () => {
      const stage = await open();
      const from = stage.tip();
      const to = stage.commitOn(from, "work.txt");
      await stage.forge.land({ from, to });
      const beside = stage.commitOn(from, "beside.txt");
      expect(await stage.forge.missing([from, to, beside])).toEqual([beside]);
    });

    test("lands nothing on a base that has moved, and says where it is", async () => {
      const stage = await open();
      const from = stage.tip();
      const to = stage.commitOn(from, "work.txt");
      const other = await stage.landByOther("other.txt");
      expect(await stage.forge.land({ from, to })).toEqual({ as: "moved", tip: other });
      expect([stage.tip(), stage.here()]).toEqual([other, other]);
    });

    test("of two landings at the same time one lands, and the other has moved", async () => {
      const stage = await open();
      const from = stage.tip();
      const [one, two] = [stage.commitOn(from, "one.txt"), stage.commitOn(from, "two.txt")] as const;
      const landings = await Promise.all([one, two].map((to) => stage.forge.land({ from, to })));
      expect(landings.map(({ as }) => as).toSorted()).toEqual(["landed", "moved"]);
      expect(stage.tip()).toBe(landings[0]?.as === "landed" ? one : two);
      expect(stage.here()).toBe(stage.tip());
    });

    test("waits for a person's checkout, and loses nothing of it", async () => {
      const stage = await open();
      const from = stage.tip();
      const to = stage.commitOn(from, "work.txt");
      stage.makeDirty();
      expect(await stage.forge.land({ from, to })).toMatchObject({
        as: "waiting",
        reason: expect.stringContaining("uncommitted"),
      });
      expect(stage.here()).toBe(from);
      stage.makeClean();
      expect(await stage.forge.land({ from, to })).toEqual({ as: "landed" });
      expect([stage.tip(), stage.here()]).toEqual([to, to]);
    });
  });
}
