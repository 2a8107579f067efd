/** A business as its partner uses it: its requests, and what was acknowledged of them. */
import {
  type HttpAnswer,
  HttpConnection,
  isReplay,
  type Outcome,
  read,
} from "../../test/support/http-connection.ts";
import { type Chaos, eventually, type Violations } from "../chaos.ts";
import { authorize, type Business, type BusinessSize, type Fields, type Operator } from "../operator.ts";
import { basePath } from "../service.ts";
import { Books, Comparison } from "./books.ts";

/** A request that can be sent as often as it takes to know its outcome. */
export interface Request {
  readonly path: string;
  readonly body: Fields;
}

/** One that writes, under one key however often it is sent. */
export interface Command extends Request {
  readonly body: Fields & { readonly idempotency_key: string };
}

const overdueMilliseconds = 30_000;
const settledWithinMilliseconds = 40_000;
let people = 0;

export class Partner {
  readonly business: Business;
  readonly books = new Books();
  readonly #operator: Operator;
  readonly #port: number;
  readonly #overdueMilliseconds: number;
  /** The Authorization header. */
  authorization = "";
  /** Connections that are free, by port. */
  readonly #free = new Map<number, HttpConnection[]>();
  #closed = false;

  private constructor(operator: Operator, port: number, business: Business, overdue: number) {
    this.#operator = operator;
    this.#port = port;
    this.business = business;
    this.#overdueMilliseconds = overdue;
  }

  /**
   * Makes the business; its token is valid at every process. Its connections are closed when the scenario ends.
   * @param overdue milliseconds after which a request is given up
   */
  static async open(
    chaos: Chaos,
    operator: Operator,
    port: number,
    size: BusinessSize = { locations: 1 },
    overdue = overdueMilliseconds,
  ): Promise<Partner> {
    const partner = new Partner(operator, port, await operator.makeBusiness(size), overdue);
    chaos.atEnd(() => partner.#close());
    await partner.renewToken();
    return partner;
  }

  async renewToken(): Promise<void> {
    this.authorization = await authorize(this.#port, this.business.credentials);
  }

  /** A change of an account: a credit when the amount is positive. The key is also the reason. */
  adjustment(
    key: string,
    contact_id: number,
    amount: number,
    location_id = this.business.locationIds[0],
  ): Command {
    return {
      path: "/sp/wallet/adjust",
      body: {
        idempotency_key: key,
        contact_id,
        location_id: location_id as number,
        amount: Math.abs(amount),
        adjustment_type: amount < 0 ? "debit" : "credit",
        reason: key,
      },
    };
  }

  /** The creation of a member whose name is the key. */
  creation(key: string): Command {
    people += 1;
    const fields = { first_name: "Ana", last_name: key, phone_number: `+34${600_000_000 + people}` };
    return { path: "/sp/members/create", body: { idempotency_key: key, ...fields } };
  }

  /** A change of a member's name. */
  renaming(key: string, contact_id: number, last_name = key): Command {
    return { path: "/sp/members/update", body: { idempotency_key: key, contact_id, last_name } };
  }

  /** Sends a request once, to the process at a port. @param keeps whether a success is noted in the books */
  async send(port: number, { path, body }: Request, keeps = true): Promise<Outcome> {
    const free = this.#free.get(port) ?? [];
    this.#free.set(port, free);
    const connection = free.pop() ?? new HttpConnection(port, this.#overdueMilliseconds);
    const outcome = await connection.post(basePath + path, JSON.stringify(body), this.authorization);
    if (this.#closed) connection.close();
    else free.push(connection);
    if (keeps && typeof outcome === "object" && outcome.status < 300) {
      this.books.keep(path, body, read<Fields>(outcome).data);
    }
    return outcome;
  }

  /** Sends requests once, all at the same time. */
  sendAll(port: number, requests: readonly Request[]): Promise<Outcome[]> {
    return Promise.all(requests.map((request) => this.send(port, request)));
  }

  /** Sends a request again until its outcome is known. @throws when it is not within the time */
  settle(port: number, request: Request, within = settledWithinMilliseconds): Promise<HttpAnswer> {
    let outcome: Outcome | undefined;
    return eventually(
      `an outcome of ${request.path}`,
      within,
      async () => {
        outcome = await this.send(port, request);
        return typeof outcome === "object" && outcome.status !== 503 && outcome;
      },
      () => outcome,
    );
  }

  /** Makes a member. @returns its contact_id */
  async member(port: number, key: string): Promise<number> {
    const answer = await this.settle(port, this.creation(key));
    if (answer.status !== 201) throw new Error(`no member: ${answer.body}`);
    return read<{ contact_id: number }>(answer).data.contact_id;
  }

  /** Compares all that was acknowledged with what the service says, after all was settled. */
  compare(violations: Violations): Promise<Comparison> {
    return comparePartners([this], violations, this.#operator);
  }

  #close(): void {
    this.#closed = true;
    for (const connection of [...this.#free.values()].flat()) connection.close();
  }
}

/** Compares several businesses. @returns what was found in all of them */
export async function comparePartners(
  partners: readonly Partner[],
  violations: Violations,
  operator: Operator,
): Promise<Comparison> {
  const result = new Comparison();
  for (const { books, business } of partners) await books.compare(operator, business, violations, result);
  return result;
}

/** What an outcome is, in a word: ok, lost, overdue, or the code of the error. */
export function nameOf(outcome: Outcome): string {
  if (typeof outcome === "string") return outcome;
  return outcome.status < 300 ? "ok" : read(outcome).error.code;
}

/** Whether an answer is an earlier one, sent again to the byte. */
export function isReplayOf(outcome: Outcome, { status, body }: HttpAnswer): boolean {
  return (
    typeof outcome === "object" && isReplay(outcome) && outcome.status === status && outcome.body === body
  );
}
