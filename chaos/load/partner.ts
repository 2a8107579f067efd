/** A business as its partner uses it: its requests, and what was acknowledged. */
import {
  HttpConnection,
  type HttpResponse,
  isReplay,
  type Outcome,
  read,
  retryAfterSeconds,
} from "../../test/support/http-connection.ts";
import {
  authorize,
  type Business,
  type BusinessSize,
  type Fields,
  type Operator,
} from "../../test/support/runs/operator.ts";
import { eventually, type Run, type Violations } from "../../test/support/runs/run.ts";
import { basePath } from "../../test/support/runs/service.ts";
import { Books, Comparison } from "./books.ts";

/** A request that may be sent several times. */
export interface Request {
  readonly path: string;
  readonly body: Fields;
}

/** A write, with the same key each time. */
export interface Command extends Request {
  readonly body: Fields & { readonly idempotency_key: string };
}

/** A request is given up after this time. */
export const overdueMilliseconds = 20_000;
const settledWithinMilliseconds = 40_000;
let people = 0;

export class Partner {
  readonly business: Business;
  readonly books = new Books();
  /** The Authorization header. */
  authorization = "";
  readonly #port: number;
  /** When each key was sent for the first time: a write may take effect from then on. */
  readonly #firstSentAt = new Map<Fields[string] | undefined, number>();
  /** Free connections, by port. */
  readonly #free = new Map<number, HttpConnection[]>();
  #closed = false;

  private constructor(port: number, business: Business) {
    this.#port = port;
    this.business = business;
  }

  /** Makes the business. Its token is valid at every process. */
  static async open(
    run: Pick<Run, "atEnd">,
    operator: Operator,
    port: number,
    size: BusinessSize = { locations: 1 },
  ) {
    const partner = new Partner(port, await operator.makeBusiness(size));
    run.atEnd(() => partner.#close());
    await partner.renewToken();
    return partner;
  }

  async renewToken(): Promise<void> {
    this.authorization = await authorize(this.#port, this.business.credentials);
  }

  /** A change of a wallet, a credit if the amount is positive. The key is also the reason. */
  adjustment(key: string, contact_id: number, amount: number): Command {
    const adjustment_type = amount < 0 ? "debit" : "credit";
    const location_id = this.business.locationIds[0] as number;
    const fields = { contact_id, location_id, amount: Math.abs(amount), adjustment_type, reason: key };
    return { path: "/sp/wallet/adjust", body: { idempotency_key: key, ...fields } };
  }

  /** The creation of a member whose name is the key. */
  creation(key: string): Command {
    people += 1;
    const fields = { first_name: "Ana", last_name: key, phone_number: `+34${600_000_000 + people}` };
    return { path: "/sp/members/create", body: { idempotency_key: key, ...fields } };
  }

  renaming(key: string, contact_id: number): Command {
    return { path: "/sp/members/update", body: { idempotency_key: key, contact_id, last_name: key } };
  }

  /** Sends a request once, to the process at a port. @param keeps whether the books note the outcome */
  async send(port: number, { path, body }: Request, keeps = true): Promise<Outcome> {
    const key = body.idempotency_key;
    const sentAt = this.#firstSentAt.get(key) ?? performance.now();
    if (key !== undefined) this.#firstSentAt.set(key, sentAt);
    const free = this.#free.get(port) ?? [];
    this.#free.set(port, free);
    const connection = free.pop() ?? new HttpConnection(port, overdueMilliseconds);
    const outcome = await connection.post(basePath + path, JSON.stringify(body), this.authorization);
    const span = { sentAt, respondedAt: performance.now() };
    if (this.#closed) connection.close();
    else free.push(connection);
    if (!keeps || typeof outcome === "string") return outcome;
    if (outcome.status < 300) this.books.keep(path, body, read<Fields>(outcome).data, span);
    else if (nameOf(outcome) === "insufficient_balance") {
      this.books.reject(path, body, read(outcome).error.details.balance as number, span);
    }
    return outcome;
  }

  /** Sends requests once, all at the same time. */
  sendAll(port: number, requests: readonly Request[]): Promise<Outcome[]> {
    return Promise.all(requests.map((request) => this.send(port, request)));
  }

  /** Repeats a request until its outcome is known. @throws if that takes too long */
  settle(port: number, request: Request, within = settledWithinMilliseconds): Promise<HttpResponse> {
    let outcome: Outcome | undefined;
    const attempt = async () => {
      outcome = await this.send(port, request);
      return typeof outcome === "object" && outcome.status !== 503 && outcome;
    };
    return eventually(`an outcome of ${request.path}`, within, attempt, () => outcome);
  }

  /** Makes a member. @returns its contact_id */
  async member(port: number, key: string): Promise<number> {
    const response = await this.settle(port, this.creation(key));
    if (response.status !== 201) throw new Error(`no member: ${response.body}`);
    return read<{ contact_id: number }>(response).data.contact_id;
  }

  #close(): void {
    this.#closed = true;
    for (const connection of [...this.#free.values()].flat()) connection.close();
  }
}

/** Compares what businesses acknowledged with what the service stores. */
export async function comparePartners(
  partners: readonly Partner[],
  violations: Violations,
  operator: Operator,
): Promise<Comparison> {
  const result = new Comparison();
  for (const { books, business } of partners) await books.compare(operator, business, violations, result);
  return result;
}

/** The outcome in a word: ok, lost, overdue, or the code of the error. */
export function nameOf(outcome: Outcome): string {
  if (typeof outcome === "string") return outcome;
  return outcome.status < 300 ? "ok" : read(outcome).error.code;
}

/** Whether a response repeats an earlier one, to the byte. */
export function isReplayOf(outcome: Outcome, { status, body }: HttpResponse): boolean {
  return (
    typeof outcome === "object" && isReplay(outcome) && outcome.status === status && outcome.body === body
  );
}

/** Whether the service asks for a retry in the way that it should. */
export function isRetryable(outcome: Outcome): boolean {
  return typeof outcome === "object" && outcome.status === 503 && retryAfterSeconds(outcome) !== undefined;
}
