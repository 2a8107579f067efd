/** Explains failures to the person at the terminal: what went wrong, and what to do next. */
import { ApiError, ConnectionError } from "loyalty-sdk";
import { withDetails } from "../../contract/error-message.ts";
import { type ErrorCode, errors } from "../../contract/errors.ts";
import type { FieldError } from "../../contract/field-errors.ts";
import { bodyOf, type Operation } from "../../contract/operation.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";
import {
  commandOfPath,
  type Fields,
  flagOf,
  inWordsOfCommands,
  records,
  withFlags,
} from "./command-names.ts";
import type { Address, Connection } from "./connection.ts";

/**
 * Texts for errors whose text in the API is about requests. In a remedy, `filled` replaces {business} and the ids, so that its
 * command can be copied.
 */
const ownWords: Readonly<Record<string, { readonly message?: string; readonly remedy: string }>> = {
  idempotency_key_reused_with_different_payload: {
    message: "This --idempotency-key was already used for a different request.",
    remedy:
      "With the same key, you can only repeat the same command with the same options. Use another key for another command.",
  },
  idempotency_key_of_another_secret: {
    message:
      "This --idempotency-key is used: a change was made with it. Whether by this command can't be told, because the secret of the service " +
      "has changed since.",
    remedy: "Look whether the change was made. If it was not, use another key.",
  },
  reauthentication_required: {
    remedy: "Run loyalty login again, and then this command within ten minutes.",
  },
  sign_in_failed: { remedy: "Check both. An owner can reset the password: loyalty operator reset" },
  limit_exceeded: {
    remedy: "Money is in minor units. Correct by less, or ask an operator with a higher limit.",
  },
  balances_not_zero: {
    remedy: "Bring the balances to zero, or give a --reason to write them off. Money is in minor units.",
  },
  insufficient_balance: { remedy: "Debit at most the balance. Money is in minor units." },
  internal_error: {
    remedy:
      "Run the command again with the same --idempotency-key. If you gave no key, first check whether the change was made.",
  },
  refund_exceeds_sale: {
    remedy: "To see it: loyalty sale get {sale_id}{business}",
  },
  member_already_exists: { remedy: "To see the other member: loyalty member find{business}" },
  movement_not_found: {
    remedy:
      "The number of a top-up or payment is the entry_no of its first entry. To see it: loyalty transaction list --columns " +
      "entry_no,event_type,amount,reference_id --contact ID{business}",
  },
  redemption_not_found: {
    remedy:
      "The number of a redemption is the entry_no of its reward_points_redeemed. To see it: loyalty transaction list " +
      "--columns entry_no,event_type,amount,reference_id --contact ID{business}",
  },
  voucher_not_held: {
    remedy: "To see the vouchers of a member: loyalty voucher held {contact_id}{business}",
  },
  voucher_archived: { remedy: "Issue another voucher. To see them: loyalty voucher list{business}" },
  benefit_inactive: { remedy: "Choose an active benefit, or give an --amount, which gets no bonus." },
  rewards_disabled: {
    remedy: "Switch reward points on: loyalty reward-settings update --enable-rp{business}",
  },
  redemption_not_allowed: {
    remedy:
      "Redeem at least the redeem_minimum_points. To see it: loyalty reward-settings rules-get{business}",
  },
  not_a_sandbox: {
    remedy: "Only a sandbox can be deleted, or be moved to another day. Create one for tests with --sandbox.",
  },
  event_not_found: { remedy: "To see what was sent: loyalty webhook deliveries {endpoint_id}{business}" },
  too_many_webhook_endpoints: {
    remedy: "Delete one that is no longer needed. To see them: loyalty webhook list{business}",
  },
  webhook_endpoint_disabled: {
    remedy: "To enable it where it stopped: loyalty webhook enable {endpoint_id}{business} --from stopped",
  },
  webhook_endpoint_enabled_recently: {
    remedy:
      "Wait, or send a test, which also works while it is disabled: loyalty webhook test {endpoint_id}{business}",
  },
  rate_limited: { remedy: "Wait a few seconds, then run the command again." },
  service_unavailable: {
    remedy: "Look at the service's log and at {origin}/health/ready, then run the command again.",
  },
};

/** Converts an error of the client for the person at the terminal. @param body of the request */
export function explain(
  error: unknown,
  connection: Connection,
  operation: Operation | undefined,
  body: Fields,
): unknown {
  if (error instanceof ConnectionError) return notReachable(error, connection);
  if (!(error instanceof ApiError)) return error;
  const { code, status, details, requestId } = error;
  const { baseUrl, urlFrom, key } = connection;
  const known = Object.hasOwn(errors, code) ? errors[code as ErrorCode] : undefined;
  if (known === undefined || code === "operation_not_found") {
    const advice = "must be the address of a loyalty service of the same version, including the base path.";
    return new CliError(exitCodes.unreachable, error.message, [`${baseUrl}, taken ${urlFrom}, ${advice}`]);
  }
  const response = { code, details, message: known.message };
  if (code === "unauthorized") {
    const advice = [
      `The key comes from ${key.from}.`,
      "It must be an operator key, a session of loyalty login that has not ended, or the key of the service: its",
      "LOYALTY_OPERATOR_KEY, or operator.key in its data directory.",
      "If the service has its key in the environment, it uses a new key after a restart.",
    ];
    const message = `The service at ${baseUrl} rejects the operator key.`;
    return new CliError(exitCodes.unauthorized, message, advice, response);
  }
  if (code === "validation_failed") {
    const lines = ((details.errors ?? []) as FieldError[]).map((one) => fieldLine(one, operation));
    return new CliError(exitCodes.usage, known.message, lines, response);
  }
  if (code === "role_not_allowed") {
    const everywhere = details.all_businesses === true ? ", for all businesses" : "";
    const advice = [`Ask a person who may do this. To see your own role: loyalty whoami`];
    return new CliError(
      exitCodes.failed,
      `This requires the role ${details.role}${everywhere}.`,
      advice,
      response,
    );
  }
  const exitCode = status === 429 || status >= 502 ? exitCodes.unreachable : exitCodes.failed;
  const { message = known.message, remedy = inWordsOfCommands(known.remedy, {}) } = ownWords[code] ?? {};
  const missing = missingRecord(code, details, body);
  const advice = missing?.advice ?? [filled(remedy.replace("{origin}", new URL(baseUrl).origin), body)];
  if (status >= 500) advice.push(`The service's log has details for the request ${requestId ?? "id"}.`);
  return new CliError(exitCode, missing?.message ?? withDetails(message, details), advice, response);
}

