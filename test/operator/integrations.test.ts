/** The life of an integration and its secrets, as its partner feels it. */

import { describe, expect, it } from "vitest";
import { nameInSql } from "../../src/database/sql.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { newPerson, nextKey, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();

interface Made extends Body {
  readonly business_id: number;
  readonly integration_id: number;
  readonly client_id: string;
  readonly client_secret: string;
}

async function create(fields: Body = {}): Promise<Made> {
  const business_id = world.home.businessId;
  const made = await operatorWrite(world, "/op/integrations/create", {
    business_id,
    name: "Till",
    scopes: ["wa.members.read", "wa.members.write"],
    all_locations: true,
    ...fields,
  });
  return { business_id, ...made };
}

const change = (verb: string, { business_id, integration_id }: Made, fields: Body = {}) =>
  operatorWrite(world, `/op/integrations/${verb}`, { business_id, integration_id, ...fields });

async function tokenRequest({ client_id, client_secret }: { client_id: string; client_secret: string }) {
  return world.call("/sp/auth/token", { client_id, client_secret });
}

/** What becomes of a request with a token: 200, or the code of the error. */
async function use(token: string, path = "/sp/members/list", body: Body = {}): Promise<string | number> {
  const reply = await world.call(path, body, { token });
  return reply.body.error?.code ?? reply.status;
}

async function tokenOf(made: Made): Promise<string> {
  const reply = await tokenRequest(made);
  expect(reply.status).toBe(200);
  return reply.body.data.access_token;
}

describe("an integration", () => {
  it("gets tokens for its scopes with the secret that was returned", async () => {
    const made = await create();
    const reply = await tokenRequest(made);
    expect(reply.body.data).toMatchObject({
      scope: "wa.members.read wa.members.write",
      business_id: made.business_id,
      integration_id: made.integration_id,
    });
    expect(await use(reply.body.data.access_token)).toBe(200);
  });

  it("has what it was granted from one request to the next", async () => {
    const made = await create();
    const token = await tokenOf(made);
    await change("update", made, { scopes: ["wa.members.write"] });
    expect(await use(token)).toBe("sp_scope_not_granted");
    await change("update", made, { scopes: ["wa.members.read", "wa.tiers.read"] });
    expect(await use(token)).toBe(200);
    expect(await use(token, "/sp/member-tiers/list")).toBe("sp_token_scope_missing");
    expect(await use(await tokenOf(made), "/sp/member-tiers/list")).toBe(200);
  });

  it("may use the locations that it was given, or all", async () => {
    const [first, second] = world.home.locationIds;
    const made = await create({ scopes: ["wa.wallet.read"], all_locations: false, location_ids: [first] });
    const token = await tokenOf(made);
    const list = (location_id: number) => use(token, "/sp/transactions/list", { location_id });
    expect(await list(first)).toBe(200);
    expect(await list(second)).toBe("sp_location_not_allowed");
    expect(await change("update", made, { location_ids: [second] })).toMatchObject({
      all_locations: false,
      location_ids: [second],
    });
    expect(await list(first)).toBe("sp_location_not_allowed");
    expect(await list(second)).toBe(200);
    expect(await change("update", made, { all_locations: true })).toMatchObject({
      all_locations: true,
      location_ids: [],
    });
    expect(await list(first)).toBe(200);
    const { location_id } = await operatorWrite(world, "/op/locations/create", {
      business_id: made.business_id,
      name: "Brand new",
    });
    expect(await list(location_id)).toBe(200);
    expect(await change("update", made, { all_locations: false, location_ids: [] })).toMatchObject({
      all_locations: false,
      location_ids: [],
    });
    expect(await list(first)).toBe("sp_location_not_allowed");
    // A change of something else leaves the locations alone.
    await change("update", made, { location_ids: [first] });
    expect(await change("update", made, { name: "Kiosk" })).toMatchObject({
      name: "Kiosk",
      all_locations: false,
      location_ids: [first],
    });
  });

  it("is shut out while disabled, and its old tokens for good", async () => {
    const made = await create();
    const token = await tokenOf(made);
    expect(await change("disable", made)).toMatchObject({ enabled: false });
    expect(await use(token)).toBe("sp_integration_not_found");
    expect((await tokenRequest(made)).body.error.code).toBe("invalid_client_credentials");
    expect(await change("enable", made)).toMatchObject({ enabled: true });
    expect(await use(token)).toBe("unauthorized");
    expect(await use(await tokenOf(made))).toBe(200);
  });

  it("loses its tokens, but not its secret, when they are revoked", async () => {
    const made = await create();
    const token = await tokenOf(made);
    await change("revoke-tokens", made);
    expect(await use(token)).toBe("unauthorized");
    expect(await use(await tokenOf(made))).toBe(200);
  });

  it("is gone once deleted; what it wrote stays", async () => {
    const made = await create();
    const token = await tokenOf(made);
    const person = { idempotency_key: nextKey(), ...newPerson() };
    expect(await use(token, "/sp/members/create", person)).toBe(201);
    await change("delete", made);
    expect(await use(token)).toBe("sp_integration_not_found");
    expect((await tokenRequest(made)).body.error.code).toBe("invalid_client_credentials");
    const { business_id, integration_id } = made;
    const again = { idempotency_key: nextKey(), business_id, integration_id };
    const reply = await asOperator(world, "/op/integrations/delete", again);
    expect(reply.body.error.code).toBe("integration_not_found");
    const { body } = await asOperator(world, "/op/members/list", {
      business_id,
      search: person.phone_number,
    });
    expect(body.data).toHaveLength(1);
  });
});

