/** A JSON Schema as zod writes it: the part that a reader of the batch file is told of. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly $ref?: string;
}

/** A setting, and the kinds of its object that have it: all of them, if `kinds` is empty. */
interface Setting {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly kinds: readonly string[];
}

interface Section {
  readonly title: string;
  readonly tables: string[];
}

const ROOT = "The file";
const HEAD = "setting | type (default) | meaning\n---|---|---";
/** Titles that are not the path of the setting. */
const TITLES: Readonly<Record<string, string>> = { "complexity: trivial": "complexity: class" };
const COMMANDS = ["command", "smoke"];
/** The types of settings that a page of their own lists. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "guard: families": "[switches by name](../use/guard.md#rules)",
  "guard: rules": "[switches by name](../use/guard.md#rules)",
  "behaviour: onFail": "[action, list of actions, or either by gate](../use/behaviour.md#when-a-gate-fails)",
};
/** Objects of which only those settings are listed that no object before has, and what is said in place of the others. */
const BESIDE: Readonly<Record<string, string>> = { reviewer: "The other settings are those of an [agent](#agent)." };
const MOST_INNER = 3;
/** Numbers without a bound of their own: zod bounds each whole number by what a double holds exactly. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

const isObject = ({ properties }: Schema): boolean => properties !== undefined;
const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;
const anchor = (title: string): string =>
  `#${title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-")}`;

/** The key that tells the objects of a union apart. */
function discriminator(options: readonly Schema[]): string | undefined {
  const [first] = options;
  return Object.keys(first?.properties ?? {}).find((name) =>
    options.every(({ properties }) => typeof properties?.[name]?.const === "string"),
  );
}

/** A number of the counts at which a gate warns and fails: two numbers, which need no table. */
const isLevels = ({ properties = {} }: Schema): boolean => Object.keys(properties).join() === "warn,fail";

/** An object whose settings are told in the table of the object around it. */
const isSmall = (schema: Schema): boolean =>
  isObject(schema) && !isLevels(schema) && Object.keys(schema.properties ?? {}).length <= MOST_INNER;

/** The objects below a schema, without those of its settings; a union with a discriminator is one object. */
function objects(schema: Schema): readonly Schema[] {
  const { items, anyOf, oneOf, additionalProperties } = schema;
  if (isLevels(schema) || isSmall(schema)) return [];
  if (isObject(schema) || (oneOf !== undefined && discriminator(oneOf) !== undefined)) return [schema];
  const [inner] = [items, additionalProperties].filter((one) => typeof one === "object");
  if (inner !== undefined) return isObject(inner) ? [inner] : objects(inner);
  return [...(anyOf ?? []), ...(oneOf ?? [])].flatMap((one) => (isObject(one) ? [one] : objects(one)));
}

/** The settings of an object. Those of a union are told with the kinds that have them. */
function settings({ properties = {}, required = [], oneOf }: Schema): readonly Setting[] {
  if (oneOf === undefined)
    return Object.entries(properties).flatMap(([name, schema]) => [
      { name, schema, isRequired: required.includes(name) && schema.default === undefined, kinds: [] },
      ...(isSmall(schema) ? settings(schema).map((inner) => ({ ...inner, name: `${name}.${inner.name}` })) : []),
    ]);
  const key = discriminator(oneOf) ?? "";
  const found = new Map<string, Setting>();
  for (const option of oneOf) {
    const kind = String(option.properties?.[key]?.const);
    for (const setting of settings(option)) {
      const id = JSON.stringify(setting);
      found.set(id, { ...setting, kinds: [...(found.get(id)?.kinds ?? []), kind] });
    }
  }
  return [...found.values()].map((setting) => (setting.kinds.length === oneOf.length ? { ...setting, kinds: [] } : setting));
}

function bounds({ minimum, maximum = UNBOUNDED, type }: Schema): string {
  const noun = type === "integer" ? "integer" : "number";
  if (maximum >= UNBOUNDED) return noun;
  return minimum === undefined ? `${noun} to ${maximum}` : `${noun} ${minimum}–${maximum}`;
}

/** Writes the tables of a schema's objects, each once. */
export class SettingsPage {
  readonly #sections: Section[] = [];
  readonly #titles = new Map<string, string>();
  /** Paths of settings without a text. */
  readonly untold: string[] = [];

  constructor(root: Schema) {
    this.#add(ROOT, root);
  }

  text(): string {
    return this.#sections.map(({ title, tables }) => `## ${title}\n\n${tables.join("\n")}`).join("\n");
  }

