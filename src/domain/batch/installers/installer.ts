/** The files that an installer reads and writes, as far as its command line says. */
export interface InstallerCall {
  /** Files of the checkout that it names as lists of packages. They are inputs. */
  readonly requirementFiles?: readonly string[];
  /** Folders that it writes. If the commit has files there, it may read them. */
  readonly outputFolders?: readonly string[];
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
  /** Other programs that it starts. */
  readonly programs: readonly string[];
  /** Parses a command line; undefined if it may read other files, or run something else. */
  readonly parse: (args: readonly string[]) => InstallerCall | undefined;
  /** One of these names must be among the inputs: without it, the result depends on what the registry has that day. */
  readonly lockfiles?: readonly string[];
  /** The reason why the inputs may make this installer read or run more; undefined if they do not. See also `manifestTrouble`. */
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
