/** A business as its partner uses it: its members and wallet postings, and what was acknowledged of them. */
import { authorize, type Business, makeBusiness, type Operator } from "../business.ts";
import { basePath } from "../service.ts";
import { Books } from "./books.ts";
import { Caller, type HttpAnswer, type Outcome, read } from "./caller.ts";

type Body = Readonly<Record<string, string | number>>;

/** A request that can be sent as often as it takes to know its outcome. */
export interface Request {
  readonly path: string;
  readonly body: Body;
}

/** One that writes, under one key however often it is sent. */
export interface Command extends Request {
  readonly body: Body & { readonly idempotency_key: string };
}

const overdueMilliseconds = 30_000;
const retryMilliseconds = 50;
let people = 0;

export class Partner {
  readonly business: Business;
  readonly books = new Books();
  readonly #authorization: string;
  /** Connections that are free, by port. */
  readonly #free = new Map<number, Caller[]>();
  #closed = false;

  private constructor(business: Business, authorization: string) {
    this.business = business;
    this.#authorization = authorization;
  }

  /** Makes the business; its token is valid at every process. */
  static async open(operator: Operator, port: number): Promise<Partner> {
    const business = await makeBusiness(operator, { locations: 1, tiers: 0, programs: 0, vouchers: 0 });
    return new Partner(business, await authorize(port, business.credentials));
  }

  /** A change of a wallet: a credit when the amount is positive. The key is also the reason. */
  adjustment(key: string, contactId: number, amount: number): Command {
    return {
      path: "/sp/wallet/adjust",
      body: {
        idempotency_key: key,
        contact_id: contactId,
        location_id: this.business.locationIds[0] as number,
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

  /** Sends a request once, to the process at a port. */
  async send(port: number, command: Request): Promise<Outcome> {
    const free = this.#free.get(port) ?? [];
    this.#free.set(port, free);
    const caller = free.pop() ?? new Caller(port, overdueMilliseconds);
    const { path, body } = command;
    const outcome = await caller.post(basePath + path, JSON.stringify(body), this.#authorization);
    if (this.#closed) caller.close();
    else free.push(caller);
    if (typeof outcome === "object" && outcome.status < 300) this.#keep(command, outcome);
    return outcome;
  }

  /** Sends requests once, all at the same time. */
  sendAll(port: number, requests: readonly Request[]): Promise<Outcome[]> {
    return Promise.all(requests.map((request) => this.send(port, request)));
  }

  /** Sends a request again until its outcome is known. @throws when it is not within the time */
  async settle(port: number, command: Request, withinMilliseconds = 40_000): Promise<HttpAnswer> {
    for (const deadline = performance.now() + withinMilliseconds; ; ) {
      const outcome = await this.send(port, command);
      if (typeof outcome === "object" && outcome.status !== 503) return outcome;
      if (performance.now() > deadline) {
        throw new Error(`${command.path} has no outcome: ${JSON.stringify(outcome)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
    }
  }

  /** Makes a member. @returns its contact_id */
  async member(port: number, key: string): Promise<number> {
    const answer = await this.settle(port, this.creation(key));
    if (answer.status !== 201) throw new Error(`no member: ${answer.body}`);
    return read<{ contact_id: number }>(answer).data.contact_id;
  }

  close(): void {
    this.#closed = true;
    for (const caller of [...this.#free.values()].flat()) caller.close();
  }

  #keep({ path, body }: Request, answer: HttpAnswer): void {
    const { data } = read<{ contact_id: number; balance_after: number }>(answer);
    if (path === "/sp/members/create") {
      const { idempotency_key, ...fields } = body;
      this.books.members.set(data.contact_id, fields);
    }
    if (path === "/sp/wallet/adjust") {
      const amount = Number(body.amount) * (body.adjustment_type === "debit" ? -1 : 1);
      const { contact_id, balance_after } = data;
      this.books.postings.set(String(body.idempotency_key), {
        contact_id,
        account: "wallet",
        amount,
        balance_after,
      });
    }
  }
}

/** What an outcome is, in a word: ok, lost, overdue, or the code of the error. */
export function nameOf(outcome: Outcome): string {
  if (typeof outcome === "string") return outcome;
  return outcome.status < 300 ? "ok" : read(outcome).error.code;
}
