/** Texts, JSON values and names, as several packages handle them. Pure. */
export { fence } from "./fence.ts";
export { asCount, asList, asNumber, asObject, asString } from "./json-members.ts";
export { isObject, type JsonObject, objectMembers, parseJson } from "./json-object.ts";
export { isEscaped, isSpace, jsonMembers, quoteBefore, readJson } from "./json-text.ts";
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
  jsonText,
  plainLines,
  plainText,
  plural,
  wholeWords,
} from "./text.ts";
export { EXIT, type ExitCode, UserError } from "./user-error.ts";
export { parseTags, type Tag, xmlText } from "./xml-tags.ts";
