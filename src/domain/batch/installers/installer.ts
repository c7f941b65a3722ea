/** What a command line says of the files that an installer reads and makes. */
export interface InstallerCall {
  /** Files of the checkout that it names. They are inputs, and lists of packages. */
  readonly lists?: readonly string[];
  /** Folders that it makes. If the commit has files there, it may read them. */
  readonly makes?: readonly string[];
  /** True if it loads modules from the checkout before its own (`python3 -m`). */
  readonly loadsModules?: boolean;
  /** True if it runs no scripts of packages. */
  readonly runsNoScripts?: boolean;
}

/** A package manager: the files that it reads, and when it reads no others. */
export interface Installer {
  /** Basenames, as glob patterns. They are inputs wherever they lie: workspaces have them in their folders. */
  readonly names: readonly string[];
  /** Paths below folders of these names are inputs too. */
  readonly folders?: readonly string[];
  /** Further programs that take part. */
  readonly with: readonly string[];
  /** The call, if this command line installs from those files and runs nothing else. */
  readonly reads: (args: readonly string[]) => InstallerCall | undefined;
  /** One of these names must be among the inputs: without it, the result depends on what the registry has that day. */
  readonly lockfiles?: readonly string[];
  /** The reason why this installer may read or run more because of the inputs. Other reasons: see manifestTrouble. */
  readonly trouble?: (inputs: InputTexts, call: InstallerCall) => string | undefined;
}

/** The inputs of a commit, and their texts as far as they could be read. */
export interface InputTexts {
  readonly paths: readonly string[];
  readonly text: (path: string) => string | undefined;
}

/** A file of a commit. `link` stands for symbolic links and submodules. */
export interface InputFile {
  readonly path: string;
  readonly kind: "file" | "link";
}
