import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";

const INTRO = `# Commands

\`loopdash <batch.json>\` starts a batch or resumes its run. \`[run]\` is a run's name, the beginning of one, or a batch's name; default: the
latest run.

Completions: \`source <(loopdash completion bash)\` in \`~/.bashrc\`, the same with \`zsh\` after \`compinit\` in \`~/.zshrc\`, and
\`loopdash completion fish | source\` in \`~/.config/fish/config.fish\`.

## Exit codes

- 0: the oracle said done; nothing else gives a run this code. \`--detach\`: the run was started
- 1: the run ended and is not done
- 2: bad usage or batch file; nothing was started
- 3: no verdict: something was away for too long (the same command continues), or the oracle judged a made-up tracker wrong
- 4: refused to start; the message says why and what to do
- 130: interrupted, or left running
`;

const PLAN = `## The plan as JSON

\`--dry-run --json\` prints one document. It exits 0, also with \`refusals\`; without a plan as a start does.

- \`loopdash\` (the version), \`batch\`, \`file\`, \`repos\`, \`limits\`, \`sandbox\` (null without one)
- \`landings\`: a line for each repository whose changes land at a forge
- \`tickets\`: settings of each, \`finish\`, \`layer\` (1: ready at once; null: no agent would work on it), \`standing\` (null, or \`as\`: done, left
  to a person, on hold)
- \`notRead\`: Markdown files of the folder that are no tickets
- \`start\`: \`continues\` or \`givesUp\` (the unfinished run), and \`refusals\`
- \`warnings\`, and \`ok\`: false if a start would be refused
`;

/** Verbs that no person types; docs/use/guard.md has their options. */
const CALLED_BY_PROGRAMS = ["hook"];

const code = (text: string): string => `\`${text}\``;
const escaped = (text: string): string => text.replaceAll(/[|<*]/g, "\\$&");

/** An option's line; none for `--json` without more than that, which the verb's heading tells. */
function line({ flags, description, argChoices = [], defaultValue }: Option): string {
  const listed = argChoices.filter((choice) => !description.includes(choice));
  const more = [
    ...(listed.length > 0 ? [listed.join(", ")] : []),
    ...(defaultValue === undefined || typeof defaultValue === "boolean" ? [] : [`default: ${defaultValue}`]),
  ].join("; ");
  return `- ${code(flags)}: ${escaped(description)}${more === "" ? "" : ` (${more})`}`;
}

const isPlainJson = ({ flags, description }: Option): boolean => flags === "--json" && description === "as JSON";

/** The sentences about exit codes and pages of the text that a verb's help ends with. */
function afterHelp(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const sentences = help
    .slice(command.helpInformation().length)
    .trim()
    .split(/(?<=\.)\s+/);
  const told = sentences
    .filter((sentence) => /\bexit \d|docs\//i.test(sentence))
    .join(" ")
    .replaceAll(/\s+/g, " ");
  return escaped(told).replaceAll(
    /docs\/([\w/-]+)\.md/g,
    (_, page: string) => `[${page.slice(page.lastIndexOf("/") + 1)}](../${page}.md)`,
  );
}

/** The words of a verb on the command line: its name with its arguments, or its own usage. */
function words(command: Command): string {
  const usages = command
    .usage()
    .replaceAll("[options]", "")
    .replaceAll(/\n *loopdash guard/g, " or")
    .trim();
  return `${command.name()} ${usages}`.replaceAll(/ +/g, " ").trim();
}

function section(command: Command): string {
  const options = CALLED_BY_PROGRAMS.includes(command.name()) ? [] : command.options.filter((option) => !isPlainJson(option));
  const json = command.options.some(isPlainJson) ? " (`--json`)" : "";
  const text = [`${escaped(command.description())}${json}.`, afterHelp(command)].join(" ").trim();
  return [
    `## ${escaped(words(command))}`,
    `${text.charAt(0).toUpperCase()}${text.slice(1)}`,
    ...(options.length === 0 ? [] : [options.map(line).join("\n")]),
  ].join("\n\n");
}

test("docs/reference/commands.md tells every verb and its options", async () => {
  const verbs = createProgram().commands.filter((command) => command.name() !== "help");
  const texts = verbs.flatMap((verb) => [verb.description(), ...verb.options.map(({ description }) => description)]);
  expect(texts).not.toContain("");
  const text = [INTRO, ...verbs.map((verb) => `${section(verb)}\n`), PLAN].join("\n");
  await expect(text).toMatchFileSnapshot("../../docs/reference/commands.md");
});
