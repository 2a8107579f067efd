/** Sends a sequence to a service, and compares every response with the model. */
import { randomUUID } from "node:crypto";
import type { Database } from "../../src/database/connection.ts";
import { HttpConnection, isReplay, type Outcome, requestText } from "../../test/support/http-connection.ts";
import { clockOf } from "./expectation.ts";
import { type Exchange, explain, type Sent, stepOf, type World } from "./explain.ts";
import {
  type Command,
  dayMilliseconds,
  type Moment,
  type OperatorDraft,
  type Request,
  requestOf,
  respelled,
  type Volley,
} from "./requests.ts";
import { makeSetting, type Setting, tokenSigner } from "./setting.ts";

export interface ModelTarget {
  readonly port: number;
  readonly basePath: string;
  readonly operatorKey: string;
  /** The service signs tokens with it. */
  readonly secret: string;
  readonly sql: Database;
}

export interface Counts {
  sequences: number;
  requests: number;
  /** Volleys of several requests. */
  atOnce: number;
  replays: number;
  rejections: number;
  /** Volleys after which several worlds were possible. */
  undecided: number;
  /** The operations that succeeded, and the error codes. */
  readonly seen: Set<string>;
}

const atOnce = 4;
const overdueMilliseconds = 30_000;

/** Plays one sequence after the other. */
export class Player {
  readonly #target: ModelTarget;
  readonly #counts: Counts;
  readonly #sign: ReturnType<typeof tokenSigner>;
  readonly #connections: readonly HttpConnection[];

  constructor(target: ModelTarget, counts: Counts) {
    this.#target = target;
    this.#counts = counts;
    this.#sign = tokenSigner(target.secret);
    const open = () => new HttpConnection(target.port, overdueMilliseconds);
    this.#connections = Array.from({ length: atOnce }, open);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** @throws if a response can't be explained; the message contains all requests and responses */
  async play(sequence: readonly Volley[]): Promise<void> {
    const setting = await makeSetting(this.#target.sql);
    const beganAt = Date.now();
    const trace: string[] = [];
    const past: Request[] = [];
    let worlds: readonly World[] = [setting.businesses];
    let keys = 0;
    for (const [number, volley] of sequence.entries()) {
      const businesses = worlds[0] as World;
      const moment: Moment = { setting, businesses, beganAt, nextKey: () => `own-${++keys}` };
      const sent = volley.flatMap((command) => sentOf(command, moment, past));
      const from = Date.now();
      const outcomes = await Promise.all(sent.map((each, nth) => this.#send(each, setting, nth)));
      const span = { volley: number, from, to: Date.now() };
      const exchanges = sent.map((each, nth): Exchange => {
        const outcome = outcomes[nth] as Outcome;
        if (typeof outcome === "string") throw new Error([...trace, describe(each, outcome)].join("\n"));
        const { status, body } = outcome;
        trace.push(describe(each, `${status} ${body}`));
        return { sent: each, response: { status, replayed: isReplay(outcome), body } };
      });
      worlds = explain(worlds, exchanges, setting, span);
      this.#count(exchanges, worlds.length);
      if (worlds.length > 0) continue;
      const wanted = sent.map((each) => JSON.stringify(stepOf(businesses, each, setting, span).expectation));
      const problem = `no order explains the last ${sent.length}; expected of each alone:`;
      throw new Error([...trace, problem, ...wanted].join("\n"));
    }
    this.#counts.sequences += 1;
  }

  #count(exchanges: readonly Exchange[], worlds: number): void {
    const counts = this.#counts;
    counts.requests += exchanges.length;
    if (exchanges.length > 1) counts.atOnce += 1;
    if (worlds > 1) counts.undecided += 1;
    for (const { sent, response } of exchanges) {
      if (response.replayed) counts.replays += 1;
      if (response.status >= 400) counts.rejections += 1;
      const code = /"code":"(\w+)"/.exec(response.body)?.[1];
      counts.seen.add(code ?? ("request" in sent ? sent.request.path : "an operator's"));
    }
  }

  async #send(sent: Sent, setting: Setting, nth: number): Promise<Outcome> {
    const connection = this.#connections[nth] as HttpConnection;
    const { basePath, operatorKey } = this.#target;
    if (!("request" in sent)) {
      const [path, body] = operatorRequest(sent, setting.businesses.home.businessId);
      const text = JSON.stringify({ idempotency_key: randomUUID(), ...body });
      return connection.post(basePath + path, text, `Bearer ${operatorKey}`);
    }
    const { method, path, query, contentType, text, token, caller } = sent.request;
    const authorization =
      token === "missing"
        ? undefined
        : token === "of another scheme"
          ? "Basic bm9ib2R5"
          : token === "malformed"
            ? "Bearer of bad news"
            : `Bearer ${await this.#sign(setting, setting.integrations[caller], token)}`;
    return connection.send(
      requestText(basePath + path + query, text, authorization, { method, contentType }),
    );
  }
}

/** @returns what is sent for a command; nothing if there is nothing yet that it could name */
function sentOf(command: Command, moment: Moment, past: Request[]): Sent[] {
  if ("operator" in command) return operatorSent(command, moment);
  const request = "again" in command ? past.at(-1 - command.again) : requestOf(command, moment);
  if (request === undefined) return [];
  const sent = "again" in command && command.respelled ? respelled(request) : request;
  past.push(sent);
  return [{ request: sent }];
}

function operatorSent(draft: OperatorDraft, { businesses, beganAt }: Moment): Sent[] {
  const { members, locationIds, timeZone } = businesses.home;
  const member = members[draft.member % members.length];
  if (member === undefined) return [];
  const { contact_id } = member;
  if (draft.operator !== "sale") return [{ contactId: contact_id, active: draft.operator === "activate" }];
  const day = clockOf(beganAt - draft.daysAgo * dayMilliseconds, timeZone).slice(0, 10);
  const sale = {
    account: "sales" as const,
    event_type: "sale",
    contact_id,
    amount: draft.amount,
    location_id: draft.location === undefined ? null : (locationIds[draft.location] as number),
    reference_id: draft.reference ?? null,
    at: `${day} 00:00:00`,
  };
  return [{ sale }];
}

function operatorRequest(
  sent: Exclude<Sent, { request: Request }>,
  business_id: number,
): [path: string, body: object] {
  if (!("sale" in sent)) {
    const path = sent.active ? "/op/members/activate" : "/op/members/deactivate";
    return [path, { business_id, contact_id: sent.contactId }];
  }
  const { contact_id, amount, location_id, reference_id, at } = sent.sale;
  const optional = {
    ...(location_id === null ? {} : { location_id }),
    ...(reference_id === null ? {} : { reference_id }),
  };
  const line = { line: 1, contact_id, amount, sold_at: String(at).slice(0, 10), ...optional };
  // In a batch of its own, the sale is compared with no other.
  return ["/op/imports/sales", { business_id, lines: [line], batch: randomUUID() }];
}

function describe(sent: Sent, response: string): string {
  if (!("request" in sent)) return `${JSON.stringify(sent)}\n  ${response}`;
  const { body: _, text, ...rest } = sent.request;
  return `${JSON.stringify({ ...rest, text: text.slice(0, 1000) })}\n  ${response}`;
}
