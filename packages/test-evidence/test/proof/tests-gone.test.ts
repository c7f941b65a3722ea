import { describe, expect, test } from "vitest";
import { classify } from "./classify.ts";

describe("tests beside the code of Rust, which no test of the base can stand in for", () => {
  const asserts = Array.from({ length: 12 }, (_, n) => `        assert_eq!(super::a(${n}), ${n});\n`).join("");
  const text = `pub fn a(n: u8) -> u8 { n }

#[cfg(test)]
mod tests {
    #[test]
    fn is_same() {
${asserts}    }
    #[test]
    fn is_odd() { assert_eq!(super::a(3) % 2, 1); }
}
`;
  const base = { "Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": text };
  const goneBy = (change: Record<string, string>) => classify({ command: ["cargo", "test"], base, change }).testsGone;
  const edited = (from: string | RegExp, to: string) => ({ "src/lib.rs": text.replace(from, to) });

  test.for<[what: string, change: Record<string, string>]>([
    ["deleted", edited(/#\[cfg[^]*/, "")],
    ["left out by an attribute", edited("#[test]", "#[cfg(any())]")],
    ["without what they assert", { "src/lib.rs": text.replaceAll("assert_eq!(super::a(", "let _ = (super::a(") }],
  ])("are gone if %s", ([, change]) => {
    expect(goneBy(change)).toEqual(["src/lib.rs"]);
  });

  test.for<[what: string, change: Record<string, string>]>([
    ["the code changes", edited("{ n }", "{ n + 1 }")],
    ["one asserts something else", edited("% 2, 1", "& 1, 1")],
    ["they move to a file of tests", { ...edited(/#\[cfg[^]*/, ""), "tests/a.rs": text.slice(text.indexOf("mod tests {")) }],
  ])("are not gone if %s", ([, change]) => {
    expect(goneBy(change)).toEqual([]);
  });
});
