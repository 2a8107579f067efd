/**
 * Wrong requests, made from the declared schemas. Each must get a response in the envelope, and a rejected request must
 * change nothing.
 */
import { errors } from "../../src/contract/errors.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { Database } from "../../src/database/connection.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import {
  HttpConnection,
  type HttpResponse,
  isReplay,
  requestText,
  sendRaw,
} from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";
import { Operator } from "../../test/support/runs/operator.ts";
import { milliseconds, none, type Result, times } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import { basePath, operatorKey, Service } from "../../test/support/runs/service.ts";
import { tableDigests } from "../../test/support/table-digests.ts";
import type { Chaos } from "../chaos.ts";
import { framings } from "../fuzz/framings.ts";
import { type Targets, wrongRequest } from "../fuzz/requests.ts";
import { Partner } from "../load/partner.ts";

export interface FuzzSize {
  readonly requests: number;
  readonly connections: number;
}

export interface FuzzTarget extends Targets {
  readonly port: number;
  /** To see what changed. */
  readonly sql: Database;
}

const overdueMilliseconds = 10_000;
const requestsInRound = 2000;
const operations: readonly Operation[] = [...partnerOperations, ...operatorOperations];
/** They count in the background what was accepted before. */
const counted = ["active_day", "day_total", "entry_count", "ledger", "ledger_count", "member_block"];
/** The audit log records wrong keys, the installation verifications. */
const moving = ["audit_entry", "installation", ...counted];

export async function fuzz(
  chaos: Pick<Chaos, "seed" | "goesOn" | "say">,
  target: FuzzTarget,
  size: FuzzSize,
): Promise<Result> {
  const { sql, port, partner } = target;
  const random = randomFrom(chaos.seed);
  const open = () => new HttpConnection(port, overdueMilliseconds);
  const connections = Array.from({ length: size.connections }, open);
  const violations = new Violations();
  const codes = new Set<string>();
  let [requests, framed, accepted, comparisons, longest] = [0, 0, 0, 0, 0];
  const amiss = { serverErrors: 0, hangs: 0, outside: 0 };

  const hang = (bytes: Buffer, how: string) => {
    amiss.hangs += 1;
    violations.add(`no response (${how}): ${shown(bytes)}`);
  };
  /** @returns whether the response is a success */
  const judge = ({ status, head, body }: HttpResponse, bytes: Buffer, name = ""): boolean => {
    const problem = envelopeProblem(status, head, body);
    if (status >= 500) amiss.serverErrors += 1;
    if (problem !== undefined) amiss.outside += 1;
    if (status >= 500 || problem !== undefined) {
      violations.add(`${problem} ${name}: ${status} ${body.slice(0, 200)} to ${shown(bytes)}`);
      return false;
    }
    if (status < 300) accepted += 1;
    else codes.add((JSON.parse(body) as { error: { code: string } }).error.code);
    return status < 300;
  };
  /** @returns how many writes were accepted */
  const send = async (hostile: boolean): Promise<number> => {
    let left = Math.min(requestsInRound, size.requests);
    let written = 0;
    const work = async (connection: HttpConnection) => {
      while (left-- > 0) {
        const operation = random.pick(operations);
        const bytes = wrongRequest(operation, target, random, hostile);
        const startedAt = performance.now();
        const outcome = await connection.send(bytes);
        longest = Math.max(longest, performance.now() - startedAt);
        requests += 1;
        if (typeof outcome === "string") hang(bytes, outcome);
        // A dry run stores no key.
        else if (
          judge(outcome, bytes) &&
          /^(write|posting)$/.test(operation.kind) &&
          !isReplay(outcome) &&
          !/"dry_run"\s*:\s*true/.test(bytes.toString("latin1"))
        ) {
          written += 1;
        }
      }
    };
    await Promise.all(connections.map(work));
    return written;
  };
  /** Every write must be rejected, so no table may change. */
  const hostileRound = async () => {
    const before = await tableDigests(sql, moving);
    const written = await send(true);
    const after = await tableDigests(sql, moving);
    comparisons += 1;
    if (written > 0) violations.add(`${written} writes were accepted that are wrong`);
    for (const [table, digest] of Object.entries(after)) {
      if (digest === before[table]) continue;
      violations.add(`rejected requests changed ${table}: ${before[table]} → ${digest}`);
    }
  };
  const storedKeys = async () => {
    const [row] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM idempotency_key`;
    return row?.count ?? 0;
  };
  /** Some writes are valid by chance. Each of them stores one idempotency key. */
  const freeRound = async () => {
    const before = await storedKeys();
    const written = await send(false);
    const stored = (await storedKeys()) - before;
    if (stored !== written) violations.add(`${written} writes were accepted, and ${stored} keys stored`);
  };
  const framingRound = async () => {
    const path = `${target.basePath}/sp/member-tiers/list`;
    const all = framings(path, partner, "{}", requestText(path, "{}", partner));
    framed += all.length;
    requests += all.length;
    await Promise.all(
      all.map(async ({ name, bytes, responses: most }) => {
        const { responses, overdue } = await sendRaw(port, bytes, overdueMilliseconds);
        if (overdue) hang(bytes, name);
        if (responses.length > most) violations.add(`${name}: ${responses.length} responses`);
        for (const response of responses) judge(response, bytes, name);
      }),
    );
  };

  while (chaos.goesOn(requests >= size.requests)) {
    await hostileRound();
    await freeRound();
    await framingRound();
    if (comparisons % 15 === 0) chaos.say(`${requests} requests, ${violations.count} violations`);
  }
  for (const connection of connections) connection.close();
  return {
    violations: violations.list(),
    figures: [
      times("requests", requests, size.requests),
      times("of these with a wrong frame", framed),
      times("accepted, because they were valid", accepted),
      times("different error codes", codes.size, 15),
      none("responses of 500 and more", amiss.serverErrors),
      none("requests without a response", amiss.hangs),
      none("responses in another format", amiss.outside),
      times("comparisons of all tables", comparisons),
      milliseconds("slowest response", longest),
    ],
  };
}

/** What is wrong with a response of any kind. */
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

export async function fuzzService(chaos: Chaos, size: FuzzSize): Promise<Result> {
  const service = await Service.start(chaos);
  const { operator, business, authorization, contactId } = await prepareBusiness(chaos, service);
  // The requests may disable or change this one.
  const victim = await operator.makeIntegration(business.businessId, {
    scopes: ["wa.members.read"],
    all_locations: true,
  });
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
    sql: await service.openDatabase(),
  };
  return fuzz(chaos, target, size);
}
