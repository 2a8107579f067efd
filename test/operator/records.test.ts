/** What operators do to businesses, members, tiers and vouchers, as partners feel it. */
import { describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, makeOperatorRecords, operatorWrite } from "../support/operator-requests.ts";
import { newPerson, nextKey, untilServed, useWorld } from "../support/world.ts";

const world = useWorld();

const records = () => makeOperatorRecords(world, world.home);

describe("a business", () => {
  it("is made with an empty ledger and settings, ready for a first integration and member", async () => {
    const made = await operatorWrite(world, "/op/businesses/create", { name: "New", currency: "USD" });
    expect(made).toMatchObject({ time_zone: "UTC" });
    const { business_id } = made;
    const { client_id, client_secret, integration_id } = await operatorWrite(
      world,
      "/op/integrations/create",
      { business_id, name: "Till", scopes: ["wa.members.write", "wa.rewards.write"], all_locations: true },
    );
    const partner = { client_id, client_secret, integrationId: integration_id };
    const contact_id = await world.member({}, partner);
    const adjustment = { contact_id, points: 5, adjustment_type: "credit" };
    const adjusted = await world.write("/sp/reward-points/adjust", adjustment, partner);
    expect(adjusted.body.data.balance_after).toBe(5);
    const settings = await asOperator(world, "/op/reward-settings/get", { business_id });
    expect(settings.body.data.rp_name).toBe("Points");
  });

  it("tells the time by its time zone, from the change on", async () => {
    const business = await world.business("Moving", "UTC");
    const contact_id = await world.member({}, business.everywhere);
    const adjustment = { contact_id, points: 5, adjustment_type: "credit" };
    await world.write("/sp/reward-points/adjust", adjustment, business.everywhere);
    const { businessId: business_id } = business;
    const timeOf = async () => {
      const { body } = await asOperator(world, "/op/transactions/list", { business_id });
      return Date.parse(`${body.data[0].created_at.replace(" ", "T")}Z`);
    };
    const before = await timeOf();
    await operatorWrite(world, "/op/businesses/update", { business_id, time_zone: "Asia/Tokyo" });
    expect((await timeOf()) - before).toBe(9 * 60 * 60 * 1000);
  });

  it("keeps what an update does not name", async () => {
    const { businessId: business_id } = await world.business("Kept", "Europe/Madrid");
    const kept = {
      business_id,
      name: "Renamed",
      time_zone: "Europe/Madrid",
      currency: "EUR",
      currency_decimals: 2,
      country: null,
      color: null,
      logo_path: null,
      sandbox: false,
      events_enabled: false,
    };
    expect(await operatorWrite(world, "/op/businesses/update", { business_id, name: "Renamed" })).toEqual(
      kept,
    );
  });
});

describe("the currency of a business", () => {
  it.each([
    ["HUF", 2],
    ["COP", 2],
    ["IQD", 3],
    ["LBP", 2],
    ["JPY", 0],
    ["XXX", 0],
  ])("%s has the decimals of ISO 4217, which a change sets, too", async (currency, currency_decimals) => {
    const made = await operatorWrite(world, "/op/businesses/create", { name: "Money", currency });
    expect(made).toMatchObject({ currency, currency_decimals });
    const { business_id } = made;
    const update = (change: object) =>
      operatorWrite(world, "/op/businesses/update", { business_id, ...change });
    expect(await update({ currency: "KWD" })).toMatchObject({ currency: "KWD", currency_decimals: 3 });
    expect(await update({ currency })).toMatchObject({ currency, currency_decimals });
    expect(await update({ name: "Other" })).toMatchObject({ currency, currency_decimals });
  });

  it("keeps the decimals that it had when it was set", async () => {
    const { business_id } = await operatorWrite(world, "/op/businesses/create", {
      name: "Old",
      currency: "EUR",
    });
    await world.sql`UPDATE business SET currency_decimals = 3 WHERE business_id = ${business_id}`;
    const { body } = await asOperator(world, "/op/businesses/list", {});
    expect(body.data[0]).toMatchObject({ business_id, currency_decimals: 3 });
    expect(await operatorWrite(world, "/op/businesses/update", { business_id, name: "New" })).toMatchObject({
      currency_decimals: 3,
    });
  });
});

