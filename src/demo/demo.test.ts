import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { isSecret } from "../credentials/keys.ts";
import type { DemoFile } from "../data-directory.ts";
import { insertBusiness } from "../database/access/businesses.ts";
import { findCredentials, findIntegration } from "../database/access/integrations.ts";
import * as records from "../database/catalog.ts";
import { fragment } from "../database/sql.ts";
import { scopesInRealTime } from "../domain/access/access.ts";
import { eventTypeNames } from "../domain/ledger.ts";
import { isEmail, isPhoneNumber, isPlainText, searchTextOf } from "../domain/text.ts";
import { insertDemo } from "./business.ts";
import { demoReport, provideDemo } from "./demo.ts";

const database = useDatabase();
const baseUrl = "http://127.0.0.1:8080/api";
let dataDirectory: string;
let file: string;

async function begin(): Promise<void> {
  dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-demo-"));
  file = join(dataDirectory, "demo.json");
}

async function end(): Promise<void> {
  await rm(dataDirectory, { recursive: true, force: true });
  const tables = await database.sql<{ name: string }[]>`
    SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '%migration%'`;
  await database.sql.query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")} RESTART IDENTITY`);
}

/** Each test of a group begins with nothing. */
function useNothing(): void {
  beforeEach(begin);
  afterEach(end);
}

/** All tests of a group have the same demo business. */
function useDemo(): { readonly made: DemoFile } {
  let made: DemoFile;
  beforeAll(async () => {
    await begin();
    made = await make();
  });
  afterAll(end);
  return {
    get made() {
      return made;
    },
  };
}

const provide = (url = baseUrl) => provideDemo(database.sql, { dataDirectory, baseUrl: url });

async function make(): Promise<DemoFile> {
  const outcome = await provide();
  if (outcome.status !== "made") throw new Error(`the demo business is ${outcome.status}`);
  return outcome.demo;
}

const countBusinesses = async () => {
  const [row] = await database.sql<{ count: number }[]>`
    SELECT count(*) FROM business JOIN ledger USING (business_id) WHERE clock_at IS NULL`;
  return row?.count;
};

