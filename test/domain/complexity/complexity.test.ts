import { describe, expect, test } from "vitest";
import { resolveRoutes } from "../../../src/domain/batch/complexity-spec.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import type { Zone } from "../../../src/domain/bound/bound.ts";
import type { TouchedFile } from "../../../src/domain/bound/touched.ts";
import { COMPLEXITIES, classOfSize, hardestRuling, isHarder } from "../../../src/domain/complexity/classes.ts";
import { hiddenLines } from "../../../src/domain/complexity/hidden-lines.ts";
import { complexityOfChange } from "../../../src/domain/complexity/of-change.ts";
import { complexityOfTicket } from "../../../src/domain/complexity/of-ticket.ts";
import { appliesTo, lineWithReviews } from "../../../src/domain/complexity/review-steps.ts";

const ZONES: readonly Zone[] = [{ path: "src/pay/", origin: { file: "batch" } }];
const changed = (...paths: readonly string[]): readonly TouchedFile[] =>
  paths.map((path) => ({ path, how: "modified", mode: "file" }));
const files = (count: number) => changed(...Array.from({ length: count }, (_, i) => `src/${i}.ts`));

describe("a class by size", () => {
  test.for([
    [20, 1, "trivial"],
    [21, 1, "simple"],
    [20, 2, "simple"],
    [100, 3, "simple"],
    [101, 3, "complex"],
    [100, 4, "complex"],
    [500, 10, "complex"],
    [501, 10, "architectural"],
    [1, 11, "architectural"],
  ] as const)("%i lines in %i files are %s (S3.22)", ([lines, count, is]) => {
    expect(classOfSize({ lines, files: count })).toBe(is);
    expect(complexityOfChange({ paths: files(count), additions: lines - 1, deletions: 1 }, []).class).toBe(is);
  });

  test("the hardest of several counts, and the first of equals says why", () => {
    expect(COMPLEXITIES.map((one) => isHarder(one, "simple"))).toEqual([false, false, true, true]);
    const rulings = ["simple", "complex", "complex", "trivial"].map((one, i) => ({ class: one, why: `${i}` })) as never as [
      { class: "simple"; why: string },
    ];
    expect(hardestRuling(...rulings)).toEqual({ class: "complex", why: "1" });
  });
});

describe("a change", () => {
  test.for([
    ["src/pay/card.ts", "touches the zone src/pay/"],
    ["app/migrations/0001_init.py", "changes the migration app/migrations/0001_init.py"],
    ["web/package.json", "changes the manifest web/package.json"],
    ["requirements-dev.txt", "changes the manifest requirements-dev.txt"],
  ] as const)("of one line in %s is complex", ([path, why]) => {
    const ruling = complexityOfChange({ paths: changed(path), additions: 1, deletions: 0 }, ZONES);
    expect(ruling).toEqual({ class: "complex", why });
  });

  test.for([
    ["src/0.ts", "architectural"],
    ["web/icon.PNG", "complex"],
  ] as const)("whose lines in %s cannot be counted is %s: what is not known is not small", ([path, is]) => {
    const change = { paths: changed("web/icon.PNG", path), additions: 0, deletions: 0, uncounted: ["web/icon.PNG", path] };
    expect(complexityOfChange(change, ZONES)).toEqual({ class: is, why: `has lines that cannot be counted in ${path}` });
  });

  test("is told by its size if that alone counts", () => {
    expect(complexityOfChange({ paths: files(1), additions: 1, deletions: 0 }, ZONES)).toEqual({
      class: "trivial",
      why: "1 line in 1 file",
    });
  });
});