describe("the country of a business", () => {
  it("decides how phone numbers in national form are read", async () => {
    const business = await world.business("Pays", "Europe/Paris");
    const business_id = business.businessId;
    const [french, italian] = ["+33612345678", "+390612345678"];
    for (const phone_number of [french, italian])
      await world.member({ ...newPerson(), phone_number }, business.everywhere);
    const search = async (search: string) => {
      const { body } = await world.ask("/sp/members/list", { search }, business.everywhere);
      const listed = await asOperator(world, "/op/members/list", { business_id, search });
      const numbers = (rows: { phone_number: string }[]) => rows.map(({ phone_number }) => phone_number);
      expect(numbers(listed.body.data)).toEqual(numbers(body.data));
      return numbers(body.data);
    };
    const find = async (phone_number: string) => {
      const { body } = await world.ask("/sp/members/find", { phone_number }, business.everywhere);
      return body.success ? body.data.phone_number : body.error.details.errors?.[0].code;
    };
    expect(await search("06 12 34 56 78")).toEqual([]);
    expect(await find("06 12 34 56 78")).toBe("country_code_missing");
    const change = (country: string | null) =>
      operatorWrite(world, "/op/businesses/update", { business_id, country });
    expect(await change("FR")).toMatchObject({ country: "FR" });
    for (const written of [
      "06 12 34 56 78",
      "0612345678",
      "(06) 12.34-56 78",
      "0033 6 12 34 56 78",
      "+33 (0)612345678",
    ]) {
      expect([written, await search(written)]).toEqual([written, [french]]);
      expect([written, await find(written)]).toEqual([written, french]);
    }
    // The beginning of a number is found, too.
    expect(await search("06 12 3")).toEqual([french]);
    expect(await change("IT")).toMatchObject({ country: "IT" });
    expect(await search("06 12 34 56 78")).toEqual([italian]);
    expect(await find("06 12 34 56 78")).toBe(italian);
    expect(await change(null)).toMatchObject({ country: null });
    expect(await find("06 12 34 56 78")).toBe("country_code_missing");
  });

  it("lets imports read phone numbers in national form", async () => {
    const { business_id } = await operatorWrite(world, "/op/businesses/create", {
      name: "Importe",
      currency: "EUR",
      country: "DE",
    });
    const line = { line: 2, first_name: "Jörg", last_name: "Weiß" };
    const members = [{ ...line, phone_number: "030 / 901 820-00" }];
    expect(await operatorWrite(world, "/op/imports/members", { business_id, lines: members })).toMatchObject({
      imported: 1,
      rejected: [],
    });
    const sales = [{ line: 2, phone_number: "(030) 90182000", sold_at: "2024-05-01", amount: 500 }];
    expect(await operatorWrite(world, "/op/imports/sales", { business_id, lines: sales })).toMatchObject({
      imported: 1,
      rejected: [],
    });
    const { body } = await asOperator(world, "/op/members/list", { business_id });
    expect(body.data).toMatchObject([{ phone_number: "+493090182000", sales_balance: 500 }]);
  });

  it("does not change what creates a member", async () => {
    const business = await world.business("Strict", "UTC");
    await operatorWrite(world, "/op/businesses/update", { business_id: business.businessId, country: "FR" });
    const member = { ...newPerson(), phone_number: "06 12 34 56 78" };
    const { body } = await world.write("/sp/members/create", member, business.everywhere);
    expect(body.error.details.errors).toMatchObject([{ field: "phone_number", code: "invalid_format" }]);
  });
});

