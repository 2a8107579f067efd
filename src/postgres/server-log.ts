/** What of PostgreSQL's log an operator has to see. */

/** By severity; and of what is only noted, that a process died or something could not be done. */
const trouble = /^(?:WARNING|FATAL|PANIC):|^LOG: .*(?:was terminated by|exited with exit code|could not)/;

/** Who was refused or cut off knows it: whoever asks while PostgreSQL starts, and everybody when it stops. */
const told = /^(?:WARNING|FATAL): {2}(?:the database system is |terminating connection )/;

/**
 * @param line of the log as PostgreSQL writes it in English, with its severity first
 * @returns whether it tells of something that whoever runs the service may have to mend. Statements that fail (ERROR)
 *   don't: the service answers for those, and logs them itself
 */
export function tellsOfTrouble(line: string): boolean {
  return trouble.test(line) && !told.test(line);
}
