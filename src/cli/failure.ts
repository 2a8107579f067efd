/** Failures as the person at the terminal reads them: what went wrong, and what to do next. */
import { ApiError, ConnectionError } from "loyalty-sdk";
import { bodyOf } from "../contract/body.ts";
import { type ErrorCode, errors, type FieldError } from "../contract/errors.ts";
import { operatorOperations } from "../operations/operator.ts";
import { CliError, exitCodes } from "./cli-error.ts";
import { commandOfPath, records } from "./operations/command-names.ts";
import type { Address, Connection } from "./service/connection.ts";

/** What a field is called on the command line: `--business` for business_id. */
export type FieldNames = (field: string) => string;

/** The request that failed, for messages that name values and advice that can be copied. */
interface Asked {
  readonly path: string;
  readonly nameOf: FieldNames;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What to do about an error of the service, where the API's own advice is about requests. */
const remedies: Readonly<Record<string, string>> = {
  idempotency_key_reused_with_different_payload:
    "Repeat a command with the same key only with the same options. Give every other command a key of its own.",
  balances_not_zero:
    "Use up what the accounts hold, or give a --reason to write it off. Money is in minor units.",
  insufficient_balance: "Debit at most the balance, which is in minor units for money.",
  internal_error:
    "Run the command again with the same --idempotency-key. Without a key, check first whether the change was made.",
  not_a_sandbox: "Only a sandbox can be deleted. Create one for tests with --sandbox.",
  rate_limited: "Wait a little, then run the command again.",
};

/** Turns an error of the transport into one for the person at the terminal. */
export function explain(error: unknown, connection: Connection, asked: Asked): unknown {
  if (error instanceof ApiError) return explainAnswer(error, connection, asked);
  if (error instanceof ConnectionError) return notReachable(error, connection);
  return error;
}

/** No response came. */
export function notReachable(error: ConnectionError, { baseUrl, urlFrom }: Address): CliError {
  const { cause } = error as { cause?: { cause?: { code?: string } } };
  const reason = cause?.cause?.code ?? error.message;
  if (baseUrl.startsWith("https:") && /^(?:ERR_SSL_|EPROTO)/.test(reason)) {
    return new CliError(exitCodes.unreachable, `There is no TLS at ${baseUrl} (${reason}).`, [
      "The service itself speaks plain HTTP: use an address with http:// on its own machine, or the address of the proxy with",
      `TLS before it. The address is taken ${urlFrom}.`,
    ]);
  }
  return new CliError(exitCodes.unreachable, `The service does not respond at ${baseUrl} (${reason}).`, [
    "Is it running? Start it with: loyalty serve",
    `The address is taken ${urlFrom}; set LOYALTY_URL or --url when the service is somewhere else.`,
  ]);
}

function explainAnswer(error: ApiError, connection: Connection, { path, nameOf, body }: Asked): CliError {
  const { code, status, details, requestId } = error;
  const known = (errors as Readonly<Record<string, (typeof errors)[ErrorCode]>>)[code];
  const answer = { code, details, ...(known === undefined ? {} : { message: known.message }) };
  if (code === "unauthorized") {
    const { baseUrl, key } = connection;
    const advice = [
      `The key comes from ${key.from}.`,
      "It must be the service's own: its LOYALTY_OPERATOR_KEY, or operator.key in its data directory.",
      "If the key was replaced since the service started, restart the service.",
    ];
    const message = `The service at ${baseUrl} rejects the operator key.`;
    return new CliError(exitCodes.unauthorized, message, advice, answer);
  }
  if (known === undefined || code === "operation_not_found") {
    return new CliError(exitCodes.unreachable, error.message, [
      `${connection.baseUrl}, taken ${connection.urlFrom}, must be the address of a loyalty service of this version, ` +
        "base path included.",
    ]);
  }
  if (code === "validation_failed") {
    const failures = (details.errors ?? []) as FieldError[];
    const lines = failures.map((failure) => withOptionNames(fieldLine(failure, nameOf), path, nameOf));
    return new CliError(exitCodes.usage, known.message, lines, answer);
  }
  const exitCode = status === 429 || status >= 502 ? exitCodes.unreachable : exitCodes.failed;
  const missing = missingRecord(error, body);
  if (missing !== undefined)
    return new CliError(
      exitCode,
      missing.message ?? withDetails(known.message, details),
      missing.advice,
      answer,
    );
  const advice = [remedies[code] ?? known.remedy];
  if (code === "service_unavailable") {
    const { origin } = new URL(connection.baseUrl);
    advice[0] = `Look at the service's log and at ${origin}/health/ready, then run this again.`;
  }
  if (status >= 500) advice.push(`The service's log has more under the request ${requestId ?? "id"}.`);
  const isReused = code === "idempotency_key_reused_with_different_payload";
  const message = isReused
    ? `This ${nameOf("idempotency_key")} was already used for a different request.`
    : known.message;
  return new CliError(exitCode, withDetails(message, details), advice, answer);
}

/** What to say of a record that does not exist; undefined for another error, and without a message if no id is known. */
function missingRecord({ code, details }: ApiError, body: Asked["body"]) {
  const field = code === "member_not_found" ? "contact_id" : code.replace(/_not_found$/, "_id");
  const record = records[field];
  if (record === undefined) return undefined;
  const value = idsIn(details, field) ?? idsIn(body, field);
  const { business_id: business } = body;
  const isOfBusiness = code !== "business_not_found" && business !== undefined;
  const [noun] = commandOfPath(`/op/${record.noun}/list`);
  // Without a full stop, so that the command can be copied.
  const advice = [
    `See which there are: loyalty ${noun} list${isOfBusiness ? ` --business ${business}` : ""}`,
  ];
  if (code === "member_not_found") advice.push("Members are named by their contact_id.");
  const where = isOfBusiness ? ` in business ${business}` : "";
  const message = value === undefined ? undefined : `${record.name} ${value} not found${where}.`;
  return { message, advice };
}

/** A message with the details of the error: "The balance is too low for this debit (balance 3000)." */
function withDetails(message: string, details: object): string {
  const told = Object.entries(details).map(
    ([name, value]) =>
      `${name.replaceAll("_", " ")} ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return told.length === 0 ? message : `${message.replace(/\.$/, "")} (${told.join(", ")}).`;
}

/** A message for users of the API, with options in place of the fields of the operation. */
function withOptionNames(text: string, path: string, nameOf: FieldNames): string {
  const operation = operatorOperations.find((one) => one.path === path);
  const fields = new Set(operation === undefined ? [] : Object.keys(bodyOf(operation).properties));
  const isList = /^send at least one of /i.test(text);
  return text
    .replace(/^send /, "Give ")
    .replace(/\b[a-z]+(?:_[a-z]+)*\b/g, (word) =>
      fields.has(word) && (isList || word.includes("_")) ? nameOf(word) : word,
    );
}

/** The ids that a request or a response has in a field, or in its plural. */
function idsIn(record: object, field: string): string | undefined {
  const values = record as Readonly<Record<string, unknown>>;
  const value = values[field] ?? values[`${field}s`] ?? values[`sandbox_${field}`];
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** A failure of a field, under the name of its option. The service's sentence begins with the name of the field. */
function fieldLine({ field, code, message }: FieldError, nameOf: FieldNames): string {
  if (field === "") return message;
  const [own = field] = field.split(".");
  // Optional by its schema: one of two fields is required.
  if (own === "location_ids" && code === "required") {
    return `${nameOf(own)} or ${nameOf("all_locations")} is required.`;
  }
  const problem = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
  return `${nameOf(own)} ${problem}`;
}
