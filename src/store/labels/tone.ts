/**
 * What a piece of text means. Views turn a tone into colour, and always say the same with a glyph and a word as well.
 * `claim` is what a worker says, `oracle` what judges it; the two never share a look.
 */
export type Tone = "plain" | "running" | "waiting" | "good" | "bad" | "person" | "oracle" | "claim";
