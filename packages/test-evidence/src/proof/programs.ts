import { SCRIPT_RUNNERS } from "../compare/scripts.ts";

/** A trusted text that says what runs or is loaded: a command, a script, settings. */
export interface SteeringText {
  /** The file that has it; one that does not exist if none has. */
  readonly path: string;
  readonly text: string;
}

/** Words of package managers that name all packages of the repository. */
export const EVERYWHERE = /^(?:-r|-w|--workspaces?|--filter|--recursive|workspaces?|-ws)(?:=|$)/;
/** Words of package managers that install, and the scripts that they run then, beside those before and after each. */
const INSTALLS = /^(?:i|ci|install|install-test|it|add|rebuild)$/;
const INSTALL_SCRIPTS: readonly string[] = ["install", "prepare", "prepublish"];

/** Programs whose arguments are scripts of package.json, or commands. */
export const SCRIPT_LISTS = /^(?:npm-run-all2?|run-[sp]|concurrently|wireit|wsrun|ultra)$/;
/** Programs that read what they run in files of these names. A pattern matches names in the folder of the command. */
export const TASK_FILES: Readonly<Record<string, readonly string[]>> = {
  tox: ["tox.ini", "tox.toml", "setup.cfg", "pyproject.toml"],
  nox: ["noxfile.py"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"],
  rake: ["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
  invoke: ["tasks.py", "invoke.yaml", "invoke.toml"],
  inv: ["tasks.py", "invoke.yaml", "invoke.toml"],
  hatch: ["hatch.toml", "pyproject.toml"],
  poe: ["pyproject.toml", "poe_tasks.toml"],
  pdm: ["pyproject.toml", "pdm.toml"],
  gradle: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties"],
  mvn: ["pom.xml"],
  ant: ["build.xml"],
  composer: ["composer.json"],
  mix: ["mix.exs"],
  grunt: ["Gruntfile.js", "Gruntfile.ts", "Gruntfile.cjs"],
  gulp: ["gulpfile.js", "gulpfile.ts", "gulpfile.mjs", "gulpfile.cjs"],
  turbo: ["turbo.json"],
  nx: ["nx.json", "project.json"],
  lerna: ["lerna.json"],
  deno: ["deno.json", "deno.jsonc"],
  bun: ["bunfig.toml"],
  rspec: [".rspec"],
  phpunit: ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"],
  cargo: [".cargo/config.toml", ".cargo/config"],
  ctest: ["CMakeLists.txt", "CTestTestfile.cmake"],
  ninja: ["build.ninja"],
  meson: ["meson.build"],
};

/** Other names of programs. */
export const SAME_PROGRAM: Readonly<Record<string, string>> = {
  gradlew: "gradle",
  mvnw: "mvn",
  gmake: "make",
  "cargo-make": "cargo",
};

/** True for a script of a shell, by its name or its first line. */
export function isShellScript(path: string, text: string): boolean {
  const [, program] = /^#![^\n]{0,80}?\b(node|deno|bun|python|ruby|perl|php|(?:ba|da|z|k|a)?sh)\b/.exec(text) ?? [];
  return program === undefined ? /\.(?:ba|z|da)?sh$|(?:^|\/)[^./]+$/.test(path) : program.endsWith("sh");
}

/** True for a file of source text that names what it loads. */
export function isSource(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|exs?)$/.test(path);
}

/** True for a file that a script may run or load: no data, no document. */
export function isProgram(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py|(?:ba|z)?sh|rb|pl|php|lua|mk)$|(?:^|\/)[^./]+$/.test(path);
}

/** True for a program whose arguments may be scripts of package.json. */
export function isScriptRunner(name: string): boolean {
  return SCRIPT_LISTS.test(name) || Object.hasOwn(SCRIPT_RUNNERS, name);
}

/** The scripts that a package manager runs by itself for these words. */
export function installScripts(words: readonly string[]): readonly string[] {
  return words.some((word) => INSTALLS.test(word)) ? INSTALL_SCRIPTS : [];
}

/** Programs that run the text of a file. */
export const INTERPRETER =
  /^(?:node|nodejs|tsx|ts-node|bun|deno|python[\d.]*|pypy\d?|ruby|perl|php|(?:ba|da|z|k|a)?sh|pwsh|lua|Rscript)$/;
/** A word of an interpreter that says what it runs. */
export const ENDS_OPTIONS = /^(?:[^-].*|-|-m|-pe|-ne|-p|-e|-c|--eval|--print)$/s;
export const ENDS_SHELL_OPTIONS = /^(?:[^-].*|-|-[a-z]*c)$/s;

/** Options of interpreters that take the next word. */
export const TAKES_VALUE =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-W|-X|-I|--env-file|--conditions|-C|--config)$/;
export const BUILDS_COMMANDS = /^(?:eval|xargs|parallel)$/;
/** A word of a shell that is only known when it runs. */
export const EXPANDED = /\$\(|`|\$\{?[A-Za-z_@*#?]/;
