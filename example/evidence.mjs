/**
 * The part of a prompt that gives the reasons for earlier refusals: everything after the first heading about an earlier, previous
 * or failed attempt. "" if there is none, as on a first attempt.
 */
export function earlierEvidence(prompt) {
  const lines = prompt.split("\n");
  const start = lines.findIndex((line) =>
    /^#{1,6}\s.*\b(?:earlier|previous|failed)\b.*\b(?:attempts?|tr(?:y|ies))\b/i.test(line),
  );
  return start === -1 ? "" : lines.slice(start + 1).join("\n");
}
