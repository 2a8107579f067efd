/**
 * Bad input, made from the declared schemas: whatever comes, an answer in the envelope, never a failure of the service,
 * never a hang, and nothing changed by what was refused.
 */
import { errors } from "../../src/contract/errors.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { Database } from "../../src/database/connection.ts";
import { operatorOperations } from "../../src/operations/operator.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import {
  type HttpAnswer,
  HttpConnection,
  isReplay,
  requestText,
  sendRaw,
} from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { tableDigests } from "../../test/support/table-digests.ts";
import { type Chaos, none, type Result, Violations } from "../chaos.ts";
import { type Framing, framings } from "../fuzz/framings.ts";
import { type Targets, wrongRequest } from "../fuzz/requests.ts";
import { Partner } from "../load/partner.ts";
import { Operator } from "../operator.ts";
import { basePath, openDatabaseOf, operatorKey, Service } from "../service.ts";

export interface FuzzSize {
  readonly requests: number;
  readonly connections: number;
}

export interface FuzzTarget extends Targets {
  readonly port: number;
  /** To see what was changed. */
  readonly sql: Database;
}

const overdueMilliseconds = 10_000;
const requestsInRound = 2000;
const operations: readonly Operation[] = [...partnerOperations, ...operatorOperations];
/** Wrong keys are told to the audit log; the rest is counted in the background, after writes that were accepted. */
const moving = ["audit_entry", "entry_count", "ledger", "ledger_count", "member_block"];

export async function fuzz(
  chaos: Pick<Chaos, "seed" | "goesOn" | "say">,
  target: FuzzTarget,
  size: FuzzSize,
): Promise<Result> {
  const run = new FuzzRun(target, randomFrom(chaos.seed), size);
  try {
    while (chaos.goesOn(run.requests >= size.requests)) {
      await run.hostileRound();
      await run.freeRound();
      await run.framingRound();
      if (run.rounds % 15 === 0) chaos.say(`${run.requests} requests, ${run.violations.count} violations`);
    }
    return run.result();
  } finally {
    run.close();
  }
}

class FuzzRun {
  readonly violations = new Violations();
  requests = 0;
  rounds = 0;
  #accepted = 0;
  #serverErrors = 0;
  #hangs = 0;
  #outside = 0;
  #unchanged = 0;
  #framed = 0;
  #longest = 0;
  readonly #codes = new Map<string, number>();
  readonly #target: FuzzTarget;
  readonly #random: Random;
  readonly #size: FuzzSize;
  readonly #connections: HttpConnection[];

