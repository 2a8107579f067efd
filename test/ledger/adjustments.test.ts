/** The ledger under load, over HTTP, by two services on one database: nothing lost, doubled, or out of step. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceLimit } from "../../src/domain/ledger.ts";
import { randomFrom } from "../support/random.ts";
import {
  type Business,
  nextKey,
  type Reply,
  type StartedService,
  startService,
  untilServed,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
const adjustmentsOfEach = 400;

interface Entry {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly account: "wallet" | "points";
  readonly event_type: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  readonly integration_id: number;
  readonly reference_id: string;
  readonly reason: string | null;
  readonly created_at: string;
  readonly in_order: boolean;
}

const entriesOf = ({ businessId }: Business) => world.sql<Entry[]>`
  SELECT entry_no, contact_id, account, event_type, amount, balance_after, location_id, integration_id,
    reference_id, reason, created_at,
    created_at >= lag(created_at, 1, '-infinity') OVER (ORDER BY entry_no) AS in_order
  FROM ledger_entry WHERE business_id = ${businessId} ORDER BY entry_no`;

interface Sent {
  readonly account: "wallet" | "points";
  readonly path: string;
  readonly body: {
    readonly idempotency_key: string;
    readonly contact_id: number;
    readonly adjustment_type: string;
    readonly amount?: number;
    readonly points?: number;
    readonly location_id?: number;
    readonly reference_id?: string;
    readonly reason?: string;
  };
}

const signed = ({ body: { amount, points, adjustment_type } }: Sent) =>
  (adjustment_type === "debit" ? -1 : 1) * (amount ?? points ?? 0);

/** Adjustments of a few members: wallet and points, credits and debits, some of which must fail, and duplicates. */
function adjustments(business: Business, contacts: readonly number[], count: number): Sent[] {
  const { below: random } = randomFrom(business.businessId);
  const sent: Sent[] = [];
  for (let index = 0; index < count; index++) {
    const again = sent[random(sent.length)];
    if (again !== undefined && random(10) === 0) {
      sent.push(again);
      continue;
    }
    const common = {
      idempotency_key: nextKey(),
      contact_id: contacts[random(contacts.length)] as number,
      adjustment_type: random(5) < 3 ? "credit" : "debit",
      ...(random(2) === 0 ? { reason: `reason ${index}` } : {}),
    };
    if (random(2) === 0) {
      const location_id = business.locationIds[random(3)] as number;
      const body = { ...common, amount: 1 + random(500), location_id };
      sent.push({ account: "wallet", path: "/sp/wallet/adjust", body });
    } else {
      const reference = random(2) === 0 ? { reference_id: `receipt-${business.businessId}-${index}` } : {};
      const body = { ...common, points: 1 + random(500), ...reference };
      sent.push({ account: "points", path: "/sp/reward-points/adjust", body });
    }
  }
  return sent;
}

