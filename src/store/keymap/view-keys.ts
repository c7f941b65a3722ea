import type { Binding } from "../dashboard-state.ts";
import { paneKeys } from "./effects.ts";

/** Keys of the oracle's view. */
export const ORACLE_KEYS: readonly Binding[] = paneKeys("oracle");
/** Keys of the ledger. */
export const LEDGER_KEYS: readonly Binding[] = paneKeys("ledger");
