import { dirname } from "node:path/posix";
import {
  CJS,
  DATA,
  type Draw,
  ENVIRONMENTS,
  ESM,
  EXPRESSIONS,
  HEAD,
  JEST,
  MOCHA,
  type Placement,
  PY,
  SH,
  type Texts,
  VITEST,
  YAML,
} from "./repair-draws.ts";
import { SCRIPTS } from "./repair-scripts.ts";

function preload(draw: Draw): { readonly path: string; readonly option: string; readonly text: string } {
  const flag = draw.pick("--require ", "-r ", "--require=");
  const path = draw.file(".js", ".cjs");
  const index = `${path.replace(/\.\w+$/, "")}/index.js`;
  const other = draw.file(".foo", ".txt", "", ".data");
  const esm = draw.file(".mjs", ".mts");
  return draw.pick(
    { path, option: `${flag}./${path}`, text: CJS },
    { path: `${path}.js`, option: `${flag}./${path}`, text: CJS },
    { path: index, option: `${flag}./${dirname(index)}`, text: CJS },
    { path: other, option: `${flag}./${other}`, text: CJS },
    { path: esm, option: `${draw.pick("--import ", "--import=")}./${esm}`, text: ESM },
  );
}

const placeInVitest = (draw: Draw, { isDeep = false }): Placement => {
  const path = draw.file(".mjs", ".mts", ".ts");
  const key = draw.random.chance(0.5) ? "setupFiles" : draw.pick(...VITEST);
  const inner = isDeep ? draw.file(".ts", ".mjs") : path;
  const part = `${HEAD}export default { test: { ${key}: ${draw.pick(...EXPRESSIONS)(inner)} } };\n`;
  const own = draw.pick("", "", "unit.mts", "ci.mjs");
  const main = own || `vite${draw.pick("st", "")}.config.${draw.pick("mts", "mjs")}`;
  const isShared = draw.random.chance(0.3);
  const texts = isShared
    ? { [main]: 'import part from "./shared.mjs";\nexport default part;\n', "shared.mjs": part }
    : { [main]: part };
  const climb = "../".repeat(inner.split("/").length - 1) || "./";
  return {
    command: own === "" ? draw.run : `${draw.run} ${draw.pick("--config ", "-c ", "--config=./")}${own}`,
    base: { ...texts, ...(isDeep && { [inner]: `import "${climb}${path}";\n` }), [path]: "export default {};\n" },
    path,
    text: ESM,
    isReal: key === "setupFiles",
  };
};

const inPytest = (module: string, draw: Draw): readonly [string, Texts] => {
  const option = draw.pick(`-p ${module}`, `-p${module}`, `-q -p ${module} -ra`);
  const ini = (section: string, file: string): readonly [string, Texts] => [
    "",
    { [file]: `[${section}]\naddopts = ${option}\n` },
  ];
  return draw.pick<readonly [string, Texts]>(
    ini("pytest", "pytest.ini"),
    ini("pytest", "tox.ini"),
    ini("tool:pytest", "setup.cfg"),
    ["", { "pyproject.toml": `[tool.pytest.ini_options]\naddopts = "${option}"\n` }],
    ["", { "pyproject.toml": `[tool.pytest.ini_options]\naddopts = ["-p", "${module}"]\n` }],
    ["", { "pytest.ini": `[pytest]\nfilterwarnings =\n    error\n    ignore::${module}.W\n` }],
    ["", { "pytest.ini": `[pytest]\naddopts =\n    -ra\n    -p\n    ${module}\n` }],
    ["", { "conftest.py": `pytest_plugins = ${draw.pick(`"${module}"`, `["${module}"]`, `("x" and "${module}",)`)}\n` }],
    [` ${option}`, {}],
    [` -W ignore::${module}.W`, {}],
    [" -c tools/tests.cfg --rootdir .", { "tools/tests.cfg": `[tool:pytest]\naddopts = -p ${module}\n` }],
    [" @tools/options", { "tools/options": `-p\n${module}\n` }],
  );
};