/** No response came. */
export function notReachable(error: ConnectionError, { baseUrl, urlFrom }: Address): CliError {
  const { cause } = error as { cause?: { cause?: { code?: string } } };
  const reason = cause?.cause?.code ?? error.message;
  if (baseUrl.startsWith("https:") && /^(?:ERR_SSL_|EPROTO)/.test(reason)) {
    return new CliError(exitCodes.unreachable, `There is no TLS at ${baseUrl} (${reason}).`, [
      "The service itself uses plain HTTP. Use an address with http:// on the machine of the service, or the address " +
        "of the TLS",
      `proxy. The address is taken ${urlFrom}.`,
    ]);
  }
  return new CliError(exitCodes.unreachable, `The service does not respond at ${baseUrl} (${reason}).`, [
    "Is it running? Start it with: loyalty serve",
    `The address is taken ${urlFrom}; set LOYALTY_URL or --url if the service has another address.`,
  ]);
}

/** A remedy with the business and the ids of a request. */
function filled(remedy: string, body: Fields): string {
  const business = body.business_id === undefined ? "" : ` --business ${body.business_id}`;
  return remedy.replace("{business}", business).replace(/\{(\w+_id)\}/g, (_, id) => String(body[id] ?? "ID"));
}

/** The code of the service for a record that does not exist, by the field of its id. */
const missingCode = (field: string) =>
  `${field.replace("contact", "member").replace("endpoint", "webhook_endpoint").replace(/_id$/, "")}_not_found`;

/** Without a full stop, so that the command can be copied. */
const listAdvice = (field: string) =>
  `To list them: loyalty ${commandOfPath(`/op/${records[field]?.noun}/list`)[0]} list`;

/** The error of the service for a missing record, for a record that the command did not find. */
export function recordNotFound(field: string, id: unknown, advice = listAdvice(field)): CliError {
  const response = { code: missingCode(field), details: {} };
  return new CliError(exitCodes.failed, `${records[field]?.name} ${id} not found.`, [advice], response);
}

/** The texts for a record that does not exist; undefined for another error. Without a known id, there is no message. */
function missingRecord(code: string, details: Fields, body: Fields) {
  const field = Object.keys(records).find((one) => missingCode(one) === code);
  if (field === undefined) return undefined;
  const { business_id: business } = body;
  const isOfBusiness = field !== "business_id" && business !== undefined;
  const advice = [listAdvice(field) + (isOfBusiness ? ` --business ${business}` : "")];
  if (field === "contact_id") advice.push("A member's id is its contact_id.");
  const id = idsIn(details, field) ?? idsIn(body, field);
  if (id === undefined) return { advice };
  const where = isOfBusiness ? ` in business ${business}` : "";
  return { advice, message: `${records[field]?.name} ${id} not found${where}.` };
}

/** The error of the service for a request that it would reject. */
export function rejectedBefore(code: ErrorCode, body: Fields): CliError {
  const { message } = errors[code];
  const { message: said = message, remedy = errors[code].remedy } = ownWords[code] ?? {};
  return new CliError(exitCodes.failed, said, [filled(remedy, body)], { code, details: {}, message });
}

/** The ids that a request or a response has in a field, or in its plural. */
function idsIn(record: Fields, field: string): string | undefined {
  const value = record[field] ?? record[`${field}s`] ?? record[`sandbox_${field}`];
  return value === undefined || value === null ? undefined : [value].flat().join(", ");
}

/** A failure of a field, under the name of its option. The service's sentence begins with the name of the field. */
function fieldLine({ field, code, message }: FieldError, operation: Operation | undefined): string {
  if (code === "no_fields_to_update" && operation?.atLeastOneOf !== undefined) {
    return `Give at least one of ${operation.atLeastOneOf.map(flagOf).join(", ")}.`;
  }
  // Such as: The file is a picture.
  if (field === "" || /^[A-Z]/.test(message)) return message;
  const [own = field, , inner] = field.split(".");
  // Optional by its schema: one of two fields is required.
  if (own === "location_ids" && code === "required") return "--locations or --all-locations is required.";
  const problem = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
  // The command line writes none for null.
  const text = `${flagOf(own)}${inner === undefined ? "" : `: ${inner.replaceAll("_", "-")}`} ${problem.replace(/\bnull\b/, "none")}`;
  return withFlags(text, operation === undefined ? {} : bodyOf(operation).properties);
}
