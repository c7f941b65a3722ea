/**
 * The part of a prompt that tells why earlier attempts were refused: everything after the first heading that speaks of
 * an earlier, previous or failed try. "" where there is none, as on a first try.
 */
export function earlierEvidence(prompt) {
  const lines = prompt.split("\n");
  const start = lines.findIndex((line) =>
    /^#{1,6}\s.*\b(?:earlier|previous|failed)\b.*\b(?:attempts?|tr(?:y|ies))\b/i.test(line),
  );
  return start === -1 ? "" : lines.slice(start + 1).join("\n");
}