  #add(title: string, schema: Schema): void {
    const known = new Set(
      BESIDE[title] === undefined ? [] : this.#sections.flatMap(({ tables }) => tables.join("\n").split("\n")),
    );
    const section = this.#section(title);
    const key = schema.oneOf === undefined ? undefined : discriminator(schema.oneOf);
    const children: (readonly [title: string, schema: Schema])[] = [];
    const groups = new Map<string, string[]>();
    for (const setting of settings(schema)) {
      const path = `${title === ROOT ? "" : `${title}: `}${setting.name.replaceAll(".", ": ")}`;
      if (setting.schema.description === undefined) this.untold.push(path);
      for (const object of this.#newObjects(setting.schema, path, schema)) {
        this.#titles.set(identity(object), TITLES[path] ?? path);
        children.push([TITLES[path] ?? path, object]);
      }
      const group = setting.name === key ? "" : setting.kinds.map(code).join(", ");
      groups.set(group, [...(groups.get(group) ?? []), this.#row(setting, path, { key, parent: schema })]);
    }
    for (const [kinds, rows] of groups) {
      const own = rows.filter((row) => !known.has(row));
      if (own.length > 0) section.tables.push(`${kinds === "" ? "" : `For ${kinds}:\n\n`}${HEAD}\n${own.join("\n")}\n`);
    }
    if (BESIDE[title] !== undefined) section.tables.push(`${BESIDE[title]}\n`);
    for (const [name, object] of children) this.#add(name, object);
  }

  /** The section of a title. Two objects that one setting may have share one. */
  #section(title: string): Section {
    const section = this.#sections.find((one) => one.title === title) ?? { title, tables: [] };
    if (!this.#sections.includes(section)) this.#sections.push(section);
    return section;
  }

  #newObjects(schema: Schema, path: string, parent: Schema): readonly Schema[] {
    if (ELSEWHERE[path] !== undefined) return [];
    return objects(schema).filter((object) => !this.#titles.has(identity(object)) && !isPartOf(object, parent));
  }

  #row({ name, schema, isRequired, kinds }: Setting, path: string, { key, parent }: RowContext): string {
    const text = (schema.description ?? "").replaceAll(/[|*<]/g, "\\$&").replaceAll(/docs\/([\w/-]+)\.md(#[\w-]+)?/g, link);
    if (name === key && kinds.length > 0) return `\`${name}\` | ${kinds.map((kind) => code(`"${kind}"`)).join("/")} | ${text}`;
    const preset = schema.default === undefined || isEmpty(schema.default) ? "" : ` (${code(JSON.stringify(schema.default))})`;
    return `\`${name}\` | ${this.#type(schema, path, parent)}${isRequired ? ", required" : preset} | ${text}`;
  }

  #type(schema: Schema, path: string, parent: Schema): string {
    const { type, items, anyOf, oneOf, additionalProperties, format } = schema;
    if (schema.const !== undefined) return code(JSON.stringify(schema.const));
    if (schema.enum !== undefined) return schema.enum.map((one) => code(JSON.stringify(one))).join("/");
    if (isLevels(schema)) return code('{"warn", "fail"}');
    if (ELSEWHERE[path] !== undefined) return ELSEWHERE[path];
    if (isPartOf(schema, parent))
      return Object.keys(schema.properties ?? {})
        .map(code)
        .join("/");
    const title = this.#titles.get(identity(schema));
    if (title !== undefined) return `[object](${anchor(title)})`;
    if (isSmall(schema)) return "object";
    const options = [...(anyOf ?? []), ...(oneOf ?? [])].map((one) => this.#type(one, path, parent));
    if (options.length > 0) return [...new Set(options)].join(" or ");
    if (isCommand(schema, path)) return "command";
    if (items !== undefined) return `list of ${this.#type(items, path, parent)}`;
    if (typeof additionalProperties === "object") return `by name: ${this.#type(additionalProperties, path, parent)}`;
    if (type === "integer" || type === "number") return bounds(schema);
    if (type === "boolean") return "boolean";
    if (schema.$ref !== undefined) return "JSON";
    return format === "uri" ? "URL" : "text";
  }
}

/** True for a program and its arguments. */
function isCommand({ description = "" }: Schema, path: string): boolean {
  return COMMANDS.some((name) => path === name || path.endsWith(` ${name}`)) || description.includes("no shell reads it");
}

interface RowContext {
  /** The key that tells the kinds of the object apart. */
  readonly key: string | undefined;
  /** The object that has the setting. */
  readonly parent: Schema;
}

/** True for an object with some of the settings of the object around it. */
function isPartOf({ properties }: Schema, parent: Schema): boolean {
  if (properties === undefined) return false;
  const around = new Set(settings(parent).map(({ name }) => name));
  return Object.keys(properties).every((name) => around.has(name));
}

/** What an object is: its settings with their texts, not its own text or default. */
function identity({ properties, oneOf }: Schema): string {
  return JSON.stringify({ properties, oneOf });
}

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** The page that a text names, as a link from docs/reference. */
function link(_: string, page: string, heading = ""): string {
  const name = page.slice(page.lastIndexOf("/") + 1);
  return `[${name}](../${page}.md${heading})`;
}
