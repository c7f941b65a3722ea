import { describe, expect, test } from "vitest";
import { tellableAt } from "../../../src/domain/notice/timing.ts";

const at = (time: string, day = 10): number => new Date(`2026-11-${day}T${time}:00`).getTime();

describe("tellableAt", () => {
  test.each([
    ["without times", {}, "03:00", at("03:00")],
    ["before quiet hours", { quiet: "22:00-07:00" }, "21:59", at("21:59")],
    ["in quiet hours before midnight", { quiet: "22:00-07:00" }, "22:00", at("07:00", 11)],
    ["in quiet hours after midnight", { quiet: "22:00-07:00" }, "06:59", at("07:00")],
    ["at their end", { quiet: "22:00-07:00" }, "07:00", at("07:00")],
    ["in quiet hours of one day", { quiet: "12:00-13:00" }, "12:30", at("13:00")],
    ["before a digest", { digest: "08:00" }, "07:30", at("08:00")],
    ["after a digest", { digest: "08:00" }, "08:01", at("08:00", 11)],
    ["a digest in quiet hours", { digest: "06:00", quiet: "22:00-07:00" }, "05:00", at("07:00")],
  ])("%s", (_, times, now, expected) => {
    expect(tellableAt(times, at(now))).toBe(expected);
  });
});