/** A command that sets a variable for the run, with the files of that way. */
function placeByEnvironment(draw: Draw, name: string, value: string): Pick<Placement, "command" | "base"> {
  const [command, base] = draw.pick(...ENVIRONMENTS)(name, value, draw.run);
  return { command, base };
}

const nodeWords = ({ run }: Draw, option: string) =>
  run.startsWith("node ") ? run.replace("node", `node ${option}`) : `node ${option} node_modules/.bin/${run}`;

const PLACES = {
  words: (draw: Draw): Placement => {
    const { path, option, text } = preload(draw);
    return { command: nodeWords(draw, option), base: { [path]: "" }, path, text, isReal: draw.run.startsWith("node ") };
  },
  nodeOptions: (draw: Draw): Placement => {
    const { path, option, text } = preload(draw);
    const base = { [path]: "" };
    const isReal = draw.runner === "node:test";
    if (draw.random.chance(0.15)) {
      const [file, line] = draw.pick([".npmrc", `node-options=${option}\n`], ["settings/vars.env", `NODE_OPTIONS="${option}"\n`]);
      const scripts = JSON.stringify({ scripts: { test: draw.run } });
      if (file === ".npmrc")
        return { command: "npm test", base: { ...base, [file]: line, "package.json": scripts }, path, text, isReal };
      return { command: nodeWords(draw, `--env-file=${file}`), base: { ...base, [file]: line }, path, text, isReal };
    }
    const by = placeByEnvironment(draw, "NODE_OPTIONS", option);
    return { command: by.command, base: { ...by.base, ...base }, path, text, isReal };
  },
  packageName: (draw: Draw): Placement => {
    const path = draw.file(".mjs");
    const [name, members] = draw.pick(
      ["app/register", { name: "app", exports: { "./register": `./${path}` } }],
      ["#register", { name: "app", imports: { "#register": `./${path}` } }],
      ["app/register", { name: "app", exports: { "./register": { node: `./${path}`, default: "./none.mjs" } } }],
    );
    const base = { "package.json": JSON.stringify(members), [path]: "" };
    if (draw.runner === "node:test")
      return { command: nodeWords(draw, `--import=${name}`), base, path, text: ESM, isReal: !name.startsWith("#") };
    const options = JSON.stringify({ setupFiles: [name], test: { setupFiles: [name] } });
    return {
      command: draw.run,
      base: { ...base, [`${draw.runner}.config.mjs`]: `export default ${options};\n` },
      path,
      text: ESM,
    };
  },
  vitest: (draw: Draw): Placement => placeInVitest(draw, {}),
  vitestDeep: (draw: Draw): Placement => placeInVitest(draw, { isDeep: true }),
  data: (draw: Draw): Placement => {
    const isJest = draw.runner === "jest";
    const path = draw.file(".js", ".cjs", ".mjs", ".ts");
    const key = draw.pick(...(isJest ? JEST : MOCHA));
    const value = isJest ? `${draw.pick("<rootDir>/", "./")}${path}` : `${key === "node-option" ? "import=" : ""}./${path}`;
    const [ending, text] = draw.pick(...DATA, ...(isJest ? [] : YAML))(key, value);
    const own = draw.random.chance(0.2);
    const file = own ? draw.file(`.${ending}`) : isJest ? `jest.config.${ending}` : `.mocharc.${ending}`;
    const isManifest = ending === "json" && draw.random.chance(0.4);
    const base = isManifest ? { "package.json": JSON.stringify({ [draw.runner]: JSON.parse(text) }) } : { [file]: text };
    const words = own && !isManifest ? draw.pick(` --config ${file}`, ` --config=${file}`) : "";
    return { command: `${draw.run}${words}`, base: { ...base, [path]: "" }, path, text: CJS };
  },
  compiler: (draw: Draw): Placement => {
    const path = draw.file(".js", ".cjs");
    const tsNode = JSON.stringify({ "ts-node": { require: [`./${path}`] } });
    const plugin = JSON.stringify({ compilerOptions: { plugins: [{ transform: `./${path}` }] } });
    const base = draw.pick<Texts>(
      { "tsconfig.json": tsNode },
      { "tsconfig.json": plugin },
      { "tsconfig.json": '{ "extends": "./tools/base.json" }', "tools/base.json": tsNode.replace("./", "../") },
      { ".babelrc": JSON.stringify({ plugins: [[`./${path}`, {}]] }) },
      { "babel.config.cjs": `module.exports = { presets: [require.resolve("./${path}")] };\n` },
      {
        ".babelrc.json": '{ "extends": "./tools/babel-part.json" }',
        "tools/babel-part.json": JSON.stringify({ plugins: [`../${path}`] }),
      },
      { "postcss.config.cjs": `module.exports = { plugins: { "./${path}": {} } };\n` },
      { ".swcrc": JSON.stringify({ jsc: { experimental: { plugins: [[`./${path}`, {}]] } } }) },
    );
    return { command: draw.run, base: { ...base, [path]: "" }, path, text: CJS };
  },
  pytest: (draw: Draw): Placement => {
    const path = draw.module();
    const module = path.replace(/\.py$/, "").replaceAll("/", ".");
    const [words, base] = inPytest(module, draw);
    return { command: draw.run + words, base: { ...base, [path]: "class W(Warning): pass\n" }, path, text: PY, isReal: true };
  },
  pytestVariables: (draw: Draw): Placement => {
    const path = draw.module();
    const module = path.replace(/\.py$/, "").replaceAll("/", ".");
    const [name, value] = draw.pick(
      ["PYTEST_ADDOPTS", `-p ${module}`],
      ["PYTEST_PLUGINS", module],
      ["PYTEST_PLUGINS", `json,${module}`],
    );
    const by = placeByEnvironment(draw, name, value);
    return { command: by.command, base: { ...by.base, [path]: "" }, path, text: PY, isReal: true };
  },
  searchPath: (draw: Draw): Placement => {
    const folder = draw.pick("tools", "more/lib", "stubs");
    const path = `${folder}/${draw.pick("sitecustomize", "usercustomize", "traceback", "pprint")}.py`;
    const by = placeByEnvironment(draw, "PYTHONPATH", folder);
    return {
      command: by.command,
      base: { ...by.base, [`${folder}/known.py`]: "" },
      path,
      text: PY,
      isReal: !path.includes("usercus"),
    };
  },
  programs: (draw: Draw): Placement => {
    const program = draw.run.split(" ")[0] ?? "";
    const folder = draw.pick("bin", "tools/bin", "lib", "scripts");
    const value = draw.pick(`$PWD/${folder}:$PATH`, `${folder}:$PATH`, `./${folder}:$PATH`);
    const path = `${folder}/${program}`;
    return {
      command: `PATH="${value}"; export PATH; ${draw.run}`,
      base: { [`${folder}/hello`]: SH },
      path,
      text: SH,
      isReal: true,
    };
  },
  ...SCRIPTS,
};

/** The runners, or their languages, that a mechanism is for; all of them if it is not here. */
const ONLY: Partial<Readonly<Record<keyof typeof PLACES, readonly string[]>>> = {
  words: ["node:test", "mocha", "tape", "jest"],
  nodeOptions: ["js"],
  packageName: ["node:test", "vitest", "jest"],
  vitest: ["vitest"],
  vitestDeep: ["vitest"],
  data: ["jest", "mocha"],
  compiler: ["vitest", "jest", "mocha", "tape"],
  pytest: ["python"],
  pytestVariables: ["python"],
  searchPath: ["python"],
  pythonHelper: ["python"],
  go: ["go"],
  cargo: ["rust"],
  cargoBuild: ["rust"],
};

/** A mechanism that is for this runner, with what it places. */
export function aPlacement(draw: Draw): Placement & { readonly mechanism: string } {
  const names = (Object.keys(PLACES) as (keyof typeof PLACES)[]).filter((name) => {
    const only = ONLY[name];
    return only === undefined || only.includes(draw.runner) || only.includes(draw.language);
  });
  const mechanism = draw.random.pick(names);
  return { mechanism, ...PLACES[mechanism](draw) };
}
