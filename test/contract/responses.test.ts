/** What every operation returns when all is well: status, envelope and data, field by field. */
import { describe, expect, it } from "vitest";
import { tokenLifetimeSeconds } from "../../src/credentials/tokens.ts";
import { allScopes } from "../../src/domain/access/access.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import { wallClockAt } from "../support/local-times.ts";
import { makeRecords, validBody } from "../support/requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

interface ExpectedResponse {
  readonly status: 200 | 201;
  readonly message: string;
  /** Absent: an empty object. */
  readonly meta?: object;
  /** Done before the request. */
  readonly before?: (records: Records) => Promise<unknown>;
  /** @param sent the request's body */
  readonly data: (sent: Body, records: Records) => unknown;
}

const id = expect.toSatisfy((value) => Number.isSafeInteger(value) && value > 0, "an identifier");
const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
const onePage = (total: number) => ({
  pagination: { total, per_page: 10, current_page: 1, last_page: 1, from: 1, to: total },
  next: null,
});

/** The fields of a response that are those of the request. */
function same(sent: Body, ...names: string[]): Body {
  return Object.fromEntries(names.map((name) => [name, sent[name]]));
}

const responses: Record<string, ExpectedResponse> = {
  "/sp/auth/token": {
    status: 200,
    message: "Access token issued.",
    data: () => ({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: "Bearer",
      expires_in: 7200,
      expires_at: timestamp,
      scope: allScopes.join(" "),
      business_id: world.home.businessId,
      integration_id: world.home.everywhere.integrationId,
    }),
  },
  "/sp/transactions/list": {
    status: 200,
    message: "Transactions listed.",
    meta: onePage(1),
    before: ({ contact_id, location_id }) =>
      world.write("/sp/wallet/adjust", { contact_id, location_id, amount: 70, adjustment_type: "credit" }),
    data: (_sent, { contact_id }) => [
      {
        event_type: "wallet_adjustment",
        contact_id,
        reference_id: expect.stringMatching(/^WA-\d+$/),
        amount: 70,
        balance_after: 70,
        created_at: timestamp,
      },
    ],
  },
  "/sp/members/list": {
    status: 200,
    message: "Members listed.",
    meta: onePage(1),
    before: ({ contact_id }) =>
      world.write("/sp/members/profile/update", {
        contact_id,
        first_name: "Anabel",
        last_name: "Ruiz",
        phone_number: "+34911222333",
      }),
    data: (_sent, { contact_id }) => [
      {
        member_id: id,
        contact_id,
        first_name: "Anabel",
        last_name: "Ruiz",
        phone_number: "+34911222333",
      },
    ],
  },
  "/sp/members/create": {
    status: 201,
    message: "Member created.",
    data: (sent) => ({
      member_id: id,
      contact_id: id,
      ...same(sent, "first_name", "last_name", "phone_number", "email"),
    }),
  },
  "/sp/members/update": {
    status: 200,
    message: "Member updated.",
    data: (sent) => ({ member_id: id, ...same(sent, "contact_id", "first_name", "last_name", "email") }),
  },
  "/sp/members/profile/update": {
    status: 200,
    message: "Member profile updated.",
    data: (sent) => ({ member_id: id, ...same(sent, "contact_id", "first_name", "last_name", "email") }),
  },
  "/sp/members/password/change": {
    status: 200,
    message: "Password changed.",
    data: (sent) => ({ member_id: id, ...same(sent, "contact_id"), password_changed: true }),
  },
  "/sp/wallet/adjust": {
    status: 200,
    message: "Wallet adjusted.",
    data: (sent) => ({ ...same(sent, "contact_id", "amount", "adjustment_type"), balance_after: 1250 }),
  },
  "/sp/wallet/topup-benefits/create": {
    status: 201,
    message: "Top-up benefit created.",
    data: (sent) => ({ benefit_id: id, ...same(sent, "title", "amount", "promo_amount", "status") }),
  },
  "/sp/wallet/topup-benefits/update": {
    status: 200,
    message: "Top-up benefit updated.",
    data: (sent) => same(sent, "benefit_id", "title", "promo_amount", "status"),
  },
  "/sp/reward-points/adjust": {
    status: 200,
    message: "Reward points adjusted.",
    data: (sent) => ({ ...same(sent, "contact_id", "points", "adjustment_type"), balance_after: 120 }),
  },
  "/sp/reward-settings/update": {
    status: 200,
    message: "Reward settings updated.",
    data: (sent) =>
      same(sent, "enable_rp", "rp_name", "rp_sales_calculation_period", "rp_sales_calculation_period_type"),
  },
  "/sp/reward-programs/update": {
    status: 200,
    message: "Reward program updated.",
    data: (sent) => same(sent, "program_id", "membership_name", "maximum_points_per_order"),
  },
  "/sp/member-tiers/list": {
    status: 200,
    message: "Member tiers listed.",
    data: (_sent, { tier_id }) => [
      { tier_id: world.home.tierIds[0], name: "Silver", expiry: 12, expiry_period: "month" },
      { tier_id: world.home.tierIds[1], name: "Gold", expiry: 2, expiry_period: "year" },
      { tier_id, name: "Bronze", expiry: 6, expiry_period: "month" },
    ],
  },
  "/sp/member-tiers/update": {
    status: 200,
    message: "Member tier updated.",
    data: (sent) => same(sent, "tier_id", "name", "expiry", "expiry_period"),
  },
  "/sp/member-tiers/delete": {
    status: 200,
    message: "Member tier deleted.",
    data: (sent) => ({ ...same(sent, "tier_id"), deleted: true }),
  },
  "/sp/vouchers/get": {
    status: 200,
    message: "Voucher found.",
    data: (sent) => ({
      ...same(sent, "voucher_id"),
      campaign_name: "Summer",
      coupon_code: "SUMMER",
      coupon_value: 1000,
      archived: false,
    }),
  },
};

