import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, realPath, wayToPlace } from "../adapters/sandbox/mounts/real-path.ts";

/** The folder into which npm, npx and the like put the programs of a project's packages. */
const PROJECT_TOOLS = /\/node_modules\/\.bin(?:\/|$)/;

/** Takes out of `env.PATH` what `pathOutside` leaves out. Every start of a program by its name goes by this PATH. */
export function closePath(env: NodeJS.ProcessEnv, clones: readonly string[]): void {
  const { PATH } = env;
  const kept = PATH === undefined ? undefined : pathOutside(PATH, clones);
  if (kept === undefined) delete env["PATH"];
  else env["PATH"] = kept;
}

/**
 * A PATH without everything that a clone could fill: what is not an absolute folder, what lies in one of these clones or is reached by
 * a link there, and the `node_modules/.bin` of any repository. One of its files could otherwise be the next `git` or `npm` that is
 * started (npx and npm put such folders first; adversary case A12). The Node that runs loopdash stays found. Undefined if nothing is left.
 */
export function pathOutside(path: string, clones: readonly string[], here = realPath(".")): string | undefined {
  const closed = clones.map((clone) => wayToPlace(resolve(clone)).real);
  const kept = path.split(":").flatMap((entry) => {
    if (!isAbsolute(entry)) return [];
    const folder = /\/\.\.(?:\/|$)/.test(entry) ? (realPath(entry) ?? resolve(entry)) : resolve(entry);
    const { real, links } = wayToPlace(folder);
    const places = [folder, real, ...links.map(({ at }) => at)];
    const isOfClone = places.some((place) => closed.some((clone) => isWithin(clone, place)));
    const isOfProject = places.some((place) => PROJECT_TOOLS.test(`${place}/`) && isOfClones(place, here));
    if (!isOfClone && !isOfProject) return [folder];
    // Whoever could fill the folder of this Node runs already.
    return PROJECT_TOOLS.test(`${real}/`) && isWithin(dirname(real), process.execPath) ? [dirname(process.execPath)] : [];
  });
  return kept.length > 0 ? kept.join(":") : undefined;
}

/** True for tools of a project in a repository, or of the one that this process was started in, which may be none. */
function isOfClones(tools: string, here: string | undefined): boolean {
  const project = tools.slice(0, tools.search(PROJECT_TOOLS)) || "/";
  return clonesAbove(tools).length > 0 || (here !== undefined && project !== "/" && isWithin(project, here));
}

/** The repositories that a folder lies in. One that holds the person's home is no clone: some keep their settings in one. */
export function clonesAbove(folder: string): readonly string[] {
  const home = realPath(process.env["HOME"] ?? homedir());
  const found: string[] = [];
  for (let place = folder; place !== "/"; place = dirname(place))
    if (existsSync(join(place, ".git")) && (home === undefined || !isWithin(place, home))) found.push(place);
  return found;
}

/** The repositories that this process was started in; none where its folder was deleted. */
export function clonesHere(): readonly string[] {
  const here = realPath(".");
  return here === undefined ? [] : clonesAbove(here);
}
