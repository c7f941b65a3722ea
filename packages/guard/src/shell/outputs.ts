import { normalPath } from "../paths.ts";
import { isExact, isGlob, MARK, type ShellScope } from "./scope.ts";

interface Input {
  readonly args: readonly string[];
  readonly stdin: string | undefined;
  readonly scope: ShellScope;
  readonly content: (path: string) => string | undefined;
}

/** What a program prints, if the guard can work it out; else the mark for unknown output. */
export function programOutput(name: string, input: Input): string {
  return OUTPUTS[name]?.(input) ?? MARK.output;
}

const OUTPUTS: Readonly<Record<string, (input: Input) => string | undefined>> = {
  echo: ({ args }) => echo(args),
  printf: ({ args }) => printf(args),
  cat: cat,
  tee: ({ stdin }) => stdin,
  base64: base64,
  rev: ({ args, stdin }) => (args.length > 0 ? undefined : known(stdin, reversedLines)),
  tr: ({ args, stdin }) => known(stdin, (text) => translate(text, args)),
  xxd: ({ args, stdin }) => (args.includes("-r") && args.every((arg) => arg.startsWith("-")) ? known(stdin, fromHex) : undefined),
  ls: ({ args }) => listed(args),
  pwd: ({ scope }) => scope.cwd,
  which: ({ args }) => lastOperand(args),
  command: ({ args }) => lastOperand(args),
  type: ({ args }) => lastOperand(args),
  realpath: ({ args, scope }) => absolute(args, scope),
  readlink: ({ args, scope }) => absolute(args, scope),
  basename: ({ args }) => args[0]?.replace(/\/+$/, "").split("/").at(-1),
  dirname: ({ args }) => args[0]?.replace(/\/[^/]*$/, ""),
  mktemp: ({ args }) => (args.some((arg) => /^(?:-p|--tmpdir)/.test(arg)) ? undefined : "/tmp/tmp.made"),
  whoami: () => "user",
  date: () => "date",
  nproc: () => "1",
  seq: ({ args }) => sequence(args),
  true: () => "",
  false: () => "",
  ":": () => "",
  test: () => "",
  "[": () => "",
  cd: () => "",
  mkdir: () => "",
  rm: () => "",
  touch: () => "",
  sleep: () => "",
};

function known(text: string | undefined, change: (text: string) => string | undefined): string | undefined {
  return text !== undefined && isExact(text) ? change(text) : undefined;
}

function echo(args: readonly string[]): string {
  let at = 0;
  let hasEscapes = false;
  let hasNewline = true;
  for (; /^-[neE]+$/.test(args[at] ?? ""); at++) {
    hasEscapes ||= args[at]?.includes("e") === true;
    hasNewline &&= args[at]?.includes("n") !== true;
  }
  const text = args.slice(at).join(" ");
  return `${hasEscapes ? withEscapes(text) : text}${hasNewline ? "\n" : ""}`;
}

/** The output of `printf`. Undefined if it sets a variable. */
export function printf(args: readonly string[]): string | undefined {
  const [format, ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format === undefined || format.startsWith("-v")) return undefined;
  const text = withEscapes(format);
  const perTurn = (text.match(/%[^%]/g) ?? []).length;
  const turns = perTurn === 0 ? 1 : Math.max(1, Math.ceil(values.length / perTurn));
  let used = 0;
  const once = (): string =>
    text.replace(/%(%|[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z])/g, (_, kind: string) => {
      if (kind === "%") return "%";
      const value = values[used++] ?? "";
      return kind.endsWith("b") ? withEscapes(value) : value;
    });
  return Array.from({ length: Math.min(turns, 64) }, once).join("");
}

function withEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|u([0-9a-fA-F]{4})|([nrtabfve\\]))/g,
    (whole, hex, octal, unicode, char) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ({ n: "\n", r: "\r", t: "\t", "\\": "\\" } as Readonly<Record<string, string>>)[char] ?? whole;
    },
  );
}

function cat({ args, stdin, content }: Input): string {
  const files = args.filter((arg) => arg === "-" || !arg.startsWith("-"));
  if (files.length === 0) return stdin ?? "";
  return files.map((file) => (file === "-" ? (stdin ?? "") : (content(file) ?? MARK.file))).join("");
}

function base64({ args, stdin }: Input): string | undefined {
  if (args.some((arg) => !arg.startsWith("-"))) return undefined;
  if (!args.some((arg) => /^(?:-[a-zA-Z]*[dD][a-zA-Z]*|--d(?:e(?:c(?:o(?:de?)?)?)?)?)$/.test(arg)))
    return known(stdin, (text) => Buffer.from(text, "utf8").toString("base64"));
  return known(stdin, (text) => Buffer.from(text, "base64").toString("utf8"));
}

function reversedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => [...line].reverse().join(""))
    .join("\n");
}

function fromHex(text: string): string {
  return Buffer.from(text.replace(/[^0-9a-fA-F]/g, ""), "hex").toString("utf8");
}

/** `tr` of single characters and ranges, and `tr -d`. */
function translate(text: string, args: readonly string[]): string | undefined {
  const [from, to] = args.filter((arg) => !arg.startsWith("-")).map(characters);
  if (from === undefined) return undefined;
  if (args[0] === "-d") return [...text].filter((char) => !from.includes(char)).join("");
  if (to === undefined || args[0]?.startsWith("-")) return undefined;
  return [...text].map((char) => (from.includes(char) ? (to[from.indexOf(char)] ?? to.at(-1) ?? "") : char)).join("");
}

function characters(text: string): readonly string[] {
  const plain = withEscapes(text).replaceAll("[:upper:]", "A-Z").replaceAll("[:lower:]", "a-z");
  return [...plain.replace(/(.)-(.)/gs, (_, from: string, to: string) => charRange(from, to))];
}

function charRange(from: string, to: string): string {
  const count = Math.max(0, Math.min(to.charCodeAt(0) - from.charCodeAt(0) + 1, 128));
  return Array.from({ length: count }, (_, index) => String.fromCharCode(from.charCodeAt(0) + index)).join("");
}

/** `ls` of patterns prints the paths that match them. */
function listed(args: readonly string[]): string | undefined {
  const paths = args.filter((arg) => !arg.startsWith("-"));
  return paths.length > 0 && paths.every(isGlob) ? `${paths.join("\n")}\n` : undefined;
}

function lastOperand(args: readonly string[]): string | undefined {
  const name = args.filter((arg) => !arg.startsWith("-")).at(-1);
  return name === undefined ? undefined : name;
}

function absolute(args: readonly string[], { cwd }: ShellScope): string | undefined {
  const path = args.filter((arg) => !arg.startsWith("-")).at(-1);
  if (path === undefined || !isExact(path)) return undefined;
  if (path.startsWith("/")) return normalPath(path);
  return cwd === undefined ? undefined : normalPath(`${cwd}/${path}`);
}

function sequence(args: readonly string[]): string | undefined {
  const [from, to] = args.length === 1 ? [1, Number(args[0])] : [Number(args[0]), Number(args[1])];
  if (!Number.isInteger(from) || !Number.isInteger(to) || args.length > 2) return "1";
  return `${Array.from({ length: Math.max(0, Math.min(to - from + 1, 32)) }, (_, index) => from + index).join("\n")}\n`;
}
