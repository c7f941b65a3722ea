import { expect, test } from "vitest";
import type { Binding } from "../../src/store/dashboard-state.ts";
import type { Mode } from "../../src/store/keymap/binding.ts";
import { KEY_NAMES } from "../../src/store/keymap/binding.ts";
import { keyGroups } from "../../src/store/keymap/key-groups.ts";
import { KEYMAP } from "../../src/store/keymap/keymap.ts";

const INTRO = `# Keys

The dashboard's keys as they come. \`?\` shows them in the dashboard, those of the view in front first; \`:\` finds a command by its
name, by what it does, by its key, or by a ticket (\`kill T-4\`). A wheel does what the arrows do. A click selects what it is on (a
ticket, a run, a tab, a step), opens what is selected, and does what a key of the last line does; what confirms something takes a key.

Nothing is confirmed by the burst that asked for it or wrote it: pasted text kills no worker.

## Your own keys

A file \`keys.json\` in \`$XDG_CONFIG_HOME/loopdash\` (\`~/.config/loopdash\`), or the file that \`LOOPDASH_KEYS\` names, gives bindings all
the keys that they have from then on. It is JSON, with comments where you like:

\`\`\`jsonc
{
  "kill": ["D"],
  "pause": ["F", "ctrl-o"],
  "heal": []            // no key; the palette still finds it
}
\`\`\`

A key is a character, \`space\`, or one of ${KEY_NAMES.filter((name) => !name.startsWith("ctrl-"))
  .map((name) => `\`${name}\``)
  .join(", ")}, and \`ctrl-\` with a letter but h, i, j or m, which terminals send for other keys.

The file is refused, with its lines, before anything starts: a binding or key that does not exist, one key with two meanings in one
place, \`leave\` or \`quit\` without a key, a character where characters are text. One name means one thing wherever it holds. In a
replay, the keys that move it come before those of the views.
`;

/** Keys of what is asked and written, which stand where they hold. */
const ASKED: readonly (readonly [Mode, string])[] = [
  ["kill", "The question before a kill"],
  ["retry", "The question before a retry"],
  ["approve", "The question before an approval"],
  ["heal", "The question before a heal"],
  ["leave", "Leaving"],
  ["gate", "A human gate"],
  ["note", "A note of an intervention"],
  ["add", "Adding a ticket"],
  ["review", "Requesting a review"],
  ["filter", "The filter"],
  ["search", "The search"],
  ["palette", "The palette"],
  ["help", "The help"],
];

const code = (key: string): string => `\`${key === " " ? "space" : key === "|" ? "\\|" : key}\``;

function table(title: string, bindings: readonly Binding[]): string {
  const rows = bindings.map(({ name, keys, help }) => `| \`${name}\` | ${keys.map(code).join(" ")} | ${help} |`);
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n| binding | keys | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

test("docs/keys.md tells every binding and its keys", async () => {
  const groups = keyGroups(KEYMAP, "overview");
  const fields = new Set(groups.at(-1)?.bindings.map(({ name }) => name));
  const asked = ASKED.map(([mode, title]) =>
    table(
      title,
      KEYMAP[mode].filter(({ name }) => !fields.has(name)),
    ),
  );
  const text = [
    INTRO,
    ...groups.map(({ title, bindings }) => table(title, bindings)),
    ...asked,
    table("a replay", KEYMAP.replay),
  ].join("\n");
  await expect(text).toMatchFileSnapshot("../../docs/keys.md");
  for (const bindings of Object.values(KEYMAP)) for (const { name } of bindings) expect(text, name).toContain(`| \`${name}\` |`);
});
