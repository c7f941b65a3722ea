/** What several packages ask of Node. */
export { readBounded, UnusableFile } from "./bounded-file.ts";
export { passwordHome } from "./password-home.ts";
