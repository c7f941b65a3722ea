import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { desk } from "../desk.ts";
import { batchOf, RunBuilder } from "../run-builder.ts";
import { plumbing, plumbingEnded } from "../scenes.ts";

describe("retry", () => {
  const select = (d: ReturnType<typeof desk>, id: string) => d.store.dispatch({ type: "select", ticket: TicketId.parse(id) });
  const stalled = () => {
    const run = plumbing();
    run.play({ type: "ticket-stalled", ticket: TicketId.parse("T-8"), reason: "3 of 3 attempts failed" });
    return run;
  };

  test("a stalled ticket is tried again after it was asked for, and not by the burst that asked", () => {
    const d = desk(stalled());
    select(d, "T-8");
    d.type("ry");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toEqual({ kind: "retry", ticket: "T-8" });
    d.type("y");
    expect(d.sent).toEqual([{ type: "retry", ticket: "T-8" }]);
    expect(d.ui().modal).toBeUndefined();
  });

  test("says why a ticket is not tried again", () => {
    const d = desk(stalled());
    d.type("r");
    expect(d.ui().toast?.text).toBe("select a ticket first: j/k");
    select(d, "T-9");
    d.type("r");
    expect(d.ui().toast?.text).toBe("T-9 is not stalled");
    select(d, "T-7");
    d.type("r");
    expect(d.ui().toast?.text).toBe("an attempt at T-7 is under way");
    expect(d.ui().modal).toBeUndefined();
  });
});

describe("heal", () => {
  test("asks first, and no burst confirms it", () => {
    const d = desk(plumbing());
    d.type("hyhy");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toEqual({ kind: "heal" });
    d.type("y");
    expect(d.sent).toEqual([{ type: "heal" }]);
  });

  test("that is asked for is called off by the same key, and the last line says so until it has begun", () => {
    const run = plumbing();
    const short = ({ store }: ReturnType<typeof desk>) => {
      const state = store.getState();
      return state.keymap.overview.find(({ name }) => name === "heal")?.short?.(state);
    };
    expect(short(desk(run))).toBe("");
    run.play({ type: "heal-asked" });
    const d = desk(run);
    expect(short(d)).toBe("cancel the heal");
    d.type("h");
    expect(d.sent).toEqual([{ type: "drop-heal" }]);
    expect(d.ui().modal).toBeUndefined();
    run.play({ type: "heal-dropped", why: "a person cancelled it" });
    const after = desk(run);
    after.type("h");
    expect(after.sent).toEqual([]);
    expect(after.ui().modal).toEqual({ kind: "heal" });
  });

  test("says that heals are off", () => {
    const d = desk(new RunBuilder(batchOf({ tickets: [{ id: "A" }], limits: { heals: 0 } })));
    d.store.dispatch({ type: "connection", connection: { state: "live" } });
    d.type("h");
    expect(d.ui().modal).toBeUndefined();
    expect(d.ui().toast?.text).toBe("heals are off in this batch");
  });
});

