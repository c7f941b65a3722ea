/** True for a line that begins an error: `TypeError: …`, `AssertionError [ERR_ASSERTION]: …`, `json.decoder.JSONDecodeError: …`, or what the language says before it. */
export function isErrorHead(line: string): boolean {
  const name = /^ {0,12}(?:\[!\] |Exception in thread "[^"]{1,100}" |Uncaught )?([\w.$]{1,120})(?: \[\w{1,60}\])?(?::|$)/.exec(
    line,
  )?.[1];
  return name !== undefined && /(?:Error|Exception|Failure)$/.test(name.slice(-9));
}

/** A program's own word for an error (not "error rate"), at the start of a line, behind signs, or behind the names of program and file. */
const LABEL =
  /^(?:[^\s:]{1,60}: ){0,2}\W{0,6}(?:(?:fatal|panic|ERROR|FATAL|FAIL|FAILED|ASSERT|Error|Fatal|Failed|npm (?:error|ERR!)|CMake Error)(?:[\]:[ (]|$)|(?:\w{1,20} )?error(?:[\]:[(]|$| (?:[^a-z]|(?:in|at|on|while|when|during|from|\w{1,20}ing)\b)))|^(?:>> )?Issue: |\*\*\*(?:Failed|Exception|Timeout|Not Run)\b|==ERROR: |\(error\): |[:.] {1,3}FAILED$|^ {0,12}[✖✗✘❌]\ufe0f? {1,4}(?:[^\d\s]|\d{1,7}:\d)|^==\d{1,9}== (?:Invalid|Conditional|Use of|Mismatched|Process terminating|Source and|Possible data race|Syscall param) | threshold .{1,120} not met/;

/** The death of a process by a signal, as a shell, make or a runner tells it. One that aborts has said why before. */
const SIGNAL =
  /(?:^|[ :])(?:Segmentation fault|Killed|Bus error|Illegal instruction|Floating point exception)(?: \(core dumped\))?(?:$| {2})|\bsignal(?:[:=]? \d{1,2},)?[:= ]{1,2}SIG(?:SEGV|BUS|ILL|FPE|KILL)\b/;

/** Words of what went wrong, in a line without a label, and those of lines that only warn. */
const TROUBLE =
  /\b(?:cannot|can't|could not|couldn't|unable to|not found|no such file|does not|doesn't|invalid|unknown|unexpected|missing|denied|refused|failed|exceeded|exception|detected|timed out|unrecognized|unsupported|mismatch|violates|no tests)\b/i;
const REMARK = /\b(?:warn(?:ing)?|deprecated|hint|note|notice|info|debug)\b/i;

/** True for a line that tells of a failure in words, without calling it an error. */
export function isTrouble(line: string): boolean {
  return TROUBLE.test(line) && !isRemark(line);
}

/** True for a line that only warns or explains. */
export function isRemark(line: string): boolean {
  return REMARK.test(line);
}

/** True for a line that a program itself calls an error, or that tells of its death. */
export function isLabelled(line: string): boolean {
  return LABEL.test(line) || isSignal(line);
}

/** True for a line that says that a process died by a signal: whatever else failed in it has not been said. */
export function isSignal(line: string): boolean {
  return SIGNAL.test(line);
}
