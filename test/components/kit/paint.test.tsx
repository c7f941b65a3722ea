import { Box, Text } from "ink";
import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, test, vi } from "vitest";

vi.hoisted(() => {
  // Ink's colours look at the environment once, when they are loaded.
  process.env["FORCE_COLOR"] = "3";
});

import { paint, type SpanLine } from "../../../components/kit/paint.ts";
import { Spans } from "../../../components/kit/spans.tsx";
import { chooseTheme, DEFAULT_THEME, type Theme } from "../../../components/kit/theme.ts";
import { styledRow } from "../../../components/terminal/styled-row.ts";
import type { Tone } from "../../../src/store/labels/tone.ts";

afterEach(cleanup);

const TONES = Object.keys(DEFAULT_THEME) as Tone[];
/** Every change from one look to another, bold, inverse or neither. */
const LINE: SpanLine = TONES.flatMap((from) =>
  TONES.flatMap(
    (to): SpanLine => [
      { text: "a", tone: from },
      { text: "b", tone: to, bold: true },
      { text: "", tone: "bad" },
      { text: "c", tone: from, bold: true, inverse: true },
      { text: "▌é", tone: to, bold: false },
      { text: "d" },
      { text: "e", tone: to, inverse: true },
    ],
  ),
);

/** So many stretches fit the terminal of the test library. */
const PART = 56;

/** The line as Ink draws it of a text for each stretch. */
function byInk(line: SpanLine, theme: Theme): string {
  const frame = render(
    <Text>
      {line.map(({ text, tone = "plain", bold, inverse }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no names
        <Text key={i} {...theme[tone]} bold={bold ?? theme[tone].bold ?? false} inverse={inverse ?? false}>
          {text}
        </Text>
      ))}
    </Text>,
  ).lastFrame();
  return frame ?? "";
}

describe.each(["none", "16", "256", "true"] as const)("a line painted for %s colours", (colours) => {
  test.each(["unknown", "dark", "light"] as const)(
    "looks cell by cell as Ink would have it, on a ground that is %s",
    (background) => {
      const theme = chooseTheme({ colours, background });
      for (let i = 0; i < LINE.length; i += PART) {
        const line = LINE.slice(i, i + PART);
        const looks = styledRow(paint(line, theme), 2 * PART);
        expect(looks?.chars.join("")).toContain("abc▌éde");
        expect(looks).toEqual(styledRow(byInk(line, theme), 2 * PART));
      }
    },
  );
});

test("a line that is wider than its place is cut with a mark and stays one line, in its looks", () => {
  const line: SpanLine = [{ text: "one two ", tone: "good" }, { text: "three" }];
  const { lastFrame } = render(
    <Box width={6} flexDirection="column">
      <Spans line={line} />
      <Text>below</Text>
    </Box>,
  );
  expect(lastFrame()).toBe(`${paint([{ text: "one t…", tone: "good" }], DEFAULT_THEME)}\nbelow`);
});

test("an empty line takes no row, as an empty text of Ink", () => {
  const { lastFrame } = render(
    <Box flexDirection="column">
      <Spans line={[]} />
      <Text>below</Text>
    </Box>,
  );
  expect(lastFrame()).toBe("below");
});
