/** What went wrong, told to the person at the terminal: what, and what to do next. */
import { ApiError, ConnectionError } from "loyalty-sdk";
import { type ErrorCode, errors, type FieldError } from "../contract/errors.ts";
import { inCommands } from "./command-names.ts";
import type { Connection } from "./connection.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

interface ServiceAnswer {
  readonly code: string;
  readonly details: object;
  readonly message?: string;
}

/** Ends the command. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** What to do next, a line each. */
  readonly advice: readonly string[];
  /** The service's own words, for --json. */
  readonly answer: ServiceAnswer | undefined;

  constructor(exitCode: ExitCode, message: string, advice: readonly string[] = [], answer?: ServiceAnswer) {
    super(message);
    this.exitCode = exitCode;
    this.advice = advice;
    this.answer = answer;
  }
}

/** The command line can't be followed. */
export function usageError(message: string, ...advice: string[]): CliError {
  return new CliError(exitCodes.usage, message, advice);
}

/** What a field is called on the command line: `--business` for business_id. */
export type FieldNames = (field: string) => string;

/** What was asked of the service, for advice that can be followed as it stands. */
interface Asked {
  readonly nameOf: FieldNames;
  /** Which it was about, if about one. */
  readonly business: number | undefined;
}

/** Where the API's own advice is for partners, who have the operator to ask. */
const operatorRemedies: Readonly<Record<string, string>> = {
  voucher_not_found: "Check voucher_id against /op/vouchers/list.",
  program_not_found: "Check program_id against /op/programs/list.",
};

/** Turns what the transport threw into what the person needs to know. */
export function explain(error: unknown, connection: Connection, asked: Asked): unknown {
  if (error instanceof ApiError) return explainAnswer(error, connection, asked);
  if (error instanceof ConnectionError) return notReachable(error, connection);
  return error;
}

function notReachable(error: ConnectionError, { baseUrl, urlFrom }: Connection): CliError {
  const { cause } = error as { cause?: { cause?: { code?: string } } };
  const reason = cause?.cause?.code ?? error.message;
  if (baseUrl.startsWith("https:") && /^(?:ERR_SSL_|EPROTO)/.test(reason)) {
    return new CliError(exitCodes.unreachable, `There is no TLS at ${baseUrl} (${reason}).`, [
      "The service itself speaks plain HTTP: use an address with http:// on its own machine, or that of the proxy with",
      `TLS before it. The address is taken ${urlFrom}.`,
    ]);
  }
  return new CliError(exitCodes.unreachable, `The service does not answer at ${baseUrl} (${reason}).`, [
    "Is it running? Start it with: loyalty serve",
    `The address is taken ${urlFrom}; set LOYALTY_URL or --url when the service is somewhere else.`,
  ]);
}

function explainAnswer(error: ApiError, connection: Connection, { nameOf, business }: Asked): CliError {
  const { code, status, details, requestId } = error;
  const known = (errors as Readonly<Record<string, (typeof errors)[ErrorCode]>>)[code];
  const answer = { code, details, ...(known === undefined ? {} : { message: known.message }) };
  if (code === "unauthorized") return keyRefused(connection, answer);
  if (known === undefined || code === "operation_not_found") {
    return new CliError(exitCodes.unreachable, error.message, [
      `${connection.baseUrl}, taken ${connection.urlFrom}, must be the address of a loyalty service of this version, ` +
        "base path included.",
    ]);
  }
  if (code === "validation_failed") {
    const failures = (details.errors ?? []) as FieldError[];
    const lines = failures.map(({ field, message }) => fieldLine(field, message, nameOf));
    return new CliError(exitCodes.usage, known.message, lines, answer);
  }
  const exitCode = status === 429 || status >= 502 ? exitCodes.unreachable : exitCodes.failed;
  const seen = Object.keys(details).length === 0 ? "" : ` ${JSON.stringify(details)}`;
  const remedy = operatorRemedies[code] ?? known.remedy;
  const advice =
    code === "service_unavailable"
      ? [
          `Look at the service's log and at ${new URL(connection.baseUrl).origin}/health/ready, then run this again.`,
        ]
      : [inOptions(inCommands(remedy, business), nameOf)];
  if (status >= 500) advice.push(`The service's log has more under the request ${requestId ?? "id"}.`);
  return new CliError(exitCode, inOptions(known.message, nameOf) + seen, advice, answer);
}

/** Names options where a sentence of the service names fields. */
function inOptions(text: string, nameOf: FieldNames): string {
  return text.replace(/(?<![.\w])(?:[a-z]+(?:_[a-z]+)*_ids?|idempotency_key)\b/g, nameOf);
}

/** The service's sentence begins with the field's name, and may name others; here they are options. */
function fieldLine(field: string, message: string, nameOf: FieldNames): string {
  const [own = field] = field.split(".");
  const rest = field !== "" && message.startsWith(own) ? message.slice(own.length) : ` ${message}`;
  const others = rest.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, nameOf);
  const line = field === "" ? others.trim() : nameOf(own) + others;
  return line.replace(/^(--[\w-]+) is required unless (--[\w-]+) is true\.$/, "$1 or $2 is needed.");
}

function keyRefused({ baseUrl, key }: Connection, answer: CliError["answer"]): CliError {
  return new CliError(
    exitCodes.unauthorized,
    `The service at ${baseUrl} refuses the operator key.`,
    [
      `The key comes from ${key.from}.`,
      "It must be the service's own: its LOYALTY_OPERATOR_KEY, or operator.key in its data directory.",
    ],
    answer,
  );
}
