import { OperatorError } from "./domain/operator-error.ts";

/** A start that can't go on, told in a line that says what to do. */
export class StartError extends OperatorError {}
