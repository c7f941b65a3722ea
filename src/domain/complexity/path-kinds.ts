/** Manifests and lockfiles: what a change of them brings in is more than its lines (the dependency signals of S3.22). */
const MANIFESTS: ReadonlySet<string> = new Set([
  ...["package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"],
  ...["pyproject.toml", "setup.py", "setup.cfg", "pipfile", "pipfile.lock", "poetry.lock", "uv.lock"],
  ...["cargo.toml", "cargo.lock", "go.mod", "go.sum", "gemfile", "gemfile.lock", "composer.json", "composer.lock"],
  ...["pom.xml", "build.gradle", "build.gradle.kts", "mix.exs", "mix.lock"],
]);

/** True for a file that names the dependencies of a project. */
export function isManifest(path: string): boolean {
  const name = lowercaseFileName(path);
  return MANIFESTS.has(name) || /^requirements[\w.-]*\.txt$/.test(name) || name.endsWith(".csproj");
}

/** True for a step of a database's schema: what it did to data is not undone by a revert of its lines. */
export function isMigration(path: string): boolean {
  const folders = path.toLowerCase().split("/").slice(0, -1);
  return folders.some((folder) => folder === "migrations" || folder === "migrate" || folder === "alembic");
}

const MEDIA: readonly string[] =
  "png jpg jpeg gif webp avif ico icns bmp pdf woff woff2 ttf otf eot mp3 mp4 ogg wav webm mov".split(" ");
/**
 * Extensions of files that may be no text: media, archives, and what compilers, offices and databases write. A file with any other name is
 * text, whatever bytes it holds.
 */
export const MAYBE_NO_TEXT: readonly string[] = [
  ...MEDIA,
  ..."zip gz tgz bz2 xz zst tar 7z jar war whl class pyc so dylib dll exe o a wasm mo lockb p12 jks der".split(" "),
  ..."db sqlite sqlite3 parquet avro npy npz pkl pt onnx h5 safetensors gguf tflite psd docx xlsx pptx odt ods".split(" "),
];

/** True for a picture, a font, a sound or the like, by its name: it has no lines to count. */
export function isMedia(path: string): boolean {
  return MEDIA.includes(fileExtension(path));
}

/** True for a file that may be no text, by its name. */
export function mayBeNoText(path: string): boolean {
  return MAYBE_NO_TEXT.includes(fileExtension(path));
}

function fileExtension(path: string): string {
  return /\.([^.]+)$/.exec(lowercaseFileName(path))?.[1] ?? "";
}

function lowercaseFileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}
