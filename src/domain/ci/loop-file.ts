/** The batch file that `loopdash ci` writes for a loop, below the state folder. */
const LOOP_FILE = /\/ci\/[0-9a-f]{16}\/\d{4,9}\.json$/;

/** True for the path of a batch file that `loopdash ci` has written itself: people do not know it, and messages do not name it. */
export function isLoopFile(path: string): boolean {
  return LOOP_FILE.test(path);
}
