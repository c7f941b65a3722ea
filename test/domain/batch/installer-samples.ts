import { prepareInputs } from "../../../src/domain/batch/prepare-inputs.ts";

/** Files of a commit by path; the text "link" makes one a link. */
export type Files = Readonly<Record<string, string>>;

/** The inputs of these commands, whose words are parted by blanks. */
export function inputsOf(commands: string | readonly string[], files: Files) {
  return prepareInputs({
    commands: [commands].flat().map((command) => command.split(" ") as [string, ...string[]]),
    files: Object.keys(files).map((path) => ({ path, kind: files[path] === "link" ? "link" : "file" })),
    text: (path) => files[path],
  });
}

export const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: { "": {}, "node_modules/a": { resolved: "https://r/a.tgz" } },
});
export const MANIFEST = '{"dependencies": {"a": "1"}}';
export const CODE: Files = {
  "src/index.js": "",
  "README.md": "",
  "test/__init__.py": "",
  "app/__init__.py": "",
  "app/logging.py": "",
};
export const NPM: Files = { ...CODE, "package.json": MANIFEST, "package-lock.json": LOCK };
export const PNPM: Files = { ...CODE, "package.json": MANIFEST, "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" };
export const PNPM_6: Files = { ...PNPM, "pnpm-lock.yaml": "lockfileVersion: '6.0'\npackages:\n  /a@1.0.0:\n    dev: false\n" };
export const YARN: Files = {
  ...CODE,
  "package.json": MANIFEST,
  "yarn.lock": "__metadata:\n  version: 8\n",
  ".yarnrc.yml": "enableScripts: false\n",
};
export const PIP: Files = { ...CODE, "requirements.txt": "a==1.0\n" };
export const CARGO: Files = {
  ...CODE,
  "Cargo.toml": '[dependencies]\na = "1"\n',
  "Cargo.lock": "version = 4\n",
  "src/main.rs": "",
};
export const GO: Files = {
  ...CODE,
  "go.mod": "module m\n\ngo 1.22\n\nrequire a.example/b v1.0.0\n",
  "go.sum": "",
  "main.go": "",
};
export const VENV = "python3 -m venv .venv";
