/** Calls operator operations. Its errors say what to do next. */
import { userInfo } from "node:os";
import { ApiError, type ApiResponse, ConnectionError, createTransport, type Retry } from "loyalty-sdk";
import { isWrite } from "../../contract/operation.ts";
import { maximumPerPage } from "../../domain/pagination.ts";
import { printable } from "../terminal/terminal.ts";
import { type Fields, operationAt } from "./command-names.ts";
import type { Connection } from "./connection.ts";
import { explain } from "./failure.ts";

export interface OperatorClient {
  /** The address of the service, with the base path. */
  readonly baseUrl: string;
  /** Where its key comes from, for people. */
  readonly keyFrom: string;
  /** Calls an operation. A write gets an idempotency key, the same for every try. @throws CliError */
  call<Data>(path: string, body: object, signal?: AbortSignal): Promise<ApiResponse<Data>>;
}

/** Long enough for a chunk of an import or a slice of the ledger on a busy machine. */
const timeoutMilliseconds = 60_000;
/** With waits of ten seconds at most in between, about a minute: enough for a service that restarts. */
const usualRetries = 10;

/** Makes a client. @param onRetry gets the reason why a request is retried */
export function createClient(
  connection: Connection,
  onRetry: (reason: string) => void,
  maxRetries = usualRetries,
): OperatorClient {
  let responded = false;
  const transport = createTransport({
    baseUrl: connection.baseUrl,
    bearer: connection.key.key,
    headers: actorHeader(),
    timeoutMilliseconds,
    maxRetries,
    onRetry: (retry) => {
      // Until the first response, a failure means that the service is unreachable, so it is not retried.
      const { error } = retry;
      if (!responded && error instanceof ConnectionError && error.name === "ConnectionError") throw error;
      onRetry(retryReason(retry));
    },
  });
  return {
    baseUrl: connection.baseUrl,
    keyFrom: connection.key.from,
    async call<Data>(path: string, body: object, signal?: AbortSignal) {
      const operation = operationAt(path);
      try {
        const write = operation !== undefined && isWrite(operation);
        const response = await transport.request<Data>(path, body, { write, signal });
        responded = true;
        return response;
      } catch (error) {
        throw explain(error, connection, operation, body as Fields);
      }
    },
  };
}

export async function* pagesOf<Row>(
  client: OperatorClient,
  path: string,
  body: object,
): AsyncGenerator<ApiResponse<Row[]>> {
  for (let after: unknown; after !== null; ) {
    const response = await client.call<Row[]>(path, { per_page: maximumPerPage, ...body, after });
    yield response;
    after = response.meta.next;
  }
}

/** Why a request is retried. Equal failures have equal words, so that they are reported once. */
function retryReason({ error, path }: Retry): string {
  return error instanceof ApiError ? `${path} returned ${error.status} ${error.code}` : error.message;
}

/** The user of this machine, for the audit log. */
function actorHeader(): Record<string, string> {
  try {
    const { username } = userInfo();
    return /^[\x20-\x7e]{1,100}$/.test(username) ? { "x-actor": username } : {};
  } catch {
    // An account without a name, as in some containers.
    return {};
  }
}

/** Reports retries: each reason once, and at the end how often it occurred. @param say prints a line */
export function createRetries(say: (line: string) => void) {
  const counts = new Map<string, number>();
  return {
    tell(reason: string): void {
      const text = printable(reason);
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      if (count === 1) say(`Retrying: ${text}`);
    },
    /** Reports how often each reason occurred, if more than once. */
    sum(): void {
      for (const [text, count] of counts) if (count > 1) say(`Retried ${count} times: ${text}`);
      counts.clear();
    },
  };
}