describe("many adjustments of few members at the same time", () => {
  let second: StartedService;
  const outcomes = new Map<Business, { sent: Sent; reply: Reply }[]>();
  const contactsOf = new Map<Business, number[]>();

  beforeAll(async () => {
    second = await startService(world, {});
    const run = async (business: Business) => {
      const credentials = business.everywhere;
      const token = await world.token(credentials);
      const contacts = await Promise.all(Array.from({ length: 4 }, () => world.member({}, credentials)));
      contactsOf.set(business, contacts);
      const all = adjustments(business, contacts, adjustmentsOfEach);
      const done: { sent: Sent; reply: Reply }[] = [];
      const queue = [...all.entries()];
      const worker = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const [index, sent] = next;
          const baseUrl = index % 3 === 0 ? second.baseUrl : world.baseUrl;
          const send = () => world.call(sent.path, sent.body, { token, baseUrl });
          done.push({ sent, reply: await untilServed(send) });
        }
      };
      await Promise.all(Array.from({ length: 40 }, worker));
      outcomes.set(business, done);
    };
    await Promise.all([run(world.home), run(world.away)]);
  });
  afterAll(() => second.close());

  const businesses = ["home", "away"] as const;
  const accepted = (business: Business) => {
    const done = (outcomes.get(business) ?? []).filter(({ reply }) => reply.body.success);
    return new Map(done.map(({ sent, reply }) => [sent.body.idempotency_key, { sent, reply }]));
  };

  it.each(businesses)("at %s accepts each, and rejects only debits of more than there is", (name) => {
    const done = outcomes.get(world[name]) ?? [];
    expect(done).toHaveLength(adjustmentsOfEach);
    const rejected = done.filter(({ reply }) => !reply.body.success);
    expect(rejected.length).toBeGreaterThan(0);
    for (const { sent, reply } of rejected) {
      expect([reply.status, reply.body.error.code]).toEqual([409, "insufficient_balance"]);
      expect(reply.body.error.details.balance).toBeLessThan(-signed(sent));
    }
    for (const { sent, reply } of accepted(world[name]).values()) {
      const { contact_id, adjustment_type, amount, points } = sent.body;
      expect(reply.body.data).toEqual({
        contact_id,
        adjustment_type,
        ...(amount === undefined ? { points } : { amount }),
        balance_after: expect.any(Number),
      });
    }
  });

  it.each(businesses)("at %s gives duplicates the same response, and one of them first", (name) => {
    const byKey = new Map<string, Reply[]>();
    for (const { sent, reply } of outcomes.get(world[name]) ?? []) {
      const { idempotency_key } = sent.body;
      byKey.set(idempotency_key, [...(byKey.get(idempotency_key) ?? []), reply]);
    }
    const groups = [...byKey.values()].filter((replies) => replies.length > 1);
    expect(groups.length).toBeGreaterThan(10);
    for (const replies of groups) {
      const good = replies.filter(({ body }) => body.success);
      expect(new Set(good.map(({ text }) => text)).size).toBeLessThanOrEqual(1);
      const first = good.filter(({ headers }) => headers.get("idempotent-replayed") === null);
      expect(first).toHaveLength(Math.min(1, good.length));
    }
  });

  it.each(businesses)(
    "at %s records exactly one entry for each that was accepted, as it was sent",
    async (name) => {
      const business = world[name];
      const entries = await entriesOf(business);
      const expected = [...accepted(business).values()].map(({ sent, reply }) => ({
        contact_id: sent.body.contact_id,
        account: sent.account,
        event_type: sent.account === "wallet" ? "wallet_adjustment" : "reward_points_adjustment",
        amount: signed(sent),
        balance_after: reply.body.data.balance_after,
        location_id: sent.body.location_id ?? null,
        integration_id: business.everywhere.integrationId,
        reason: sent.body.reason ?? null,
      }));
      const recorded = entries.map(
        ({ entry_no: _, reference_id, created_at: __, in_order: ___, ...entry }) => entry,
      );
      const sorted = (list: readonly object[]) =>
        list.map((entry) => JSON.stringify(Object.entries(entry).sort())).sort();
      expect(sorted(recorded)).toEqual(sorted(expected));
    },
  );

  it.each(businesses)("at %s numbers entries without a gap, in the order of their times", async (name) => {
    const entries = await entriesOf(world[name]);
    expect(entries.map(({ entry_no }) => entry_no)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.every(({ in_order }) => in_order)).toBe(true);
  });

  it.each(businesses)(
    "at %s lets each entry continue the one before of its account, up to the balance",
    async (name) => {
      const business = world[name];
      const balances = new Map<string, number>();
      for (const { contact_id, account, amount, balance_after } of await entriesOf(business)) {
        const before = balances.get(`${contact_id} ${account}`) ?? 0;
        expect(balance_after).toBe(before + amount);
        expect(balance_after).toBeGreaterThanOrEqual(0);
        balances.set(`${contact_id} ${account}`, balance_after);
      }
      const accounts = await world.sql<{ contact_id: number; account: string; balance: number }[]>`
      SELECT contact_id, account, balance FROM account WHERE business_id = ${business.businessId}`;
      expect(accounts).toHaveLength(4 * (contactsOf.get(business)?.length ?? 0));
      for (const { contact_id, account, balance } of accounts) {
        expect([contact_id, account, balance]).toEqual([
          contact_id,
          account,
          balances.get(`${contact_id} ${account}`) ?? 0,
        ]);
      }
    },
  );

  it.each(businesses)(
    "at %s keeps the references given and makes one of its own for every other",
    async (name) => {
      const business = world[name];
      const given = [...accepted(business).values()].flatMap(({ sent }) => sent.body.reference_id ?? []);
      const entries = await entriesOf(business);
      const isGiven = ({ reference_id }: Entry) => reference_id.startsWith("receipt-");
      expect(
        entries
          .filter(isGiven)
          .map(({ reference_id }) => reference_id)
          .sort(),
      ).toEqual(given.sort());
      for (const { entry_no, account, reference_id } of entries.filter((entry) => !isGiven(entry))) {
        expect(reference_id).toBe(`${account === "wallet" ? "WA" : "PA"}-${entry_no}`);
      }
      expect(new Set(entries.map(({ reference_id }) => reference_id)).size).toBe(entries.length);
    },
  );

  it.each(businesses)("at %s shows the same ledger in the list, newest first", async (name) => {
    const business = world[name];
    const entries = (await entriesOf(business)).reverse();
    const listed: unknown[] = [];
    for (let page = 1; page <= Math.ceil(entries.length / 100); page++) {
      const reply = await world.ask("/sp/transactions/list", { page, per_page: 100 }, business.everywhere);
      expect(reply.body.meta.pagination.total).toBe(entries.length);
      listed.push(...reply.body.data);
    }
    expect(listed).toEqual(
      entries.map(({ event_type, contact_id, reference_id, amount, balance_after }) => ({
        event_type,
        contact_id,
        reference_id,
        amount,
        balance_after,
        created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      })),
    );
  });
});

it("keeps apart what members' balances can't hold, up to the limit and down to zero", async () => {
  const contact_id = await world.member();
  await world.sql`
    UPDATE account SET balance = ${balanceLimit - 10} WHERE contact_id = ${contact_id} AND account = 'points'`;
  const adjust = async (points: number, adjustment_type: string) => {
    const reply = await world.write("/sp/reward-points/adjust", { contact_id, points, adjustment_type });
    return reply.body.data?.balance_after ?? reply.body.error;
  };
  expect(await adjust(11, "credit")).toEqual({
    code: "balance_limit_exceeded",
    details: { balance: balanceLimit - 10 },
  });
  expect(await adjust(10, "credit")).toBe(balanceLimit);
  expect(await adjust(1, "credit")).toEqual({
    code: "balance_limit_exceeded",
    details: { balance: balanceLimit },
  });
  expect(await adjust(1, "debit")).toBe(balanceLimit - 1);
});
