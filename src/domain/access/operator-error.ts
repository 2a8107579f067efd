/** A failure that only the operator can fix. Its message is one line: what is wrong and what to do. */
export class OperatorError extends Error {}
