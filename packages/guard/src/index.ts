/** The judgement of command lines and tools, as pure functions, and what agents settings must hold so that their hooks ask it. */
export { CommandClassifier } from "./audit/mutating.ts";
export { type ActionEffect, effectOfCommand, MOST_PATHS } from "./audit/shell-effect.ts";
export { CANARY_CALL, canaryPayload, guardCanary } from "./hooks/canary.ts";
export { isBlockByRule, NUDGED_AT } from "./hooks/hook-answer.ts";
export { AUDIT_EVENTS, EVENT_NAMES, GUARD_EVENTS, HOOK_EVENTS, HOOK_VENDORS, type HookEvent } from "./hooks/hook-event.ts";
export { codexOverrides, type HookGroup, hookCommand, hookSettings } from "./hooks/hook-settings.ts";
export { SHELL_TOOLS } from "./hooks/hook-tools.ts";
export { DENY_RULES } from "./install/deny-rules.ts";
export {
  denyRulesIn,
  isInstalled,
  type JsonVendor,
  readSettingsState,
  SettingsProblem,
  type SettingsState,
  withGuard,
  withoutGuard,
} from "./install/edit-settings.ts";
export { hookGroup, type InstalledHook, pluginCallsGuard, pluginText, readOwnPlugin } from "./install/own-hook.ts";
export { judgeCommand } from "./judge-command.ts";
export { FAMILIES, type Family, RULES, type RuleId } from "./rule-table.ts";
export { readGuardFile } from "./settings-text.ts";
export type { StopTask } from "./stop-task.ts";
export type { GuardSettings } from "./verdict.ts";
