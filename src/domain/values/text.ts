// biome-ignore lint/performance/noBarrelFile: the layers read these texts from one place of the domain
export {
  boundedHead,
  boundedList,
  boundedTail,
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
} from "@loopdash/values";