describe("a secret", () => {
  const secretsOf = async ({ business_id, integration_id }: Made) =>
    (await asOperator(world, "/op/integrations/get", { business_id, integration_id })).body.data.secrets;

  it("is replaced with an overlap, in which both are good; a third ends the first", async () => {
    const first = await create();
    const second = { ...first, ...(await change("rotate-secret", first)) };
    expect(second.client_secret).not.toBe(first.client_secret);
    expect(second.client_id).toBe(first.client_id);
    for (const made of [first, second]) expect((await tokenRequest(made)).status).toBe(200);
    expect(await secretsOf(first)).toMatchObject([
      { expires_at: null },
      { expires_at: second.previous_secret_expires_at },
    ]);
    const third = { ...first, ...(await change("rotate-secret", first)) };
    expect((await tokenRequest(first)).body.error.code).toBe("invalid_client_credentials");
    for (const made of [second, third]) expect((await tokenRequest(made)).status).toBe(200);
    expect(await secretsOf(first)).toHaveLength(2);
  });

  it("ends with the overlap", async () => {
    const first = await create();
    const second = { ...first, ...(await change("rotate-secret", first, { overlap_seconds: 60 })) };
    expect((await tokenRequest(first)).status).toBe(200);
    await world.sql`
      UPDATE integration_secret SET expires_at = expires_at - interval '60 seconds'
      WHERE integration_id = ${first.integration_id}`;
    expect((await tokenRequest(first)).status).toBe(401);
    expect((await tokenRequest(second)).status).toBe(200);
    expect(await secretsOf(first)).toHaveLength(1);
  });

  it("ends at once without an overlap", async () => {
    const first = await create();
    const token = await tokenOf(first);
    const second = { ...first, ...(await change("rotate-secret", first, { overlap_seconds: 0 })) };
    expect(second.previous_secret_expires_at).toBeNull();
    expect((await tokenRequest(first)).body.error.code).toBe("invalid_client_credentials");
    expect((await tokenRequest(second)).status).toBe(200);
    // Tokens are not the secret: revoke-tokens ends them.
    expect(await use(token)).toBe(200);
  });

  it("leaves two at most, however many rotations meet", async () => {
    const made = await create();
    const rotated = await Promise.all(Array.from({ length: 6 }, () => change("rotate-secret", made)));
    const responses = await Promise.all(rotated.map((secret) => tokenRequest({ ...made, ...secret })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(await secretsOf(made)).toHaveLength(2);
  });

  it("gets its response again under the same key, and stands nowhere in the database", async () => {
    const business_id = world.home.businessId;
    const creation = {
      idempotency_key: nextKey(),
      business_id,
      name: "Till",
      scopes: ["wa.members.read"],
      all_locations: true,
    };
    const created = await asOperator(world, "/op/integrations/create", creation);
    const { integration_id } = created.body.data;
    const rotation = { idempotency_key: nextKey(), business_id, integration_id };
    const rotated = await asOperator(world, "/op/integrations/rotate-secret", rotation);
    expect((await asOperator(world, "/op/integrations/create", creation)).text).toBe(created.text);
    expect((await asOperator(world, "/op/integrations/rotate-secret", rotation)).text).toBe(rotated.text);
    const dump = await everyRow();
    expect(dump).toContain(created.body.data.client_id);
    for (const { body } of [created, rotated]) {
      const secret: string = body.data.client_secret;
      const forms = [secret, secret.slice(8), Buffer.from(secret).toString("hex")];
      // In base64, depending on where it begins: what lies whole in its middle.
      for (const offset of [0, 1, 2]) {
        forms.push(
          Buffer.from(" ".repeat(offset) + secret)
            .toString("base64")
            .slice(4, 60),
        );
      }
      for (const form of forms) expect(dump).not.toContain(form);
    }
  });

  it("can't be read with a kept response that was moved to another key", async () => {
    const business_id = world.home.businessId;
    const creation = { business_id, name: "Till", scopes: ["wa.members.read"], all_locations: true };
    const [ours, theirs] = [nextKey(), nextKey()];
    await asOperator(world, "/op/integrations/create", { idempotency_key: ours, ...creation });
    await asOperator(world, "/op/integrations/create", { idempotency_key: theirs, ...creation });
    await world.sql`
      UPDATE idempotency_key SET response = (SELECT response FROM idempotency_key WHERE idempotency_key = ${theirs})
      WHERE idempotency_key = ${ours}`;
    const reply = await asOperator(world, "/op/integrations/create", { idempotency_key: ours, ...creation });
    expect(reply.body.error.code).toBe("internal_error");
  });
});

it("takes as many locations as there may be, however their numbers are written", async () => {
  const location_ids = Array.from({ length: 1000 }, (_, index) => 1_000_000 + index);
  const { businessId: business_id } = world.home;
  const body = {
    idempotency_key: nextKey(),
    business_id,
    name: "Till",
    scopes: ["wa.members.read"],
    location_ids,
  };
  const asIntegers = JSON.stringify({ ...body, all_locations: false });
  const ask = (text: string) => world.call("/op/integrations/create", text, { token: testOperatorKey });
  const expected = await ask(asIntegers);
  expect(expected.body.error.details.errors?.[0]?.field).not.toBe("");
  expect((await ask(asIntegers.replaceAll(/\b(1000\d{3})\b/g, "$1.0"))).body).toEqual(expected.body);
});

/** Every row of every table, as text. */
async function everyRow(): Promise<string> {
  const tables = await world.sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
  const rows = await Promise.all(
    tables.map(({ name }) => world.sql`SELECT t::text AS row FROM ${nameInSql(name)} t`),
  );
  return rows.flatMap((table) => table.map(({ row }) => row)).join("\n");
}
