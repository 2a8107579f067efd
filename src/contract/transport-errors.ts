import type { ErrorDefinition } from "./error-definition.ts";
import * as details from "./error-details.ts";

/** The errors of requests that are wrong before anybody reads their fields. */
export const transportErrors = {
  malformed_request: {
    status: 400,
    details: details.messageProblem,
    message: "The request is not a well-formed HTTP message.",
    messages: {
      no_host: "The request has no Host header.",
      repeated_header: "The request has a header twice that it may have only once. Send it once.",
      too_many_headers: "The request has more than 2,000 headers.",
      transfer_encoding:
        "The only Transfer-Encoding is chunked. Send the body with it, or with a Content-Length.",
    },
    cause:
      "The request is not HTTP, has too many or too large headers, took too long to arrive, has two Host, Authorization " +
      "or Content-Type headers, or has a Transfer-Encoding other than chunked.",
    remedy:
      "Send complete HTTP/1.1 requests: at most 2,000 headers of 16 KiB in total, within 10 seconds, and the whole request within " +
      "30 seconds.",
  },
  malformed_json: {
    status: 400,
    details: details.bodyProblem,
    message: "The request body is not one well-formed JSON object.",
    cause:
      "The body is empty, not UTF-8, not JSON, not an object, has a duplicate name or the name `__proto__`, is nested too deep, or begins with " +
      "a byte order mark (such as the bytes EF BB BF). details.reason says which, and details.line and details.column where.",
    remedy:
      "Send a single JSON object in UTF-8, without a byte order mark or duplicate members, with at most 16 levels.",
  },
  query_parameters_not_allowed: {
    status: 400,
    message: "Query parameters are not allowed; send every field in the JSON body.",
    cause: "The URL contains a question mark.",
    remedy: "Remove the question mark and everything after it, and put the fields into the JSON body.",
  },
  operation_not_found: {
    status: 404,
    details: details.rightPath,
    message: "There is no operation at this path.",
    cause:
      "The reference has no operation at this path. details.use is the path that was probably meant, such as without a trailing slash.",
    remedy:
      "Send a POST to the path in details.use, or see the reference. Paths begin with the base path (/api), are case-sensitive, have hyphens " +
      "and no trailing slash.",
  },
  method_not_allowed: {
    status: 405,
    message: "Every operation is a POST, with its fields as JSON in the body.",
    cause: "The request has another method than POST, such as GET or PUT.",
    remedy: "Send the request with the method POST.",
  },
  payload_too_large: {
    status: 413,
    details: details.bodyLimit,
    message: "The request body is too large.",
    cause: "The body is larger than the operation accepts, or is sent in thousands of pieces of a few bytes.",
    remedy:
      "Send a body of at most details.limit_bytes bytes (64 KiB unless the operation says otherwise), with a Content-Length " +
      "or in chunks of at least 32 bytes.",
  },
  invalid_content_type: {
    status: 415,
    details: details.contentProblem,
    message: "Content-Type must be application/json.",
    messages: {
      missing: "The request has no Content-Type. Send the header Content-Type: application/json.",
      media_type:
        "The Content-Type is another one than application/json. Send JSON, and the header Content-Type: application/json.",
      charset:
        "The charset in Content-Type is another one than utf-8. Send the body in UTF-8, and the header Content-Type: application/json.",
      content_encoding:
        "The body is compressed (Content-Encoding). Send it uncompressed, without this header.",
    },
    cause:
      "Content-Type is missing, is not application/json or names a charset other than UTF-8, or the body is compressed.",
    remedy: "Send the header Content-Type: application/json and an uncompressed UTF-8 body.",
  },
} as const satisfies Record<string, ErrorDefinition>;
