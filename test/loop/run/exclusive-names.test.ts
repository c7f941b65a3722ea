import { describe, expect, it } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { ExclusiveNames, POLL_MS } from "../../../src/loop/run/exclusive-names.ts";
import type { Locks } from "../../../src/ports/locks.ts";

const T1 = TicketId.parse("T-1");

/** Locks of a machine, in memory: every run of it gets its own view of them. */
function machine() {
  const held = new Map<string, string>();
  const locksOf = (run: string): Locks => ({
    take(resources) {
      const taken = resources.find((resource) => held.has(resource));
      const by = taken === undefined ? undefined : (held.get(taken) ?? "");
      if (taken !== undefined) return { ok: false, resource: taken, holder: { pid: 1, run: by ?? "", since: 0 } };
      for (const resource of resources) held.set(resource, run);
      return { ok: true, locks: resources.map((resource) => ({ resource, [Symbol.dispose]: () => void held.delete(resource) })) };
    },
    isHeld: (resource) => held.has(resource),
  });
  const namesOf = (run: string) => new ExclusiveNames(locksOf(run), { pid: 1, run, since: 0 });
  return { held, namesOf };
}

describe("ExclusiveNames", () => {
  it("gives a name to one run at a time, and names the run that has it", () => {
    const { namesOf, held } = machine();
    const [a, b] = [namesOf("a"), namesOf("b")];
    expect(a.take(["db", "staging"])).toBeUndefined();
    expect(a.take(["db"])).toBeUndefined();
    expect(b.take(["other", "staging"])).toEqual({ name: "staging", by: "a" });
    expect([...held.values()]).toEqual(["a", "a"]);
    a.keep({ db: T1 });
    expect(b.take(["other", "staging"])).toBeUndefined();
    a[Symbol.dispose]();
    expect([...held.values()]).toEqual(["b", "b"]);
  });

  it("looks for freed names once in a while", () => {
    const { namesOf } = machine();
    const [a, b] = [namesOf("a"), namesOf("b")];
    a.take(["db"]);
    const waiting = { heldElsewhere: { db: { by: "a", since: 0 } } };
    expect(b.freed(waiting, 0)).toEqual([]);
    a.keep({});
    expect(b.freed(waiting, POLL_MS - 1)).toEqual([]);
    expect(b.freed(waiting, POLL_MS)).toEqual(["db"]);
    expect(b.freed({ heldElsewhere: {} }, 9 * POLL_MS)).toEqual([]);
  });
});
