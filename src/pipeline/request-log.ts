/**
 * The log of partners' requests. It counts all requests, and keeps those that were rejected or failed or are suspicious, without any
 * value that was sent. Nothing waits for it.
 */
import { bodyOf, type Operation } from "../contract/operation.ts";
import type { Tokens } from "../credentials/tokens.ts";
import type { FieldProblem, SenderKey, WriteRequests } from "../database/requests.ts";
import { Rejection } from "../domain/rejection.ts";
import { bearerToken } from "./access/authentication.ts";
import { RateLimiter } from "./limits.ts";
import type { OperationResponse } from "./request.ts";
import { createRequestWriter, type WriterParts, type WriterSettings } from "./request-writer.ts";

/** A request to which a response was made. */
export interface Responded {
  readonly id: string;
  /** The full path of its operation; undefined if there is none at the path. */
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly response: Pick<
    OperationResponse,
    "status" | "errorCode" | "reason" | "fieldErrors" | "sender" | "clientId"
  >;
}

/** The most rejected requests of an integration that get a row, of all processes together. Further ones are counted. */
const listedOfIntegration = { perSecond: 10, burst: 100 };
/** The same for token requests that are rejected. Anyone who knows the client_id can send them. */
const listedOfClient = { perSecond: 1 / 60, burst: 20 };
const maximumFieldErrors = 10;

export interface RequestLogParts extends WriterParts {
  readonly operations: readonly Operation[];
  readonly basePath: string;
  readonly legacyFields: Readonly<Record<string, string>>;
  /** How many processes share the limits. */
  readonly processes: number;
  readonly tokens: Pick<Tokens, "holderOf">;
}

/** @param write records requests in the database */
export function createRequestLog(
  write: WriteRequests,
  parts: RequestLogParts,
  settings: WriterSettings = {},
) {
  const writer = createRequestWriter(write, parts, settings);
  const knownPart = fieldCleaner(parts);
  const limits = {
    number: new RateLimiter(listedOfIntegration, parts.processes),
    string: new RateLimiter(listedOfClient, parts.processes),
  };
  let [millisecond, others] = [0, 0];
  /** The time, with microseconds that keep requests of one millisecond in their order. */
  const moment = () => {
    const now = Date.now();
    others = now === millisecond ? Math.min(others + 1, 999) : 0;
    millisecond = now;
    return new Date(now).toISOString().replace("Z", `${String(others).padStart(3, "0")}Z`);
  };
  /** Adds a request to the list. @param operation empty for an unknown path */
  const note = (sender: SenderKey, operation: string, { id, response }: Responded, requested_at: string) => {
    const { status, errorCode, reason, fieldErrors } = response;
    writer.count(sender, operation, status < 400 ? "succeeded" : status < 500 ? "rejected" : "failed");
    const isListed =
      limits[typeof sender as "number" | "string"].count(sender).rejection === undefined &&
      writer.push({
        sender,
        requested_at,
        request_id: id,
        operation: operation || null,
        status,
        error_code: errorCode ?? null,
        reason: reason ?? null,
        field_errors: fieldErrors.slice(0, maximumFieldErrors).map(knownPart),
      });
    if (!isListed && errorCode !== undefined) writer.count(sender, operation, "unlisted");
  };

  return {
    /** Adds a request. One that succeeded costs only a counter, unless there is a reason to list it. */
    add(responded: Responded): void {
      const { path = "", authorization, response } = responded;
      const { sender, errorCode, clientId } = response;
      const operation = path.slice(parts.basePath.length);
      const known = sender === undefined ? clientId : sender.integrationId;
      if (errorCode === undefined && response.reason === undefined) {
        if (known !== undefined) writer.count(known, operation, "succeeded");
        return;
      }
      const requestedAt = moment();
      if (known !== undefined) note(known, operation, responded, requestedAt);
      // An operator's requests are not logged.
      if (known !== undefined || sender !== undefined) return;
      const token = bearerToken(authorization);
      if (token instanceof Rejection) return;
      void parts.tokens.holderOf(token).then((holder) => {
        if (holder !== undefined) note(holder, operation, responded, requestedAt);
      });
    },
    written: writer.written,
    finish: writer.finish,
  };
}

/** Takes the place of a part of a field's name that no operation has. It may be a value that was sent as a name. */
const unknownName = "?";

/** Makes the function that keeps of the name of a rejected field only what our own declarations contain, and indexes of lists. */
function fieldCleaner({
  operations,
  legacyFields,
}: RequestLogParts): (problem: FieldProblem) => FieldProblem {
  const known = new Set(Object.keys(legacyFields));
  const collect = (schema: { properties?: object; items?: object; anyOf?: readonly object[] }) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      known.add(name);
      collect(property);
    }
    if (schema.items !== undefined) collect(schema.items);
    for (const option of schema.anyOf ?? []) collect(option);
  };
  for (const operation of operations) collect(bodyOf(operation));
  const isKnown = (part: string, nth: number) => known.has(part) || (nth > 0 && /^\d{1,4}$/.test(part));
  return ({ field, code }) => {
    const parts = field.slice(0, 500).split(".").slice(0, 5);
    const kept =
      field === "" ? "" : parts.map((part, nth) => (isKnown(part, nth) ? part : unknownName)).join(".");
    return { field: kept, code };
  };
}
