import type { IBufferCell, Terminal } from "@xterm/headless";
import stringWidth from "string-width";

/** Size of one cell in user units; the font is scaled to it. */
const CELL = { width: 8.4, height: 17 } as const;
const MARGIN = 12;
const FONT = 14;

/** Colours of a terminal: background, text, and the sixteen named ones. */
interface Palette {
  readonly ground: string;
  readonly text: string;
  readonly named: readonly string[];
}

const PALETTES: Readonly<Record<"dark" | "light", Palette>> = {
  dark: {
    ground: "#11151c",
    text: "#d5dbe3",
    named: [
      ..."#3b4252 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ced6".split(" "),
      ..."#7b8494 #f28b93 #b5e890 #f5d99b #82c4ff #dd9af0 #7fd7e0 #ffffff".split(" "),
    ],
  },
  light: {
    ground: "#fbfbf8",
    text: "#22262c",
    named: [
      ..."#22262c #b02a1c #24681a #835200 #1d5fb0 #7d25b0 #0a6478 #d5d8dc".split(" "),
      ..."#6a717a #c8392b #2f7d23 #9a6400 #2a72cc #9436cc #0f7a91 #ffffff".split(" "),
    ],
  },
};

/**
 * Levels of the colour cube of the 256-colour palette, and its greys (ISO 8613-6 leaves them to implementations; these are
 * xterm's).
 */
const LEVELS = [0, 95, 135, 175, 215, 255] as const;

const hex = (red: number, green: number, blue: number): string =>
  `#${[red, green, blue].map((n) => n.toString(16).padStart(2, "0")).join("")}`;

function paletteColor(index: number, { named, text }: Palette): string {
  if (index < 16) return named[index] ?? text;
  if (index >= 232) return hex(8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232));
  const level = (n: number): number => LEVELS[n % 6] ?? 0;
  const cube = index - 16;
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6)), level(cube));
}

interface Style {
  readonly fill: string;
  readonly ground: string;
  readonly extra: string;
}

function styleOf(cell: IBufferCell, palette: Palette): Style {
  const color = (kind: "fg" | "bg", otherwise: string): string => {
    const [value, isDefault, isRgb] =
      kind === "fg"
        ? [cell.getFgColor(), cell.isFgDefault(), cell.isFgRGB()]
        : [cell.getBgColor(), cell.isBgDefault(), cell.isBgRGB()];
    if (isDefault) return otherwise;
    return isRgb ? hex(value >> 16, (value >> 8) & 0xff, value & 0xff) : paletteColor(value, palette);
  };
  const [fore, back] = [color("fg", palette.text), color("bg", palette.ground)];
  const extra = [
    cell.isBold() ? ' font-weight="bold"' : "",
    cell.isDim() ? ' opacity="0.6"' : "",
    cell.isItalic() ? ' font-style="italic"' : "",
    cell.isUnderline() ? ' text-decoration="underline"' : "",
  ].join("");
  return cell.isInverse() ? { fill: back, ground: fore, extra } : { fill: fore, ground: back, extra };
}

interface Run {
  readonly column: number;
  readonly style: Style;
  text: string;
  width: number;
}

/** Neighbouring cells of the same style in one line. */
function runsIn(terminal: Terminal, row: number, palette: Palette): Run[] {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row);
  const runs: Run[] = [];
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell, palette);
    const last = runs.at(-1);
    const text = cell.getChars() || " ";
    if (last !== undefined && JSON.stringify(last.style) === JSON.stringify(style)) {
      last.text += text;
      last.width += cell.getWidth();
    } else runs.push({ column, style, text, width: cell.getWidth() });
  }
  return runs;
}

/** Words separated by one blank: viewers drop blanks at the ends, and collapse those within. */
const PIECE = /\S+(?: \S+)*/g;
const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const round = (n: number): string => n.toFixed(1).replace(/\.0$/, "");

