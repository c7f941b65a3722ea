/** Texts, JSON values and names, as several packages handle them. Pure. */
export { isObject, type JsonObject, objectMembers, parseJson } from "./json-object.ts";
export { displayValue, hintFor, listed, nearest } from "./nearest.ts";
export { shellWord } from "./shell-word.ts";
export {
  boundedHead,
  boundedList,
  boundedTail,
  collapseRepeats,
  errorCode,
  errorMessage,
  firstFew,
  firstFewLine,
  hasErrorCode,
  plainLines,
  plainText,
  plural,
  wholeWords,
} from "./text.ts";
