import { execFileSync } from "node:child_process";
import { appendFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FollowedState, followFile } from "../../../src/adapters/run-files/follow-file.ts";
import { until } from "../../e2e/actors.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

/** What a follower has told, with its last beginning. */
class Heard implements Disposable {
  text = "";
  begun: number[] = [];
  state: FollowedState | undefined;
  looks = 0;
  readonly #end: () => void;

  constructor(path: string, most?: number) {
    this.#end = followFile(
      path,
      {
        begin: ({ skipped }) => {
          this.begun.push(skipped);
          this.text = "";
        },
        text: (piece) => {
          this.text += piece;
        },
        looked: (state) => {
          this.state = state;
          this.looks += 1;
        },
      },
      most === undefined ? {} : { most },
    );
  }

  async has(text: string): Promise<void> {
    await until(() => this.text === text, `"${text}", heard "${this.text.slice(0, 200)}"`);
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

describe("a file that is followed", () => {
  const path = (): string => join(folder(), "agent.log");

  test("is told from its start, as it grows, with no character broken in two", async () => {
    writeFileSync(path(), "one\n");
    using heard = new Heard(path());
    await heard.has("one\n");
    const bytes = Buffer.from("zwei 鍵\n");
    appendFileSync(path(), bytes.subarray(0, 6));
    await heard.has("one\nzwei ");
    appendFileSync(path(), bytes.subarray(6));
    await heard.has("one\nzwei 鍵\n");
    expect(heard.begun).toEqual([0]);
  });

  test("need not be there yet, and may go and come again", async () => {
    using heard = new Heard(path());
    await until(() => heard.state === "absent", "absent");
    writeFileSync(path(), "here\n");
    await heard.has("here\n");
    rmSync(path());
    await until(() => heard.state === "absent", "absent again");
    writeFileSync(path(), "back\n");
    await heard.has("back\n");
  });

  test("begins again where it was cut, replaced, or written over", async () => {
    writeFileSync(path(), "one\ntwo\n");
    using heard = new Heard(path());
    await heard.has("one\ntwo\n");
    truncateSync(path(), 4);
    await heard.has("one\n");
    writeFileSync(join(folder(), "other"), "one\nanother file\n");
    renameSync(join(folder(), "other"), path());
    await heard.has("one\nanother file\n");
    writeFileSync(path(), "one\nwritten over it, and longer\n");
    await heard.has("one\nwritten over it, and longer\n");
    expect(heard.begun).toEqual([0, 0, 0, 0]);
  });

  test("is read from its end where it is long, and catches up where it grows too fast", async () => {
    writeFileSync(path(), "x".repeat(1000));
    using heard = new Heard(path(), 100);
    await heard.has("x".repeat(100));
    expect(heard.begun).toEqual([900]);
    appendFileSync(path(), `${"y".repeat(500)}end`);
    await heard.has(`${"y".repeat(97)}end`);
    expect(heard.begun).toEqual([900, 1403]);
  });

  test("is not read where it is not a plain file: a link, a folder, a pipe that nobody writes", async () => {
    writeFileSync(join(folder(), "secret"), "secret");
    symlinkSync(join(folder(), "secret"), path());
    using link = new Heard(path());
    execFileSync("mkfifo", [join(folder(), "pipe")]);
    using pipe = new Heard(join(folder(), "pipe"));
    using place = new Heard(folder());
    await until(() => [link, pipe, place].every(({ looks }) => looks > 1), "two looks");
    expect(link.state).toEqual({ refused: "it is a link" });
    expect(pipe.state).toEqual({ refused: "it is not a plain file" });
    expect(place.state).toEqual({ refused: "it is not a plain file" });
    expect(link.text + pipe.text + place.text).toBe("");
  });

  test("tells nothing after the end", async () => {
    writeFileSync(path(), "one\n");
    const heard = new Heard(path());
    using other = new Heard(path());
    await heard.has("one\n");
    heard[Symbol.dispose]();
    appendFileSync(path(), "two\n");
    await other.has("one\ntwo\n");
    const { looks } = other;
    await until(() => other.looks > looks + 1, "two more looks");
    expect(heard.text).toBe("one\n");
  });
});
