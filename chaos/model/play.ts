/** Plays a sequence against a service, and holds every answer against the model. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Database } from "../../src/database/connection.ts";
import { HttpConnection, isReplay, type Outcome, requestText } from "../../test/support/http-connection.ts";
import type { Command, OperatorDraft, Volley } from "./drafts.ts";
import { clockOf } from "./expectation.ts";
import { type Exchange, explain, type Sent, stepOf, type World } from "./explain.ts";
import { makeSetting, type Setting, Signer } from "./homes.ts";
import { type Moment, type Request, requestOf, respelled } from "./requests.ts";
import type { Span } from "./writes.ts";

export interface ModelTarget {
  readonly port: number;
  readonly basePath: string;
  readonly operatorKey: string;
  /** With which the service signs tokens. */
  readonly secret: string;
  /** The service's database, in which businesses are made. */
  readonly sql: Database;
}

export interface Counts {
  sequences: number;
  requests: number;
  /** Volleys of more than one request. */
  atOnce: number;
  replays: number;
  refusals: number;
  /** Volleys after which more than one world was possible. */
  undecided: number;
  /** The operations that succeeded, and the error codes, that came. */
  readonly seen: Set<string>;
}

const atOnce = 4;
const overdueMilliseconds = 30_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;
const absentWorlds = "no order of the model explains";

/** Plays one sequence after the other. */
export class Player {
  readonly #target: ModelTarget;
  readonly #signer: Signer;
  readonly #counts: Counts;
  readonly #connections: readonly HttpConnection[];

  constructor(target: ModelTarget, counts: Counts) {
    this.#target = target;
    this.#counts = counts;
    this.#signer = new Signer(target.secret);
    this.#connections = Array.from(
      { length: atOnce },
      () => new HttpConnection(target.port, overdueMilliseconds),
    );
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** @throws when an answer can't be explained; the message tells all that was sent and answered */
  async play(sequence: readonly Volley[]): Promise<void> {
    const setting = await makeSetting(this.#target.sql);
    const beganAt = Date.now();
    const trace: string[] = [];
    const past: Request[] = [];
    let worlds: readonly World[] = [setting.businesses];
    let keys = 0;
    for (const [index, volley] of sequence.entries()) {
      const businesses = worlds[0] as World;
      const moment: Moment = { setting, businesses, beganAt, nextKey: () => `own-${++keys}` };
      const sent = volley.flatMap((command) => sentOf(command, moment, past));
      const from = Date.now();
      const answers = await Promise.all(sent.map((each, nth) => this.#send(each, setting, nth)));
      const span: Span = { volley: index, from, to: Date.now() };
      const exchanges = sent.map((each, nth): Exchange => {
        const answer = answers[nth] as Outcome;
        if (typeof answer === "string") throw new Error(`${[...trace, describe(each, answer)].join("\n")}`);
        const { status, body } = answer;
        return { sent: each, answer: { status, replayed: isReplay(answer), body } };
      });
      const after = explain(worlds, exchanges, setting, span);
      this.#count(exchanges, after.length);
      trace.push(
        ...exchanges.map(({ sent: each, answer }) => describe(each, `${answer.status} ${answer.body}`)),
      );
      if (after.length === 0) {
        const wanted = exchanges.map(({ sent: each }) =>
          JSON.stringify(stepOf(businesses, each, setting, span).expectation),
        );
        throw new Error(
          [...trace, `${absentWorlds} the last ${sent.length}; by itself, each would be`, ...wanted].join(
            "\n",
          ),
        );
      }
      worlds = after;
    }
    this.#counts.sequences += 1;
  }

  #count(exchanges: readonly Exchange[], worlds: number): void {
    const counts = this.#counts;
    counts.requests += exchanges.length;
    if (exchanges.length > 1) counts.atOnce += 1;
    if (worlds > 1) counts.undecided += 1;
    for (const { sent, answer } of exchanges) {
      if (answer.replayed) counts.replays += 1;
      if (answer.status >= 400) counts.refusals += 1;
      const code = /"code":"(\w+)"/.exec(answer.body)?.[1];
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
    const { method, path, query, contentType, text } = sent.request;
    const authorization = await this.#authorization(sent.request, setting);
    return connection.send(
      requestText(basePath + path + query, text, authorization, { method, contentType }),
    );
  }

  async #authorization({ token, caller }: Request, setting: Setting): Promise<string | undefined> {
    if (token === "missing") return undefined;
    if (token === "of another scheme") return "Basic bm9ib2R5";
    if (token === "malformed") return "Bearer of bad news";
    const integration = setting.integrations[caller];
    return `Bearer ${await this.#signer.token(setting.businesses[integration.side], integration, token)}`;
  }
}

/** @returns what is sent for a command; nothing when there is nothing yet that it could be about */
function sentOf(command: Command, moment: Moment, past: Request[]): Sent[] {
  if ("operator" in command) return operatorSent(command, moment);
  const earlier = "again" in command ? past.at(-1 - command.again) : undefined;
  if ("again" in command && earlier === undefined) return [];
  const request = "again" in command ? (earlier as Request) : requestOf(command, moment);
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
  const digest = randomBytes(16).toString("hex");
  const line = { line: 1, digest, contact_id, amount, sold_at: String(at).slice(0, 10), ...optional };
  return ["/op/imports/sales", { business_id, lines: [line] }];
}

function describe(sent: Sent, answer: string): string {
  const what =
    "request" in sent ? { ...sent.request, body: undefined, text: sent.request.text.slice(0, 1000) } : sent;
  return `${JSON.stringify(what)}\n  ${answer}`;
}
