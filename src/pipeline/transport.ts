/** The checks of HTTP: query string, content type, size and JSON of the body. */
import { type Rejection, reject } from "../contract/errors.ts";
import { fieldError } from "../contract/field-errors.ts";
import type { Operation } from "../contract/operation.ts";
import type { Body } from "../contract/validation.ts";
import { parseJsonObject } from "./json.ts";
import { jsonProblem } from "./json-problem.ts";
import type { OperationRequest } from "./request.ts";

const defaultMaximumBytes = 64 * 1024;
/** The maximum of all objects of a body together. It is far more than any operation has. */
const defaultMaximumFields = 64;
/** The longest list has a thousand numbers, and all of them may be written like 5.0e0. */
const defaultMaximumFractions = 2000;

/** Checks the parts of a request that arrive before its body. */
export function checkHead(request: OperationRequest): Rejection | undefined {
  if (request.hasQuery) return reject("query_parameters_not_allowed");
  const reason = contentProblem(request);
  return reason === undefined ? undefined : reject("invalid_content_type", { reason });
}

/**
 * Why the body is not `application/json` in UTF-8, which some clients call utf8. Other parameters are ignored (RFC 8259 sections 8.1
 * and 11).
 */
function contentProblem({ contentType, contentEncoding }: OperationRequest) {
  // Codings are compared without case (RFC 9110 section 8.4.1).
  if (contentEncoding !== undefined && !/^(?:identity)?$/i.test(contentEncoding)) return "content_encoding";
  if (contentType === "application/json") return undefined;
  if (contentType === undefined || contentType === "") return "missing";
  if (!/^application\/json[ \t]*(;|$)/i.test(contentType)) return "media_type";
  const charsets = [...contentType.matchAll(/;[ \t]*charset[ \t]*=[ \t]*("?)([^";]*)\1/gi)];
  return charsets.every(([, , charset = ""]) => /^utf-?8$/i.test(charset.trim())) ? undefined : "charset";
}

export async function readJson(
  request: OperationRequest,
  { maximumBodyBytes, maximumFields }: Operation,
): Promise<Body | Rejection> {
  const maximumBytes = maximumBodyBytes ?? defaultMaximumBytes;
  const bytes = await request.readBody(maximumBytes);
  if (bytes === "too_large") return reject("payload_too_large", { limit_bytes: maximumBytes });
  if (bytes === "aborted") return reject("malformed_json", {});
  // An operation with a higher limit for the body takes lists of records.
  const mostFields = maximumFields ?? (maximumBodyBytes === undefined ? defaultMaximumFields : undefined);
  const limits: [number, number] | [] = mostFields === undefined ? [] : [mostFields, defaultMaximumFractions];
  const body = parseJsonObject(bytes, ...limits);
  if (body === "malformed") return reject("malformed_json", jsonProblem(bytes));
  if (body !== "too_much") return body;
  const problem = `is more than this operation takes: ${mostFields} fields at most`;
  return reject("validation_failed", { errors: [fieldError("", "too_long", problem)] });
}
