import { OperatorError } from "./domain/operator-error.ts";

/** The service can't start. The message is one line that says what to do. */
export class StartError extends OperatorError {}