describe("the lines that long ones hide", () => {
  const hidden = (diff: string) => hiddenLines(Buffer.from(diff));
  const line = (bytes: number, sign = "+") => `${sign}${"x".repeat(bytes)}\n`;

  test.for([
    ["", 0],
    [line(200), 0],
    [line(201), 1],
    [line(400), 1],
    [line(401), 2],
    [line(100_000), 499],
    [line(401, "-") + line(401), 4],
    [line(2_000, " "), 0],
    ["+".concat("x".repeat(401)), 2],
    [`+${"\u00e9".repeat(150)}\n`, 1],
  ] as const)("of a diff are counted by its bytes (case %#)", ([diff, count]) => {
    expect(hidden(diff)).toBe(count);
  });

  test("make a change as hard as its bytes", () => {
    const one = { paths: files(1), additions: 1, deletions: 0 };
    expect(complexityOfChange({ ...one, hiddenLines: 499 }, ZONES)).toEqual({
      class: "complex",
      why: "500 lines in 1 file (long lines add 499)",
    });
    expect(complexityOfChange({ ...one, hiddenLines: "unknown" }, ZONES)).toEqual({
      class: "architectural",
      why: "has lines that are too long to be counted",
    });
  });
});

describe("a ticket before its first change", () => {
  const of = (body: string, complexity?: "trivial" | "architectural") =>
    complexityOfTicket({ title: "Do it", body, complexity }, ZONES);

  test.for([
    ["", "simple"],
    ["This is trivial, a one-line typo; complexity: trivial.", "simple"],
    ["See `src/a.ts`, src/b.ts and ./src/c.ts.", "simple"],
    ["See `src/a.ts`, src/b.ts, src/c.ts and src/d.ts.", "complex"],
    [Array.from({ length: 11 }, (_, i) => `lib/${i}/mod.rs`).join(" "), "architectural"],
    ["The sum in src/pay/ is wrong", "complex"],
    ["The sum in src/payroll/sum.ts is wrong, e.g. for 1.5 and/or 2", "simple"],
    ["Bump lodash in package.json", "complex"],
    ["A breaking change of the client", "complex"],
    ["Fix a typo in docs/inside/architecture.md", "simple"],
    ["Redesign the storage", "architectural"],
    ["See https://example.com/architecture/a.html", "simple"],
  ] as const)("%j is %s", ([body, is]) => {
    expect(of(body).class).toBe(is);
  });

  test("has the class that the batch file gives it, whatever its text says", () => {
    expect(of("Redesign the storage", "trivial")).toEqual({ class: "trivial", why: "the batch file says so" });
    expect(of("", "architectural").class).toBe("architectural");
  });

  test("a text that is long to search takes no time", () => {
    const begun = performance.now();
    of(`${".".repeat(64_000)}x ${"a-".repeat(32_000)} ${"src/".repeat(16_000)}`);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe("a finish line with the reviews of classes", () => {
  const merge: StepSpec = { step: "merge" };
  const names = (line: readonly StepSpec[]) => line.map((step) => ("name" in step ? step.name : step.step));

  test("gets those that are missing, behind its own, for the classes that ask for them", () => {
    const routes = resolveRoutes(true);
    const own = [{ step: "gates" }, { step: "review", name: "review" }, merge] as const;
    const line = lineWithReviews(own, routes);
    expect(names(line)).toEqual(["gates", "review", "second-review", "merge"]);
    expect(line[2]).toMatchObject({ classes: ["complex", "architectural"] });
    expect(lineWithReviews(line, routes)).toEqual(line);
    expect(names(lineWithReviews([{ step: "gates" }, merge], routes))).toEqual([
      "gates",
      "first-review",
      "second-review",
      "merge",
    ]);
  });

  test("stays as it is if it has enough, and without routing", () => {
    const own = ["a", "b"].map((name): StepSpec => ({ step: "review", name }));
    expect(lineWithReviews([...own, merge], resolveRoutes(true))).toEqual([...own, merge]);
    expect(lineWithReviews([merge], undefined)).toEqual([merge]);
    expect(lineWithReviews([merge], resolveRoutes({ complex: {}, architectural: {} }))).toEqual([merge]);
  });

  test("such a step applies to its classes alone, and to a ticket whose class nobody knows", () => {
    const step = lineWithReviews([merge], resolveRoutes(true))[1] as StepSpec;
    expect((["trivial", "simple", "complex", "architectural", undefined] as const).map((one) => appliesTo(step, one))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(appliesTo({ step: "review", name: "review" }, "trivial")).toBe(true);
  });
});
