/** The request log, for partners and for operators. */
import { type FieldError, fieldError, fields, Type, wrongValue } from "../../contract/declare.ts";
import { fieldFailure } from "../../contract/error-details.ts";
import { errors } from "../../contract/errors.ts";
import type { CheckContext } from "../../contract/operation.ts";
import { lateReplayHours } from "../../domain/idempotency.ts";

const path = (description: string) =>
  Type.String({
    minLength: 5,
    maxLength: 100,
    pattern: "^/[a-z/-]+$",
    description,
    examples: ["/sp/sales/record"],
  });

const operation = fields.nullable(
  path("The operation."),
  "The operation, or null if there is none at the path.",
);
const status = fields.whole(200, 599, "The HTTP status of the response.", 422);
const code = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: "^[a-z_]+$", description, examples: [example] });
const errorCode = code("The error code of the response.", "validation_failed");

/** The filters that both lists have. */
export const requestFilters = {
  operation: Type.Optional(path("Only requests to this operation.")),
  since: Type.Optional(fields.utcTime("The earliest time to list.")),
  until: Type.Optional(fields.utcTime("The latest time to list.")),
};

export const rejectedFilters = {
  ...requestFilters,
  status: Type.Optional({ ...status, description: "Only requests with this HTTP status." }),
  error_code: Type.Optional({ ...errorCode, description: "Only requests with this error code." }),
};

export const rejectedRequest = Type.Object({
  requested_at: fields.utcTimestamp,
  request_id: Type.String({
    format: "uuid",
    maxLength: 36,
    description: "The X-Request-Id of the response.",
    examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"],
  }),
  integration_id: fields.integrationId,
  operation,
  status,
  error_code: fields.nullable(errorCode, "The error code of the response, or null for a success."),
  reason: fields.nullable(
    code("", "invalid_or_expired"),
    "Why the token was rejected: the value of details.token. late_replay: nothing was recorded, because the same write succeeded more than " +
      `${lateReplayHours} hours before with this key.`,
  ),
  field_errors: Type.Array(
    Type.Object({
      field: {
        ...fieldFailure.properties.field,
        description:
          "The name of the field; empty for the whole request. A name that no operation has is shown as ?.",
        examples: ["amount"],
      },
      code: code("Why the field was rejected.", "out_of_range"),
    }),
    { maxItems: 10, description: "The first fields that were rejected, without their values." },
  ),
});

export const requestCount = Type.Object({
  hour: { ...fields.utcTimestamp, description: "The beginning of the hour, YYYY-MM-DD HH:MM:SS in UTC." },
  integration_id: fields.integrationId,
  operation,
  succeeded: fields.count("The number of requests that succeeded.", 812),
  rejected: fields.count("The number of requests that were rejected, with a 4xx status.", 3),
  failed: fields.count("The number of requests that failed, with a 5xx status.", 0),
  unlisted: fields.count(
    "How many of the rejected and failed requests are not in the list, because there were too many at once.",
    0,
  ),
});

interface Filter {
  readonly operation?: string | undefined;
  readonly error_code?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Rejects an operation and an error code that never occur, because an empty list would hide the mistake. */
export function checkRequestFilter(
  { operation, error_code, since, until }: Filter,
  { paths }: Pick<CheckContext, "paths">,
): FieldError[] {
  const found: FieldError[] = [];
  if (operation !== undefined && !paths.has(operation)) {
    found.push(wrongValue("operation", "must be the path of an operation, such as /sp/sales/record"));
  }
  if (error_code !== undefined && !Object.hasOwn(errors, error_code)) {
    found.push(wrongValue("error_code", "must be an error code, such as validation_failed"));
  }
  if (since !== undefined && until !== undefined && until < since) {
    found.push(fieldError("until", "out_of_range", "must not be before since"));
  }
  return found;
}
