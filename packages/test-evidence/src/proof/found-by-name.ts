import { basename } from "node:path/posix";
import { isDependency, isToolConfiguration } from "../compare/sealed-paths.ts";

/** Names by which programs look for their settings, whatever the program. */
const SETTINGS: readonly RegExp[] = [
  /\.(?:config|conf|setup|workspace|projects?|preset|globals?)\.\w+$/i,
  /^[\w-]+rc$/i,
  /^[\w-]+[._-](?:setup|globals?|presets?|reporter|environment|matchers|transform(?:er)?)\.(?:[cm]?[jt]sx?|json|py)$/i,
  /^(?:global|after|before)?[._-]?(?:setup|teardown)[._-]?(?:tests?|files?|env|jest|vitest|mocha|globals?)?(?:after[._-]?env)?\.(?:[cm]?[jt]sx?|json|py)$/i,
  /^(?:conftest|sitecustomize|usercustomize|noxfile|tasks|fabfile)\.py$/i,
  /^(?:GNUmakefile|Jenkinsfile|Dockerfile|Procfile|Vagrantfile|Guardfile|Thorfile|Gruntfile|gulpfile|wallaby|Jakefile)(?:\.\w+)*$/i,
];

/** Settings by a name and an extension that may as well be that of code: programs look for them beside a manifest. */
const BESIDE_MANIFEST = /^[\w-]+(?:rc|\.conf)\.(?:[cm]?[jt]s|json5?|ya?ml|toml|ini)$|\.(?:ini|cfg|toml)$/i;

/** Mocks that runners find by their folder, metadata that names plugins to Python, and compiled code that programs load by its name. */
const PATHS = /(?:^|\/)(?:__mocks__|[^/]+\.(?:dist|egg)-info)\/|\.(?:pth|egg-link|py[cdo]|so|dll|dylib|node|class|jar|whl)$/i;

/**
 * True if some program looks for a file of this name: a dotfile, settings, a manifest or a lock, a hook of a language. Such a file
 * is the judge's, whoever imports it besides. `isBesideManifest`: the folder has the manifest of a package.
 */
export function isFoundByName(path: string, isBesideManifest = !path.includes("/")): boolean {
  const name = basename(path);
  return (
    path.split("/").some((part) => part.startsWith(".")) ||
    isDependency(path) ||
    isToolConfiguration(path) ||
    PATHS.test(path) ||
    SETTINGS.some((pattern) => pattern.test(name)) ||
    (isBesideManifest && BESIDE_MANIFEST.test(name))
  );
}
