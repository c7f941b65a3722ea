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

/** Questions and fields, whose keys stand where they hold. */
const ASKED: readonly (readonly [Mode, string])[] = [
  ["kill", "kill"],
  ["retry", "retry"],
  ["revert", "revert"],
  ["approve", "approval"],
  ["heal", "heal"],
  ["leave", "leaving"],
  ["gate", "human gate"],
  ["note", "note"],
  ["add", "adding a ticket"],
  ["review", "requesting a review"],
  ["filter", "filter"],
  ["search", "search"],
  ["palette", "palette"],
  ["help", "help"],
];

const code = (key: string): string => `\`${key === " " ? "space" : key === "|" ? "\\|" : key}\``;
const titled = (title: string): string => `${title.charAt(0).toUpperCase()}${title.slice(1)}`;

/** Writes tables. A row of an earlier table is not told again. */
class Tables {
  readonly #places = new Map<string, string>();

  write(title: string, bindings: readonly Binding[]): string {
    const rows = bindings.map((binding) => ({ binding, row: formatRow(binding) }));
    const own = rows.filter(({ row }) => !this.#places.has(row));
    const table = own.length === 0 ? "" : `binding | keys | meaning\n---|---|---\n${own.map(({ row }) => row).join("\n")}\n`;
    const known = Map.groupBy(
      rows.filter(({ row }) => this.#places.has(row)),
      ({ row }) => this.#places.get(row) ?? "",
    );
    const others = [...known].map(
      ([place, same]) => `As in ${place}: ${same.map(({ binding: { name } }) => code(name)).join(", ")}.\n`,
    );
    for (const { row } of own) this.#places.set(row, titled(title));
    return [`## ${titled(title)}\n`, ...(table === "" ? [] : [table]), ...others].join("\n");
  }
}

function formatRow({ name, keys, help }: Binding): string {
  return `\`${name}\` | ${keys.map(code).join(" ")} | ${help}`;
}

/** The keys of all questions and fields as one table: bindings with the same keys are one row. */
function askedTable(isTold: (binding: Binding) => boolean): string {
  const all = ASKED.flatMap(([mode, where]) =>
    KEYMAP[mode].filter((binding) => !isTold(binding)).map((binding) => ({ where, binding })),
  );
  const rows = [...Map.groupBy(all, ({ binding: { name, keys } }) => `\`${name}\` | ${keys.map(code).join(" ")}`)].map(
    ([row, same]) => {
      const helps = [...new Set(same.map(({ binding: { help } }) => help))].join(", ");
      return `${row} | ${helps} | ${same.length === ASKED.length ? "all" : same.map(({ where }) => where).join(", ")}`;
    },
  );
  return `## Questions and fields\n\nbinding | keys | meaning | in\n---|---|---|---\n${rows.join("\n")}\n`;
}

test("docs/reference/keys.md tells every binding and its keys", async () => {
  const groups = keyGroups(KEYMAP, "overview");
  const tables = new Tables();
  const views = groups.map(({ title, bindings }) => tables.write(title, bindings));
  const told = new Set(groups.flatMap(({ bindings }) => bindings.map(formatRow)));
  const text = [
    INTRO,
    ...views,
    askedTable((binding) => told.has(formatRow(binding))),
    tables.write("a replay", KEYMAP.replay),
  ].join("\n");
  await expect(text).toMatchFileSnapshot("../../docs/reference/keys.md");
  for (const bindings of Object.values(KEYMAP)) for (const { name } of bindings) expect(text, name).toContain(`\n\`${name}\` |`);
});
