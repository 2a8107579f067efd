/** What only whoever runs the service can mend. The message says in a line what is wrong and what to do. */
export class OperatorError extends Error {
}