describe("a member", () => {
  it("is found by a misspelt name, if an operator asks for similar ones", async () => {
    const { business_id } = await operatorWrite(world, "/op/businesses/create", {
      name: "Similar",
      currency: "EUR",
    });
    const names = [
      ["Séverine", "Dupont"],
      ["Serge", "Durand"],
      ["Michael", "O’Hara"],
      ["John", "Smith"],
    ];
    for (const [first_name, last_name] of names) {
      await operatorWrite(world, "/op/members/create", {
        ...newPerson(),
        business_id,
        first_name,
        last_name,
      });
    }
    const found = async (search: string, similar = true) => {
      const { body } = await asOperator(world, "/op/members/list", { business_id, search, similar });
      return body.data.map(({ first_name }: Body) => first_name);
    };
    for (const search of ["Sévrine", "Severin Dupond", "dupnt, sevrine"]) {
      expect([search, await found(search)]).toEqual([search, ["Séverine"]]);
      expect(await found(search, false)).toEqual([]);
    }
    expect(await found("Micheal Ohara")).toEqual(["Michael"]);
    expect(await found("Jonh Smiht")).toEqual(["John"]);
    for (const search of ["Zbigniew", "12345", "se"]) expect(await found(search)).toEqual([]);
    const { status, body } = await asOperator(world, "/op/members/list", { business_id, similar: true });
    expect(status).toBe(422);
    expect(body.error.details.errors).toMatchObject([{ field: "search", code: "required" }]);
  });

  it("can't be adjusted while it is inactive, but can be updated", async () => {
    const { business_id, contact_id, location_id } = await records();
    const adjust = async () => {
      const adjustment = { contact_id, location_id, amount: 5, adjustment_type: "credit" };
      return (await world.write("/sp/wallet/adjust", adjustment)).body.error?.code;
    };
    expect(await adjust()).toBeUndefined();
    await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
    expect(await adjust()).toBe("member_inactive");
    const renamed = await world.write("/sp/members/update", { contact_id, first_name: "Eva" });
    expect(renamed.status).toBe(200);
    await operatorWrite(world, "/op/members/activate", { business_id, contact_id });
    expect(await adjust()).toBeUndefined();
    const { body } = await asOperator(world, "/op/members/get", { business_id, contact_id });
    expect(body.data).toMatchObject({ active: true, wallet_balance: 10 });
  });

  it("is listed by partners and operators alike only while active, or when inactive ones are asked for", async () => {
    const { businessId: business_id, everywhere } = await world.business("Listed", "UTC");
    const contact_id = await world.member({}, everywhere);
    const listed = async (more: Body) => {
      const [ours, theirs] = [
        await asOperator(world, "/op/members/list", { business_id, ...more }),
        await world.ask("/sp/members/list", more, everywhere),
      ];
      expect(ours.body.meta).toEqual(theirs.body.meta);
      return ours.body.data.map(({ active }: Body) => active);
    };
    expect(await listed({})).toEqual([true]);
    await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
    expect(await listed({})).toEqual([]);
    expect(await listed({ include_inactive: true })).toEqual([false]);
    // Done twice, it is as inactive as once, and counted once.
    await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
    await operatorWrite(world, "/op/members/activate", { business_id, contact_id });
    expect(await listed({})).toEqual([true]);
  });

  it("can be switched while it is adjusted, without a deadlock and without a lost posting", async () => {
    const { business_id, contact_id, location_id } = await records();
    const adjustment = { contact_id, location_id, amount: 1, adjustment_type: "credit" };
    const [adjusted] = await Promise.all([
      Promise.all(
        Array.from({ length: 60 }, () => {
          const body = { idempotency_key: nextKey(), ...adjustment };
          return untilServed(() => world.write("/sp/wallet/adjust", body));
        }),
      ),
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          operatorWrite(world, `/op/members/${n % 2 === 0 ? "deactivate" : "activate"}`, {
            business_id,
            contact_id,
          }),
        ),
      ),
    ]);
    const done = adjusted.filter(({ status }) => status === 200).length;
    expect(adjusted.every(({ body }) => body.success || body.error.code === "member_inactive")).toBe(true);
    const { body } = await asOperator(world, "/op/members/get", { business_id, contact_id });
    expect(body.data.wallet_balance).toBe(done);
  });

  it("has the tier that it was given, until it is taken away or the tier deleted", async () => {
    const { business_id, contact_id, tier_id } = await records();
    const tierOf = async () => {
      const { body } = await asOperator(world, "/op/members/get", { business_id, contact_id });
      return [body.data.tier_id, body.data.tier_name];
    };
    const assign = (tier: number | null) =>
      operatorWrite(world, "/op/members/assign-tier", { business_id, contact_id, tier_id: tier });
    await assign(tier_id);
    expect(await tierOf()).toEqual([tier_id, "Bronze"]);
    await assign(null);
    expect(await tierOf()).toEqual([null, null]);
    await assign(tier_id);
    await world.write("/sp/member-tiers/delete", { tier_id });
    expect(await tierOf()).toEqual([null, null]);
    const again = { idempotency_key: nextKey(), business_id, contact_id, tier_id };
    const reply = await asOperator(world, "/op/members/assign-tier", again);
    expect(reply.body.error.code).toBe("tier_not_found");
  });
});