function drawRow(terminal: Terminal, row: number, palette: Palette): string {
  const top = MARGIN + row * CELL.height;
  const left = (column: number): string => round(MARGIN + column * CELL.width);
  const runs = runsIn(terminal, row, palette);
  const grounds = runs
    .filter((run) => run.style.ground !== palette.ground)
    .map(
      (run) =>
        `<rect x="${left(run.column)}" y="${round(top)}" width="${round(run.width * CELL.width)}" height="${CELL.height}" fill="${run.style.ground}"/>`,
    );
  // A position and a width for every piece keep columns aligned in any font.
  const texts = runs.flatMap((run) =>
    [...run.text.matchAll(PIECE)].map(({ 0: piece, index }) => {
      const x = left(run.column + stringWidth(run.text.slice(0, index)));
      const at = `x="${x}" y="${round(top + FONT)}" textLength="${round(stringWidth(piece) * CELL.width)}"`;
      return `<text ${at} fill="${run.style.fill}"${run.style.extra}>${escapeXml(piece)}</text>`;
    }),
  );
  return [...grounds, ...texts].join("");
}

/** One screen, row by row; a row is empty where nothing is drawn in it. */
export type Frame = readonly string[];

/** What stands on the screen of a terminal now. */
export function frameOf(terminal: Terminal, ground: keyof typeof PALETTES = "dark"): Frame {
  return Array.from({ length: terminal.rows }, (_, row) => drawRow(terminal, row, PALETTES[ground]));
}

/** A row of one content, from the first frame that has it to before the next that does not. */
interface Stretch {
  readonly drawn: string;
  readonly from: number;
  readonly to: number;
}

function stretchesOf(frames: readonly Frame[], row: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  frames.forEach((frame, i) => {
    const drawn = frame[row] ?? "";
    const last = stretches.at(-1);
    if (last !== undefined && last.drawn === drawn) stretches[stretches.length - 1] = { ...last, to: i + 1 };
    else stretches.push({ drawn, from: i, to: i + 1 });
  });
  return stretches.filter(({ drawn }) => drawn !== "");
}

/**
 * Screens one after another, for ever, as a picture that moves without a script: rows are shown and hidden by CSS. `seconds` is how
 * long each stands, `last` how long the last one does. Who wants no motion sees the frame `still` alone.
 */
export function framesToSvg(
  frames: readonly Frame[],
  options: {
    readonly size: Pick<Terminal, "cols" | "rows">;
    readonly title: string;
    readonly seconds: number;
    readonly last: number;
    readonly still: number;
  },
): string {
  const { size, title, seconds, last, still } = options;
  const total = (frames.length - 1) * seconds + last;
  const percentAt = (frame: number): string => round(frame === frames.length ? 100 : (100 * frame * seconds) / total);
  const rules = new Map<string, string>();
  const rows = Array.from({ length: size.rows }, (_, row) => stretchesOf(frames, row)).flatMap((stretches) =>
    stretches.map(({ drawn, from, to }) => {
      const standing = from <= still && still < to ? " s" : "";
      if (from === 0 && to === frames.length) return drawn;
      const name = `k${from}-${to}`;
      const shown = `${percentAt(from)}%{visibility:visible}`;
      const hidden = to === frames.length ? "" : `${percentAt(to)}%{visibility:hidden}`;
      rules.set(
        name,
        `@keyframes ${name}{${from === 0 ? "" : "0%{visibility:hidden}"}${shown}${hidden}}.${name}{animation-name:${name}}`,
      );
      return `<g class="f ${name}${standing}">${drawn}</g>`;
    }),
  );
  const style = [
    `.f{visibility:hidden;animation:${round(total)}s step-end infinite}`,
    ".s{visibility:visible}",
    ...rules.values(),
    "@media(prefers-reduced-motion:reduce){.f{animation:none}}",
  ];
  return pictureOf({ size, title, ground: "dark", style: `<style>\n${style.join("\n")}\n</style>\n`, rows });
}

/** The screen of a terminal as a picture that needs no font of its own. `title` is for people who cannot see it. */
export function screenToSvg(terminal: Terminal, title: string, ground: "dark" | "light" = "dark"): string {
  return pictureOf({ size: terminal, title, ground, style: "", rows: frameOf(terminal, ground).filter((row) => row !== "") });
}

function pictureOf(picture: {
  readonly size: Pick<Terminal, "cols" | "rows">;
  readonly title: string;
  readonly ground: keyof typeof PALETTES;
  readonly style: string;
  readonly rows: readonly string[];
}): string {
  const { size, title, style, rows } = picture;
  const palette = PALETTES[picture.ground];
  const width = round(size.cols * CELL.width + 2 * MARGIN);
  const height = round(size.rows * CELL.height + 2 * MARGIN);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
${style}<rect width="100%" height="100%" rx="8" fill="${palette.ground}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}">
${rows.join("\n")}
</g>
</svg>
`;
}