describe("a note of an intervention", () => {
  test("tells work from tending the machinery, and is sent by an Enter of its own", () => {
    const d = desk(plumbing());
    d.type("i");
    d.type("restarted the registry\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toMatchObject({ kind: "note", input: { text: "restarted the registry" }, work: true });
    d.press({ key: "tab" });
    d.type("\r");
    expect(d.sent).toEqual([{ type: "note", kind: "harness", text: "restarted the registry" }]);
  });

  test("is not sent empty", () => {
    const d = desk(plumbing());
    d.type("i");
    d.type("\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toHaveProperty("problem");
  });
});

describe("adding a ticket", () => {
  test("asks for its title, then for its text, each sent on by an Enter of its own", () => {
    const d = desk(plumbing());
    d.type("a");
    d.type("\r");
    expect(d.ui().modal).toMatchObject({ kind: "add", problem: "say what is to be done" });
    d.type(`${"x".repeat(201)}`);
    d.type("\r");
    expect(d.ui().modal).toMatchObject({ problem: "a title has at most 200 characters" });
    d.press({ key: "ctrl-u" });
    d.type("Fix the tap");
    d.type("\r");
    expect(d.ui().modal).toMatchObject({ kind: "add", title: "Fix the tap", input: { text: "" } });
    d.type("It drips.");
    d.type("\r");
    expect(d.sent).toEqual([{ type: "add", ticket: { title: "Fix the tap", body: "It drips.", repo: expect.any(String) } }]);
    expect(d.ui().modal).toBeUndefined();
  });

  test("is for the repository that Tab chooses, and may have no text", () => {
    const d = desk(
      new RunBuilder(
        batchOf({
          tickets: [
            { id: "A", repo: "app" },
            { id: "B", repo: "infra" },
          ],
        }),
      ),
    );
    d.store.dispatch({ type: "connection", connection: { state: "live" } });
    d.type("a");
    const { repo } = d.ui().modal as { repo: string };
    const repos = Object.keys(d.store.getState().run?.batch.repos ?? {});
    d.press({ key: "tab" });
    expect(d.ui().modal).toMatchObject({ repo: repos[(repos.indexOf(repo) + 1) % repos.length] });
    d.type("One");
    d.type("\r");
    d.type("\r");
    expect(d.sent).toEqual([{ type: "add", ticket: { title: "One", repo: repos[(repos.indexOf(repo) + 1) % repos.length] } }]);
  });
});

describe("workers", () => {
  test("+ and - ask for one more and one fewer, within bounds", () => {
    const d = desk(plumbing());
    d.type("+");
    d.type("-");
    expect(d.sent).toEqual([
      { type: "workers", workers: 5 },
      { type: "workers", workers: 3 },
    ]);
    const one = desk(plumbing({ workers: 1 }));
    one.type("-");
    expect(one.sent).toEqual([]);
    expect(one.ui().toast?.text).toBe("at least one worker; p pauses the run");
  });
});

describe("the filter", () => {
  test("narrows at once, is kept by Enter, and given up by Escape", () => {
    const d = desk(plumbing());
    d.type("/");
    d.type("bucket");
    expect(d.ui().filter).toBe("bucket");
    d.press({ key: "escape" });
    expect(d.ui()).toMatchObject({ filter: "" });
    expect(d.ui().modal).toBeUndefined();
    d.type("/bucket\r");
    expect(d.ui().filter).toBe("bucket");
    expect(d.ui().modal).toBeUndefined();
    d.type("/");
    d.type("s");
    expect(d.ui().filter).toBe("buckets");
    d.press({ key: "escape" });
    expect(d.ui().filter).toBe("bucket");
    d.press({ key: "escape" });
    expect(d.ui().filter).toBe("");
  });

  test("is what the selection walks over, from its first hit on", () => {
    const d = desk(plumbing());
    d.type("j");
    expect(d.ui().selected).not.toBe("T-6");
    d.type("/bucket\r");
    expect(d.ui().selected).toBe("T-6");
    d.type("j");
    expect(d.ui().selected).toBe("T-10");
    d.type("jj");
    expect(d.ui().selected).toBe("T-10");
  });

  test("without a hit leaves nothing selected that a key would act on unseen", () => {
    const d = desk(plumbing());
    d.type("j");
    d.type("/no such ticket\r");
    expect(d.ui().selected).toBeUndefined();
    d.type("\r");
    expect(d.ui().view).toBe("overview");
  });
});

describe("revert", () => {
  test("asks, and sends the command to the engine of a run that goes on", () => {
    const d = desk(plumbing());
    d.type("u");
    expect(d.ui().modal).toBeUndefined();
    const landed = d.store.getState().lists.done[0];
    d.store.dispatch({ type: "select", ticket: landed as NonNullable<typeof landed> });
    d.type("u");
    expect(d.ui().modal).toEqual({ kind: "revert", ticket: landed });
    d.type("y");
    expect(d.sent).toEqual([{ type: "revert", ticket: landed }]);
    expect(d.left).toEqual([]);
  });

  test("leaves the dashboard of a run that has ended, which makes room for the run that reverts", () => {
    const d = desk(plumbingEnded("done"));
    d.type("G");
    d.type("jjj");
    expect(d.ui().selected).toBe("T-1");
    d.type("u");
    expect(d.ui().modal).toEqual({ kind: "revert", ticket: "T-1" });
    d.type("y");
    expect(d.sent).toEqual([{ type: "revert", ticket: "T-1" }]);
    expect(d.left).toEqual(["ended"]);
  });

  test("says why there is nothing to take back", () => {
    const d = desk(plumbingEnded("done"));
    d.type("j");
    d.type("u");
    expect(d.ui().modal).toBeUndefined();
    expect(d.ui().toast?.text).toMatch(/T-5 has not landed|last word on T-5/);
  });
});
