import type { TObject } from "typebox";

/** An error: its HTTP status, its message, when it happens, and what the caller can do. */
export interface ErrorDefinition {
  readonly status: number;
  /** The schema of `error.details`; absent for an error without details. */
  readonly details?: TObject;
  /** One sentence for the person who reads the response. Programs read `details`. */
  readonly message: string;
  /** More exact sentences, by the value of `details` that says why: `reason` or `token`. */
  readonly messages?: Readonly<Record<string, string>>;
  /** For the documents: when it happens. */
  readonly cause: string;
  /** For the documents: what to do next. */
  readonly remedy: string;
}

/** The error for a number that no record of the business has. */
export const missing = (noun: string, id: string, remedy: string) => ({
  status: 404,
  message: `No ${noun} has this ${id}.`,
  cause: `No ${noun} of the business has this ${id}.`,
  remedy,
});
