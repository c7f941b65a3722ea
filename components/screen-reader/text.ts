/** Lines and bars are for the eye: a screen reader would say each of their signs. */
const DRAWN = /[\u2500-\u259f\u25a0-\u25a3]+/g;

/** Text for a screen reader: without what is only drawn, and without the blanks that keep columns apart. */
export function spokenOf(text: string): string {
  return text.replace(DRAWN, " ").replace(/ {2,}/g, " ");
}