  constructor(target: FuzzTarget, random: Random, size: FuzzSize) {
    this.#target = target;
    this.#random = random;
    this.#size = size;
    this.#connections = Array.from(
      { length: size.connections },
      () => new HttpConnection(target.port, overdueMilliseconds),
    );
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Every write is wrong for sure, so no table may change. */
  async hostileRound(): Promise<void> {
    const before = await tableDigests(this.#target.sql, moving);
    const written = await this.#send(true);
    const after = await tableDigests(this.#target.sql, moving);
    if (written > 0) this.violations.add(`${written} writes were accepted that were wrong for sure`);
    for (const [table, digest] of Object.entries(after)) {
      if (digest !== before[table])
        this.violations.add(`refused requests changed ${table}: ${before[table]} → ${digest}`);
    }
    this.#unchanged += 1;
  }

  /** Some may turn out sound, and are done: each leaves exactly one idempotency key. */
  async freeRound(): Promise<void> {
    const before = await this.#keys();
    const written = await this.#send(false);
    const kept = (await this.#keys()) - before;
    if (kept !== written) this.violations.add(`${written} writes were accepted, and ${kept} keys were kept`);
  }

  async framingRound(): Promise<void> {
    this.rounds += 1;
    const { basePath, partner, port } = this.#target;
    const path = `${basePath}/sp/member-tiers/list`;
    const hidden = requestText(path, "{}", partner);
    await Promise.all(
      framings(path, partner, "{}", hidden).map(async (framing) => {
        const { answers, overdue } = await sendRaw(port, framing.bytes, overdueMilliseconds);
        this.requests += 1;
        this.#framed += 1;
        if (overdue) this.#hang(framing.bytes);
        if (answers.length > framing.answers)
          this.violations.add(`${framing.name}: ${answers.length} answers`);
        for (const answer of answers) this.#judge(answer, framing.bytes, framing);
      }),
    );
  }

  /** @returns how many writes were accepted */
  async #send(hostile: boolean): Promise<number> {
    let left = Math.min(requestsInRound, this.#size.requests);
    let written = 0;
    const work = async (connection: HttpConnection) => {
      while (left-- > 0) {
        const operation = this.#random.pick(operations);
        const bytes = wrongRequest(operation, this.#target, this.#random, hostile);
        const startedAt = performance.now();
        const outcome = await connection.send(bytes);
        this.#longest = Math.max(this.#longest, performance.now() - startedAt);
        this.requests += 1;
        if (typeof outcome === "string") {
          this.#hang(bytes, outcome);
          continue;
        }
        const success = this.#judge(outcome, bytes);
        const writes = operation.kind === "write" || operation.kind === "posting";
        if (success && writes && !isReplay(outcome)) written += 1;
      }
    };
    await Promise.all(this.#connections.map(work));
    return written;
  }

  #hang(bytes: Buffer, how = "overdue"): void {
    this.#hangs += 1;
    this.violations.add(`no answer (${how}): ${shown(bytes)}`);
  }

  /** Holds an answer to the envelope. @returns whether it is a success */
  #judge(answer: HttpAnswer, bytes: Buffer, framing?: Framing): boolean {
    const { status, head, body } = answer;
    const name = framing?.name ?? "";
    if (status >= 500) {
      this.#serverErrors += 1;
      this.violations.add(`${status} ${name}: ${body.slice(0, 200)} to ${shown(bytes)}`);
    }
    const problem = envelopeProblem(status, head, body);
    if (problem !== undefined) {
      this.#outside += 1;
      this.violations.add(`${problem} ${name}: ${status} ${body.slice(0, 200)} to ${shown(bytes)}`);
      return false;
    }
    const { success, error } = JSON.parse(body) as { success: boolean; error?: { code: string } };
    if (success) this.#accepted += 1;
    else this.#codes.set(error?.code ?? "", (this.#codes.get(error?.code ?? "") ?? 0) + 1);
    return success;
  }

  async #keys(): Promise<number> {
    const [row] = await this.#target.sql<{ count: number }[]>`SELECT count(*) AS count FROM idempotency_key`;
    return row?.count ?? 0;
  }

  result(): Result {
    return {
      violations: this.violations.list(),
      figures: [
        { what: "requests", value: this.requests, aim: this.#size.requests },
        { what: "of these with a wrong frame", value: this.#framed },
        { what: "accepted, as they were sound", value: this.#accepted },
        { what: "different error codes", value: this.#codes.size, aim: 15 },
        none("answers of 500 and more", this.#serverErrors),
        none("requests without an answer", this.#hangs),
        none("answers outside the envelope", this.#outside),
        { what: "comparisons of all tables", value: this.#unchanged },
        { what: "longest answer", value: Math.round(this.#longest), unit: "ms" },
      ],
    };
  }
}

/** What is wrong with an answer, whatever it says. */
function envelopeProblem(status: number, head: string, body: string): string | undefined {
  if (!/\r\ncontent-type: application\/json; charset=utf-8/i.test(head)) return "not JSON";
  if (!/\r\nx-request-id: [0-9a-f-]{36}/i.test(head)) return "no request id";
  let envelope: Record<string, unknown>;
  try {
    envelope = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return "not JSON";
  }
  const { success, message, data, meta, error } = envelope;
  if (typeof message !== "string" || success !== status < 300) return "no envelope";
  if (success === true) return typeof data === "object" && typeof meta === "object" ? undefined : "no data";
  const { code, details } = (error ?? {}) as { code?: string; details?: unknown };
  if (code === undefined || !(code in errors) || typeof details !== "object") return "no error";
  return errors[code as keyof typeof errors].status === status ? undefined : "another status";
}

/** Enough of a request to send it again by hand. */
function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1").replace(/Bearer \S+/g, "Bearer …")).slice(0, 600);
}

/** Makes a business with one of everything, and a member. */
export async function prepareBusiness(chaos: Chaos, { port }: Service) {
  const operator = new Operator(chaos, port);
  const size = { locations: 2, tiers: 2, programs: 1, vouchers: 1 };
  const partner = await Partner.open(chaos, operator, port, size);
  const contactId = await partner.member(port, "only-member");
  return { operator, business: partner.business, authorization: partner.authorization, contactId };
}

/** Wrong requests of every kind against a service of its own. */
export async function fuzzService(chaos: Chaos, size: FuzzSize): Promise<Result> {
  const service = await Service.start(chaos);
  const { operator, business, authorization, contactId } = await prepareBusiness(chaos, service);
  // One that may come to harm: the run itself needs the other.
  const victim = await operator.makeIntegration(business.businessId, { scopes: ["wa.members.read"] });
  const target = {
    port: service.port,
    basePath,
    partner: authorization,
    operator: `Bearer ${operatorKey}`,
    ids: {
      business_id: [business.businessId],
      contact_id: [contactId],
      location_id: business.locationIds,
      tier_id: business.tierIds,
      program_id: business.programIds,
      voucher_id: business.voucherIds,
      integration_id: [victim.integration_id],
    },
    sql: await openDatabaseOf(chaos, service),
  };
  return fuzz(chaos, target, size);
}