describe("the demo business", () => {
  const shared = useDemo();

  describe("the file", () => {
    it("says what there is, to its owner only", async () => {
      const demo = shared.made;
      expect(JSON.parse(await readFile(file, "utf8"))).toEqual(demo);
      expect(await readdir(dataDirectory)).toEqual(["demo.json"]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(Object.keys(demo)).toEqual([
        ...["base_url", "business_id", "integration_id", "client_id", "client_secret", "location_ids"],
        ...["tier_ids", "program_ids", "benefit_ids", "voucher_ids", "archived_voucher_id", "contact_ids"],
        "sandbox",
      ]);
      expect(demo.base_url).toBe(baseUrl);
      expect(demo.location_ids).toHaveLength(2);
      expect(demo.tier_ids).toHaveLength(3);
      expect(demo.program_ids).toHaveLength(1);
      expect(demo.contact_ids).toHaveLength(60);
    });

    it("holds credentials that open every scope at both locations", async () => {
      const demo = shared.made;
      const credentials = await findCredentials(database.sql, demo.client_id, 0);
      expect(isSecret(demo.client_secret, credentials?.secret_hashes ?? [])).toBe(true);
      expect(await findIntegration(database.sql, demo.integration_id)).toMatchObject({
        business_id: demo.business_id,
        enabled: true,
        scopes: scopesInRealTime,
        location_ids: demo.location_ids,
      });
    });

    it("names records that exist", async () => {
      const { sql } = database;
      const demo = shared.made;
      const tiers = await records.tiers.all(sql, demo.business_id);
      expect(tiers.map(({ tier_id }) => tier_id)).toEqual(demo.tier_ids);
      const vouchers = await Promise.all(
        demo.voucher_ids.map((id) => records.vouchers.find(sql, demo.business_id, id)),
      );
      expect(vouchers.map((voucher) => voucher?.archived)).toEqual([
        false,
        false,
        false,
        false,
        false,
        false,
      ]);
      expect(vouchers.filter((voucher) => voucher?.location_id === demo.location_ids[1])).toHaveLength(1);
      expect(await records.vouchers.find(sql, demo.business_id, demo.archived_voucher_id)).toMatchObject({
        archived: true,
      });
      const [settings] =
        await sql`SELECT enable_rp FROM reward_settings WHERE business_id = ${demo.business_id}`;
      expect(settings?.enable_rp).toBe(true);
      const programs = await sql<{ program_id: number }[]>`
        SELECT program_id FROM reward_program WHERE business_id = ${demo.business_id}`;
      expect(programs.map(({ program_id }) => program_id)).toEqual(demo.program_ids);
    });
  });

  describe("the members", () => {
    it("are such as the service itself would have taken, and active", async () => {
      const demo = shared.made;
      const members = await database.sql<
        {
          contact_id: number;
          member_id: number;
          first_name: string;
          last_name: string;
          phone_number: string;
          email: string | null;
          external_ref: string | null;
          searchable_text: string;
          active: boolean;
        }[]
      >`SELECT * FROM member WHERE business_id = ${demo.business_id} ORDER BY member_id`;
      expect(members.map(({ contact_id }) => contact_id)).toEqual(demo.contact_ids);
      for (const member of members) {
        expect(isPlainText(member.first_name) && isPlainText(member.last_name)).toBe(true);
        expect(isPhoneNumber(member.phone_number)).toBe(true);
        expect(member.email === null || isEmail(member.email)).toBe(true);
        expect(member.searchable_text).toBe(searchTextOf(member));
        expect(member.active).toBe(true);
      }
    });

    it("joined one after the other, and before whatever they did", async () => {
      const demo = shared.made;
      const [order] = await database.sql`
        SELECT bool_and(joined_at <= next_joined_at) AS sound FROM (
          SELECT joined_at, lead(joined_at, 1, now()) OVER (ORDER BY member_id) AS next_joined_at FROM member
          WHERE business_id = ${demo.business_id}
        ) AS m`;
      expect(order?.sound).toBe(true);
      const [early] = await database.sql`
        SELECT count(*) FROM ledger_entry e JOIN member m USING (business_id, contact_id)
        WHERE e.created_at < m.joined_at`;
      expect(early?.count).toBe(0);
    });
  });

  describe("the ledger", () => {
    it("holds a few hundred entries of all kinds, over months, at both locations and at none", async () => {
      const demo = shared.made;
      const [ledger] = await database.sql<
        { entries: number; kinds: string[]; days: number; locations: number[] }[]
      >`
        SELECT count(*) AS entries, array_agg(DISTINCT event_type::text) AS kinds,
          extract(day FROM max(created_at) - min(created_at))::int AS days,
          array_agg(DISTINCT coalesce(location_id, 0)) AS locations
        FROM ledger_entry WHERE business_id = ${demo.business_id}`;
      expect(ledger?.entries).toBeGreaterThan(300);
      expect(ledger?.entries).toBeLessThan(1000);
      expect(ledger?.kinds.toSorted()).toEqual(eventTypeNames.toSorted());
      expect(ledger?.days).toBeGreaterThan(350);
      expect(ledger?.locations.toSorted((a, b) => a - b)).toEqual([0, ...demo.location_ids]);
    });

    it("is numbered without a gap, for each member in the order of time, and nothing is in the future", async () => {
      const { business_id } = shared.made;
      const [ledger] = await database.sql`
        SELECT min(entry_no) AS first, max(entry_no) AS last, count(*) AS entries,
          max(created_at) <= clock_timestamp() AS past
        FROM ledger_entry WHERE business_id = ${business_id}`;
      expect(ledger).toMatchObject({ first: 1, last: ledger?.entries, past: true });
      const [unordered] = await database.sql`
        SELECT count(*) FROM (
          SELECT created_at < lag(created_at) OVER (PARTITION BY business_id, contact_id ORDER BY entry_no) AS back FROM ledger_entry
        ) AS e WHERE back`;
      expect(unordered?.count).toBe(0);
    });

    it("continues each account entry by entry, up to the account's balance", async () => {
      const demo = shared.made;
      const [broken] = await database.sql`
        SELECT count(*) FROM (
          SELECT balance_after <> amount + coalesce(lag(balance_after) OVER history, 0) AS broken
          FROM ledger_entry WINDOW history AS (PARTITION BY business_id, contact_id, account ORDER BY entry_no)
        ) AS e WHERE broken`;
      expect(broken?.count).toBe(0);
      const [accounts] = await database.sql`
        SELECT count(*) AS accounts, count(*) FILTER (WHERE balance <> coalesce(sum, 0)) AS wrong
        FROM account LEFT JOIN (
          SELECT contact_id, account, sum(amount) FROM ledger_entry GROUP BY contact_id, account
        ) AS e USING (contact_id, account) WHERE business_id = ${demo.business_id}`;
      expect(accounts).toEqual({ accounts: 240, wrong: 0 });
    });
  });

  describe("the sandbox", () => {
    it("has a clock, some members and credentials that may advance it", async () => {
      const { sandbox, business_id } = shared.made;
      expect(sandbox.business_id).not.toBe(business_id);
      const [ledger] = await database.sql`
        SELECT clock_at > now() - interval '1 hour' AS stands FROM ledger WHERE business_id = ${sandbox.business_id}`;
      expect(ledger).toEqual({ stands: true });
      const credentials = await findCredentials(database.sql, sandbox.client_id, 0);
      expect(isSecret(sandbox.client_secret, credentials?.secret_hashes ?? [])).toBe(true);
      const [{ count } = { count: 0 }] = await database.sql<{ count: number }[]>`
        SELECT count(*) FROM member
        WHERE business_id = ${sandbox.business_id} AND contact_id = ANY (${[...sandbox.contact_ids]}::bigint[])`;
      expect(count).toBe(3);
    });
  });

  it("prints no credentials", async () => {
    const { client_id, client_secret } = shared.made;
    const report = demoReport({ status: "made", file, demo: JSON.parse(await readFile(file, "utf8")) });
    expect(report).not.toContain(client_id);
    expect(report).not.toContain(client_secret);
  });
});

describe("the year", () => {
  useNothing();

  /** What is true at the end of the year of members of one business. */
  const outcomes = async (businessId: number, contactIds: readonly number[]) => {
    const mine = fragment`business_id = ${businessId} AND contact_id = ANY (${[...contactIds]}::bigint[])`;
    const [row] = await database.sql`
      SELECT
        (SELECT array_agg(t.name ORDER BY s.contact_id)
          FROM tier_standing s JOIN member_tier t USING (business_id, tier_id) WHERE ${mine} AND NOT by_hand) AS tiers,
        (SELECT array_agg(status || ' ' || coupon_code ORDER BY held_voucher_id) FROM held_voucher WHERE ${mine}) AS vouchers,
        (SELECT sum(expired) > 0 FROM points_lot WHERE ${mine}) AS expired,
        (SELECT array_agg(cardinality(r.vouchers_back)) FROM sale_refund r JOIN sale USING (business_id, sale_id) WHERE ${mine}) AS refunds,
        (SELECT array_agg(kind || ' ' || promo_amount || ' ' || reversed ORDER BY movement_id) FROM wallet_movement
          WHERE ${mine}) AS movements`;
    return row;
  };

  /** The points of Priya with their dates, and her refund. */
  const pointsOfPriya = async ({
    business_id,
    contact_ids,
  }: Pick<DemoFile, "business_id" | "contact_ids">) => {
    const [row] = await database.sql`
      SELECT
        (SELECT first_name FROM member m WHERE m.business_id = a.business_id AND m.contact_id = a.contact_id) AS name,
        (a.balance - sum(l.points - l.used - l.clawed - l.expired))::int AS unlotted,
        count(*) FILTER (WHERE l.points > l.used + l.clawed + l.expired) > 3 AS has_lots,
        bool_or(l.points > l.used + l.clawed + l.expired AND l.expires_on <= clock.today + 31) AS some_end_soon,
        bool_or(l.expired > 0) AS some_expired, max(s.refunded) > 0 AS has_refund
      FROM account a JOIN points_lot l USING (business_id, contact_id)
      JOIN sale s ON s.business_id = l.business_id AND s.sale_id = l.lot_id AND s.reference_id LIKE 'receipt-%'
      CROSS JOIN (SELECT max(created_at)::date + 1 AS today FROM ledger_entry WHERE event_type = 'sale') AS clock
      WHERE a.business_id = ${business_id} AND a.contact_id = ${contact_ids[4] as number} AND a.account = 'points'
      GROUP BY a.business_id, a.contact_id, a.balance`;
    return row;
  };

  /** What is true of all members. */
  const ofAll = async (businessId: number) => {
    const [row] = await database.sql`
      SELECT
        (SELECT count(*) FROM ledger_entry e
          WHERE e.business_id = ${businessId} AND e.event_type = 'sale'
            AND NOT EXISTS (SELECT FROM sale s WHERE s.business_id = e.business_id AND s.contact_id = e.contact_id
              AND s.reference_id = e.reference_id)) AS unrecorded,
        (SELECT array_agg(DISTINCT name ORDER BY name) FROM tier_standing JOIN member_tier USING (business_id, tier_id)
          WHERE business_id = ${businessId}) AS tiers,
        (SELECT sum(owed) > 0 FROM points_debt WHERE business_id = ${businessId}) AS owed,
        (SELECT count(*) FROM member_due d WHERE business_id = ${businessId} AND amount > 0
          AND day <= (SELECT max(created_at)::date + 1 FROM ledger_entry WHERE event_type = 'sale')) AS due,
        (SELECT count(*) FROM ledger_entry WHERE business_id = ${businessId}) AS entries`;
    return row;
  };

  // The dates of months and leap days make a difference. The examples in the documents rely on the numbers of entries.
  const days = ["2026-03-01", "2026-08-31", "2028-02-29", "2027-01-30", "2026-04-17", "2026-12-15"];
  it.each(days)("has all that members, vouchers and points can do, if it ends on %s", async (day) => {
    const made = await database.sql.begin((tx) => insertDemo(tx, Date.parse(`${day}T15:00:00Z`)));
    for (const { business_id, contact_ids } of [made, made.sandbox]) {
      expect(await outcomes(business_id, contact_ids.slice(1, 3))).toEqual({
        tiers: ["Silver", "Bronze"],
        vouchers: ["lapsed WELCOME", "lapsed BEANS60", "held BEANS60"],
        expired: true,
        refunds: [1],
        movements: ["topup 500 false", "payment 0 true"],
      });
    }
    expect(await ofAll(made.business_id)).toEqual({
      unrecorded: 0,
      tiers: ["Bronze", "Gold", "Silver"],
      owed: true,
      due: 0,
      entries: 497,
    });
    expect(await pointsOfPriya(made)).toEqual({
      name: "Priya",
      unlotted: 15,
      has_lots: true,
      some_end_soon: true,
      some_expired: true,
      has_refund: true,
    });
  });
});

describe("making it", () => {
  useNothing();

  it("happens once, however many start at the same time", async () => {
    const outcomes = await Promise.all([provide(), provide(), provide(), provide()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["found", "found", "found", "made"]);
    expect(await countBusinesses()).toBe(1);
  });

  it("leaves nothing when the file can't be written", async () => {
    const nowhere = join(dataDirectory, "missing");
    await expect(provideDemo(database.sql, { dataDirectory: nowhere, baseUrl })).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect(await countBusinesses()).toBe(0);
    await make();
  });

  it("replaces the file of a start that was killed before its commit", async () => {
    await writeFile(file, JSON.stringify({ client_id: "loy_lost", client_secret: "loysec_lost" }));
    const demo = await make();
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(demo);
  });

  it("leaves a database with businesses alone", async () => {
    await insertBusiness(database.sql, {
      name: "Real",
      time_zone: "UTC",
      currency: "EUR",
    });
    const outcome = await provide();
    expect(outcome).toEqual({ status: "absent" });
    expect(demoReport(outcome)).toMatch(/holds a business already/);
    expect(await readdir(dataDirectory)).toEqual([]);
    expect(await countBusinesses()).toBe(1);
  });
});

describe("a later start", () => {
  const shared = useDemo();
  beforeEach(() => writeFile(file, JSON.stringify(shared.made)));

  it("finds it, and says where it is", async () => {
    const demo = shared.made;
    const outcome = await provide();
    expect(outcome).toEqual({ status: "found", file, demo });
    expect(demoReport(outcome)).toContain(file);
  });

  it("keeps the file right when the service listens elsewhere", async () => {
    const demo = shared.made;
    const moved = { ...demo, base_url: "http://127.0.0.1:9090/v1" };
    expect(await provide(moved.base_url)).toEqual({ status: "found", file, demo: moved });
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(moved);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["of another database", JSON.stringify({ client_id: "loy_else", client_secret: "loysec_else" })],
    ["that is something else", "[]"],
    ["that is broken", "{"],
  ])("doesn't believe a file %s", async (_what, text) => {
    await writeFile(file, text);
    expect(await provide()).toEqual({ status: "absent" });
    expect(await readFile(file, "utf8")).toBe(text);
  });
});
