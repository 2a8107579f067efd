/** A failure that only the operator can fix. The message says in a line what is wrong and what to do. */
export class OperatorError extends Error {}
