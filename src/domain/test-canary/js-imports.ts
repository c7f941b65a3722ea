/** A module that a JavaScript or TypeScript file loads at its top, with its local names. */
export interface Loaded {
  readonly module: string;
  /** Local names by the exported ones; `default` and `*` are the whole module. */
  readonly names: ReadonlyMap<string, string>;
  readonly by: "import" | "require";
}

/** Lengths are bounded: the text may be a worker's. */
const IMPORT = /^import[ \t]{1,8}([\w$*{},\s]{1,800}?)[ \t\n]{0,8}from[ \t]{0,8}["']([^"'\n]{1,400})["']/gm;
const BARE_IMPORT = /^import[ \t]{0,8}["']([^"'\n]{1,400})["']/gm;
const REQUIRE =
  /^(?:const|let|var)[ \t]{1,8}(\{[^}]{0,800}\}|[\w$]{1,100})[ \t]{0,8}=[ \t]{0,8}require\([ \t]{0,8}["']([^"'\n]{1,400})["']\)(?:\.(\w{1,60}))?/gm;
const BARE_REQUIRE = /^require\([ \t]{0,8}["']([^"'\n]{1,400})["']\)/gm;

/** The modules that a file loads at its top, in the usual forms; types are left out. */
export function loadedBy(text: string): readonly Loaded[] {
  const imports = [...text.matchAll(IMPORT)].flatMap(([, clause = "", module = ""]) =>
    /^type\b/.test(clause) ? [] : [{ module, names: namesOfClause(clause), by: "import" as const }],
  );
  const requires = [...text.matchAll(REQUIRE)].map(([, pattern = "", module = "", member]) => ({
    module,
    names: pattern.startsWith("{") ? namesIn(pattern, ":") : new Map([[member ?? "default", pattern]]),
    by: "require" as const,
  }));
  const bare = (found: RegExp, by: Loaded["by"]) =>
    [...text.matchAll(found)].map(([, module = ""]) => ({ module, names: new Map<string, string>(), by }));
  return [...imports, ...bare(BARE_IMPORT, "import"), ...requires, ...bare(BARE_REQUIRE, "require")];
}

function namesOfClause(clause: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const inBraces = /\{[^}]*\}/.exec(clause)?.[0];
  for (const [name, local] of inBraces === undefined ? [] : namesIn(inBraces, " as ")) names.set(name, local);
  for (const part of clause.replace(inBraces ?? "", "").split(",")) {
    const word = part.trim();
    const whole = /^\*\s+as\s+([\w$]+)$/.exec(word)?.[1];
    if (whole !== undefined) names.set("*", whole);
    else if (/^[\w$]+$/.test(word)) names.set("default", word);
  }
  return names;
}

/** `{ a, b as c }` or `{ a, b: c }`. */
function namesIn(braces: string, as: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const part of braces.slice(1, -1).split(",")) {
    const [name = "", local = name] = part.replace(/\s+/g, " ").trim().split(as);
    if (/^[\w$]+$/.test(name.trim()) && /^[\w$]+$/.test(local.trim())) names.set(name.trim(), local.trim());
  }
  return names;
}

/** Kept apart from its parenthesis: the build would treat it as a call of its own. */
const REQUIRES = "require";

/** The line that loads one name of a module, or the module alone. */
export function loadLine({ module, by }: Loaded, name?: readonly [exported: string, local: string]): string {
  if (name === undefined) return by === "import" ? `import "${module}";` : `${REQUIRES}("${module}");`;
  const [exported, local] = name;
  if (by === "require")
    return `const ${exported === "default" || exported === "*" ? local : braced(exported, local, ": ")} = ${REQUIRES}("${module}");`;
  const clause = exported === "default" ? local : exported === "*" ? `* as ${local}` : braced(exported, local, " as ");
  return `import ${clause} from "${module}";`;
}

function braced(exported: string, local: string, as: string): string {
  return exported === local ? `{ ${local} }` : `{ ${exported}${as}${local} }`;
}
