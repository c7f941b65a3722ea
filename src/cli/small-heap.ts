import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Target size of a dashboard's young generation: both halves of it. Bytes. */
const ENOUGH = 16 * 2 ** 20;
/** Check interval: V8 also shrinks it again. Between two checks it may double more than once. */
const LOOK_MS = 100;

/**
 * Keeps the young generation at its current size. Node 24 lets it grow to 64 MB, which an engine that mostly waits fills with
 * garbage: measured 117 MB against 89 MB resident over 30 tickets. This is the only one of V8's flags for it that still works
 * once the heap exists. Call it before anything large is loaded.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Lets the young generation grow while it is too small for frames. One that is too small promotes short-lived garbage: measured
 * with 64 agents on 200 × 80, 13 ms of CPU for a frame against 10.5, and 150 MB resident against 128. Returns a function that
 * ends it.
 */
export function makeRoomForFrames(): () => void {
  const look = (): void => setFlagsFromString(`--semi-space-growth-factor=${youngBytes() < ENOUGH ? 2 : 1}`);
  const looks = setInterval(look, LOOK_MS).unref();
  look();
  return () => {
    clearInterval(looks);
    keepHeapSmall();
  };
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}
