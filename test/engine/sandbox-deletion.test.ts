/** A sandbox that is deleted while it is used. */
import { expect, it } from "vitest";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { tablesWith } from "../support/personal-values.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, type Reply, startService, untilServed, useWorld } from "../support/world.ts";

const world = useWorld();

it("gives callers of all kinds a success or sp_integration_not_found, and leaves nothing of the sandbox", async () => {
  // This one does not delete the sandbox, so it still accepts its tokens from the cache.
  const second = await startService(world, world.database);
  const deleted: number[] = [];
  for (let round = 0; round < 3; round++) {
    const sandbox = await makeSandbox(world, "2026-01-31");
    const { businessId: business_id, locationId: location_id, credentials } = sandbox;
    const token = await world.token(credentials);
    await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: round > 0 });
    const contact_id = await sandbox.member();
    const kinds: (() => readonly [path: string, body: object])[] = [
      () => ["/sp/wallet/adjust", { contact_id, location_id, amount: 5, adjustment_type: "credit" }],
      () => ["/sp/sales/record", { contact_id, location_id, amount: 900 }],
      () => ["/sp/members/create", newPerson()],
      () => ["/sp/members/update", { contact_id, first_name: "Eva" }],
      () => ["/sp/reward-settings/update", { rp_name: "Stars" }],
      () => ["/sp/members/get", { contact_id }],
      () => ["/sp/members/balances", { contact_id }],
      () => ["/sp/sales/quote", { contact_id, location_id, amount: 100 }],
      () => ["/sp/members/list", { search: "a" }],
      () => ["/sp/transactions/list", {}],
      () => ["/sp/sales/list", { contact_id }],
      () => ["/sp/reward-points/list", { contact_id, include_closed: true }],
      () => ["/sp/sandbox/clock/get", {}],
    ];
    const replies: Reply[] = [];
    const [partner, operator, holder] = [new Set<string>(), new Set<string>(), new Set<string>()];
    let isOver = false;
    const outcome = ({ status, body, text }: Reply) =>
      status < 300 ? "success" : (body.error?.code ?? text);
    const repeat = async (seen: Set<string>, call: () => Promise<Reply>) => {
      // Until after the end, to see the last response, too.
      for (let more = 3; more > 0; more -= isOver ? 1 : 0) {
        const reply = await untilServed(call);
        replies.push(reply);
        seen.add(outcome(reply));
      }
    };
    const traffic = [
      ...[world.baseUrl, second.baseUrl].flatMap((baseUrl) =>
        kinds.map((kind) =>
          repeat(partner, () => {
            const [path, body] = kind();
            return world.call(path, { idempotency_key: nextKey(), ...body }, { token, baseUrl });
          }),
        ),
      ),
      repeat(operator, () =>
        asOperator(world, "/op/locations/create", { idempotency_key: nextKey(), business_id, name: "Shop" }),
      ),
      repeat(operator, () => asOperator(world, "/op/members/list", { business_id })),
      repeat(operator, () =>
        asOperator(world, "/op/members/adjust-points", {
          idempotency_key: nextKey(),
          business_id,
          contact_id,
          points: 5,
          adjustment_type: "credit",
          reason: "A gift",
        }),
      ),
      repeat(holder, () => {
        const { client_id, client_secret } = credentials;
        return world.call("/sp/auth/token", { client_id, client_secret });
      }),
    ];
    while (replies.length < 200) await new Promise((resolve) => setImmediate(resolve));
    await operatorWrite(world, "/op/businesses/delete", { sandbox_business_id: business_id });
    isOver = true;
    await Promise.all(traffic);
    deleted.push(business_id);
    expect([...partner].sort()).toEqual(["sp_integration_not_found", "success"]);
    expect([...operator].sort()).toEqual(["business_not_found", "success"]);
    expect([...holder].sort()).toEqual(["invalid_client_credentials", "success"]);
  }
  const tables = await world.sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'business_id' AND table_name <> 'audit_entry'`;
  for (const { name } of tables) {
    const left = await world.sql.query(
      `SELECT FROM ${name} WHERE business_id = ANY ('{${deleted.join(",")}}')`,
    );
    expect({ [name]: left.count }).toEqual({ [name]: 0 });
  }
  await second.close();
});

it("deletes the responses of operators' writes about it, and gives its own response again", async () => {
  const [sandbox, other] = [await makeSandbox(world, "2026-01-31"), await makeSandbox(world, "2026-01-31")];
  const { businessId: business_id } = sandbox;
  const person = { first_name: "Quetzalli", last_name: "Ixchelsdottir", phone_number: "+34699123987" };
  const change = { email: "quetzalli@sandbox.example" };
  const send = (path: string, body: object) => {
    const keyed = { idempotency_key: nextKey(), ...body };
    return () => asOperator(world, path, keyed);
  };
  const create = send("/op/members/create", { business_id, ...person });
  const { contact_id } = (await create()).body.data;
  const update = send("/op/members/update", { business_id, contact_id, ...change });
  const kept = send("/op/members/create", { business_id: other.businessId, ...newPerson() });
  const erase = send("/op/businesses/delete", { sandbox_business_id: business_id });
  const [updated, keptText] = [await update(), (await kept()).text];
  expect(updated.body.success, updated.text).toBe(true);
  const texts = [person.first_name, person.phone_number, change.email];
  for (const text of texts) expect(await tablesWith(world.sql, text)).toContain("idempotency_key");
  const { text: deletedText } = await erase();
  for (const text of texts) expect([text, await tablesWith(world.sql, text)]).toEqual([text, []]);
  expect((await erase()).text).toBe(deletedText);
  for (const again of [create, update]) expect((await again()).body.error.code).toBe("business_not_found");
  expect((await kept()).text).toBe(keptText);
});
