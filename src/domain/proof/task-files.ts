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
