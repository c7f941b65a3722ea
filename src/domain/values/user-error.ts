// biome-ignore lint/performance/noBarrelFile: the layers read these from one place of the domain
export { EXIT, type ExitCode, UserError } from "@loopdash/values";