describe.each(partnerOperations.filter(({ path }) => path in responses))("$path", (operation) => {
  const { status, message, meta = {}, before, data } = responses[operation.path]!;

  it("returns exactly this", async () => {
    await world.sql`UPDATE member_tier SET deleted_on = current_date WHERE name = 'Bronze'`;
    const records = await makeRecords(world, world.home);
    await before?.(records);
    const sent = validBody(operation, world.home, records);
    const token = operation.kind === "token" ? undefined : await world.token();
    const reply = await world.call(operation.path, sent, { token });
    expect(reply.body).toStrictEqual({ success: true, message, data: data(sent, records), meta });
    expect(reply.status).toBe(status);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    for (const header of ["server", "x-powered-by", "idempotent-replayed"]) {
      expect(reply.headers.has(header), header).toBe(false);
    }
  });
});

describe("a token", () => {
  it("expires two hours later, told in the business's time zone", async () => {
    const about = (milliseconds: number) =>
      wallClockAt(milliseconds + tokenLifetimeSeconds * 1000, "Europe/Madrid");
    const before = Date.now();
    const { client_id, client_secret } = world.home.everywhere;
    const { body } = await world.call("/sp/auth/token", { client_id, client_secret });
    expect(body.data.expires_at >= about(before - 1000)).toBe(true);
    expect(body.data.expires_at <= about(Date.now())).toBe(true);
  });

  it("names the scopes that are granted, and no others", async () => {
    const credentials = await world.integration(world.home, { scopes: ["wa.tiers.read", "wa.wallet.read"] });
    const { client_id, client_secret } = credentials;
    const { body } = await world.call("/sp/auth/token", { client_id, client_secret });
    expect(body.data.scope).toBe("wa.tiers.read wa.wallet.read");
  });

  it("is issued for either of two secrets during a rotation, and not for one that has ended", async () => {
    const { integrationId, client_id, client_secret } = await world.integration(world.home);
    const replacement = await world.integration(world.home);
    await world.sql`
      UPDATE integration_secret SET integration_id = ${integrationId}
      WHERE integration_id = ${replacement.integrationId}`;
    const statusWith = async (secret: string) =>
      (await world.call("/sp/auth/token", { client_id, client_secret: secret })).status;
    expect(await statusWith(client_secret)).toBe(200);
    expect(await statusWith(replacement.client_secret)).toBe(200);
    await world.sql`
      UPDATE integration_secret SET expires_at = now()
      WHERE integration_id = ${integrationId} AND created_at = (
        SELECT min(created_at) FROM integration_secret WHERE integration_id = ${integrationId})`;
    expect(await statusWith(client_secret)).toBe(401);
    expect(await statusWith(replacement.client_secret)).toBe(200);
  });
});