describe("a voucher", () => {
  it("belongs to a location, to another, or to none", async () => {
    const { business_id } = await records();
    const [first, , third] = world.home.locationIds;
    const voucher = { business_id, campaign_name: "Spring", coupon_code: "S", coupon_value: 5 };
    const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
      ...voucher,
      location_id: third,
    });
    const limited = async () =>
      (await world.ask("/sp/vouchers/get", { voucher_id }, world.home.limited)).body.error?.code;
    expect(await limited()).toBe("sp_location_not_allowed");
    const move = (location_id: number | null) =>
      operatorWrite(world, "/op/vouchers/update", { business_id, voucher_id, location_id });
    expect(await move(first)).toMatchObject({ ...record(voucher), location_id: first });
    expect(await limited()).toBeUndefined();
    await move(third);
    expect(await limited()).toBe("sp_location_not_allowed");
    expect(await move(null)).toMatchObject({ location_id: null });
    expect(await limited()).toBeUndefined();
  });

  it("that does not exist is missed before its new location", async () => {
    const absent = { business_id: world.home.businessId, voucher_id: 999_999, location_id: 999_999 };
    const { body } = await asOperator(world, "/op/vouchers/update", {
      idempotency_key: nextKey(),
      ...absent,
    });
    expect(body.error).toEqual({ code: "voucher_not_found", details: {} });
  });

  it("is listed while it is not archived, and seen by partners all the same", async () => {
    const { businessId: business_id, everywhere, vouchers } = await world.business("Vouchers", "UTC");
    const listed = async (more: Body = {}) => {
      const { body } = await asOperator(world, "/op/vouchers/list", { business_id, ...more });
      return body.data.map(({ voucher_id }: Body) => voucher_id);
    };
    const voucher_id = vouchers.everywhere;
    expect(await listed()).toEqual([vouchers.third, vouchers.first, voucher_id]);
    await operatorWrite(world, "/op/vouchers/archive", { business_id, voucher_id });
    expect(await listed()).toEqual([vouchers.third, vouchers.first]);
    expect(await listed({ include_archived: true })).toHaveLength(4);
    const seen = await world.ask("/sp/vouchers/get", { voucher_id }, everywhere);
    expect(seen.body.data.archived).toBe(true);
    await operatorWrite(world, "/op/vouchers/archive", { business_id, voucher_id, archived: false });
    expect(await listed()).toContain(voucher_id);
  });
});

function record({ business_id: _, ...fields }: Body): Body {
  return fields;
}

describe("a list", () => {
  it.each([
    "businesses",
    "locations",
    "integrations",
    "members",
    "tiers",
    "programs",
    "vouchers",
    "topup-benefits",
  ])("is cut into pages without a gap: %s", async (nouns) => {
    const { business_id } = await records();
    await records();
    const path = `/op/${nouns}/list`;
    const of = nouns === "businesses" ? {} : { business_id };
    const { body } = await asOperator(world, path, { ...of, per_page: 100 });
    const { total } = body.meta.pagination;
    const pages: unknown[] = [];
    for (let page = 1; page <= Math.ceil(total / 2); page++) {
      const part = await asOperator(world, path, { ...of, per_page: 2, page });
      expect(part.body.meta.pagination).toMatchObject({ total, per_page: 2, current_page: page });
      pages.push(...part.body.data);
    }
    expect(pages).toEqual(body.data);
    const past = await asOperator(world, path, { ...of, per_page: 2, page: total + 1 });
    expect(past.body.data).toEqual([]);
    expect(past.body.meta.pagination).toMatchObject({ total, from: 0, to: 0 });
  });
});

describe("the status", () => {
  it("counts requests, what was rejected of them, and postings", async () => {
    const { contact_id } = await records();
    const status = async () => (await asOperator(world, "/op/status/get", {})).body.data;
    const before = await status();
    for (let n = 0; n < 5; n++) {
      await world.write("/sp/reward-points/adjust", { contact_id, points: 1, adjustment_type: "credit" });
    }
    await world.ask("/sp/vouchers/get", { voucher_id: 9_007_199_254_740_000 });
    const after = await status();
    const grown = (of: (response: Body) => number) => of(after) - of(before);
    expect(grown(({ requests }) => (requests as { total: number }).total)).toBeGreaterThanOrEqual(7);
    expect(grown(({ requests }) => (requests as { rejected: number }).rejected)).toBe(1);
    expect(grown(({ requests }) => (requests as { failed: number }).failed)).toBe(0);
    expect(grown(({ postings }) => (postings as { recorded: number }).recorded)).toBe(5);
    expect(grown(({ entries }) => entries as number)).toBe(5);
    expect(after.members).toBe(before.members);
    await world.member();
    expect((await status()).members).toBe(before.members + 1);
  });
});
