/** `loyalty call`: requests to the partner API from the command line. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

beforeAll(async () => {
  const { client_id, client_secret } = world.home.everywhere;
  const demo = { base_url: world.baseUrl, client_id, client_secret, sandbox: world.away.everywhere };
  await mkdir(join(cli.directory, "data"));
  await writeFile(join(cli.directory, "data/demo.json"), JSON.stringify(demo));
});
const environment = { LOYALTY_URL: "", LOYALTY_OPERATOR_KEY: "" };
const call = (...words: string[]) => cli.run(["call", ...words], { environment });

describe("loyalty call", () => {
  it("takes the demo's credentials, and prints the response for people or for programs", async () => {
    const contact_id = await world.member();
    const pretty = await call("/sp/members/get", `{"contact_id": ${contact_id}}`);
    expect(pretty).toMatchObject({ code: 0, err: "" });
    expect(pretty.out).toMatch(/^\{\n {2}"success": true,\n/);
    expect(JSON.parse(pretty.out).data).toMatchObject({ contact_id });
    const plain = await call("/sp/members/get", `{"contact_id": ${contact_id}}`, "--json");
    expect(plain.out.split("\n")).toHaveLength(2);
    expect(JSON.parse(plain.out)).toEqual(JSON.parse(pretty.out));
    // The sandbox is another business.
    const elsewhere = await call("/sp/members/get", `{"contact_id": ${contact_id}}`, "--sandbox");
    expect(elsewhere).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(elsewhere.err)).toMatchObject({ success: false, error: { code: "member_not_found" } });
  });

  it("gives a write a key, or takes the one that it is given", async () => {
    const contact_id = await world.member();
    const credit = (key?: string) =>
      call(
        "/sp/reward-points/adjust",
        JSON.stringify({ idempotency_key: key, contact_id, points: 5, adjustment_type: "credit" }),
      );
    for (const key of [undefined, undefined, "once", "once"])
      expect(await credit(key)).toMatchObject({ code: 0 });
    const listed = await call("/sp/transactions/list", `{"contact_id": ${contact_id}}`);
    expect(JSON.parse(listed.out).meta.pagination.total).toBe(3);
  });

  it("takes an integration by its client_id, and the secret from the environment", async () => {
    const { client_id, client_secret } = world.home.everywhere;
    const words = ["call", "/sp/member-tiers/list", "--client-id", client_id];
    const named = { LOYALTY_URL: world.baseUrl, LOYALTY_CLIENT_SECRET: client_secret };
    expect(await cli.run(words, { environment: named, directory: "/" })).toMatchObject({ code: 0 });
    expect(await cli.run(words, { environment })).toMatchObject({
      code: 2,
      err: "Set LOYALTY_CLIENT_SECRET to the secret of the integration.\n",
    });
    const far = { ...named, LOYALTY_URL: "http://loyalty.example" };
    expect(await cli.run(words, { environment: far })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Over plain HTTP, anyone on the network/),
    });
  });

  it("prints the token itself", async () => {
    const { out } = await call("/sp/auth/token");
    expect(JSON.parse(out).data.access_token).toMatch(/\../);
  });

  it.each([
    [["/sp/members/lists"], "The partner API has no operation /sp/members/lists."],
    [["/sp/members/list", "[]"], "The body must be a JSON object such as '{\"per_page\": 2}', not []"],
    [
      ["/sp/members/list", "{per_page: 2}"],
      "The body must be a JSON object such as '{\"per_page\": 2}', not {per_page: 2}",
    ],
  ])("says what is wrong with %j", async (words, said) => {
    const { code, err } = await call(...words);
    expect([code, err.split("\n")[0]]).toEqual([2, said]);
  });

  it.each([
    ["/sp/member/list", "/sp/members/list"],
    ["sp/members/list", "/sp/members/list"],
    ["/api/sp/wallet/adjust/", "/sp/wallet/adjust"],
  ])("finds out that %s means %s", async (path, meant) => {
    expect((await call(path)).err).toContain(`\nDid you mean ${meant}?\n`);
  });

  it("tells of a response that is replayed", async () => {
    const [contact_id, location_id] = [await world.member(), world.home.locationIds[0]];
    const money = { contact_id, location_id, amount: 5, adjustment_type: "credit" };
    const body = JSON.stringify({ idempotency_key: `call-${contact_id}`, ...money });
    expect((await call("/sp/wallet/adjust", body)).err).toBe("");
    expect((await call("/sp/wallet/adjust", body)).err).toMatch(/^Replayed: /);
  });

  it("says where there is no demo business", async () => {
    const outcome = await cli.run(["call", "/sp/members/list"], { environment, directory: "/" });
    expect(outcome).toMatchObject({ code: 2, err: expect.stringMatching(/^There is no demo business: /) });
  });

  it("takes the address of --url", async () => {
    const { code, err } = await call("/sp/members/list", "--url", "http://127.0.0.1:9/api");
    expect(code).toBe(3);
    expect(err).toMatch(/^The service does not respond at http:\/\/127\.0\.0\.1:9\/api /);
  });
});
