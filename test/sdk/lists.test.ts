import { LoyaltyClient } from "loyalty-sdk";
import { describe, expect, it } from "vitest";
import { insertMember } from "../../src/database/members/members.ts";
import { type Business, newPerson, nothingElse, useWorld } from "../support/world.ts";

const world = useWorld();

async function newShop(): Promise<{ shop: Business; client: LoyaltyClient }> {
  const shop = await world.business("Shop", "Europe/Madrid");
  const { client_id: clientId, client_secret: clientSecret } = shop.everywhere;
  return { shop, client: new LoyaltyClient({ baseUrl: world.baseUrl, clientId, clientSecret }) };
}

async function addMembers({ businessId }: Business, many: number): Promise<number[]> {
  const added: number[] = [];
  for (let n = 0; n < many; n += 1) {
    const person = { ...newPerson(), ...nothingElse };
    added.push((await world.sql.begin((tx) => insertMember(tx, businessId, person))).contact_id);
  }
  return added;
}

describe("a list", () => {
  it("is a promise: it can be raced, caught and followed up", async () => {
    const { shop, client } = await newShop();
    const [contact_id] = await addMembers(shop, 1);
    const [page] = await Promise.all([client.members.list()]);
    expect(page.data).toMatchObject([{ contact_id }]);
    let followed = false;
    await client.members.list().finally(() => {
      followed = true;
    });
    expect(followed).toBe(true);
    const rejected = client.members.list({ per_page: 0 }).catch((error: unknown) => (error as Error).name);
    expect(await rejected).toBe("ValidationError");
  });

  it("is one page when it is awaited, and leads to the next", async () => {
    const { shop, client } = await newShop();
    const all = (await addMembers(shop, 25)).reverse();
    const contacts: number[][] = [];
    let page = (await client.members.list({ per_page: 10 })) as
      | Awaited<ReturnType<typeof client.members.list>>
      | undefined;
    expect(page?.pagination).toMatchObject({ total: 25, current_page: 1, last_page: 3 });
    expect(page?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    for (; page !== undefined; page = await page.next())
      contacts.push(page.data.map((item) => item.contact_id));
    expect(contacts).toEqual([all.slice(0, 10), all.slice(10, 20), all.slice(20)]);
    // It leads to the items behind it, also if others were added.
    const first = await client.members.list({ per_page: 10 });
    await addMembers(shop, 3);
    const second = await first.next();
    expect(second).toMatchObject({ pagination: undefined, hasNext: true });
    expect(second?.data.map((item) => item.contact_id)).toEqual(all.slice(10, 20));
    const stored = await client.members.list({ per_page: 10, after: second?.after as string });
    expect(stored.data.map((item) => item.contact_id)).toEqual(all.slice(20));
    expect(stored).toMatchObject({ after: null, hasNext: false });
  });

  it("sends nothing before it is awaited, and a request a page when it is walked", async () => {
    const { shop } = await newShop();
    await addMembers(shop, 5);
    let sent = 0;
    const client = new LoyaltyClient({
      baseUrl: world.baseUrl,
      accessToken: () => world.token(shop.everywhere),
      fetch: (input, init) => {
        sent += 1;
        return fetch(input, init);
      },
    });
    const list = client.members.list({ per_page: 2 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sent).toBe(0);
    for await (const _ of list) if (sent === 2) break;
    expect(sent).toBe(2);
    for await (const _ of client.members.list()) expect(sent).toBe(3);
  });

  it("that is rejected fails where it is awaited or walked", async () => {
    const { client } = await newShop();
    await expect(client.members.list({ per_page: 101 })).rejects.toMatchObject({ code: "validation_failed" });
    const walk = (async () => {
      for await (const _ of client.members.list({ search: " " })) expect.fail("nothing to give");
    })();
    await expect(walk).rejects.toMatchObject({ errors: [{ field: "search" }] });
  });
});

describe("members", () => {
  it("are walked once each, while others join and leave", async () => {
    const { shop, client } = await newShop();
    const start = await addMembers(shop, 60);
    const given: number[] = [];
    const left = new Set<number>();
    for await (const { contact_id } of client.members.list({ per_page: 7 })) {
      given.push(contact_id);
      if (given.length % 5 === 0) {
        // One that was given leaves and moves the rest up; one that joins moves them back.
        left.add(contact_id);
        await world.deactivate(contact_id);
      }
      if (given.length % 20 === 0) await addMembers(shop, 1);
    }
    expect(new Set(given).size).toBe(given.length);
    const stayed = start.filter((contactId) => !left.has(contactId));
    expect(given).toEqual(expect.arrayContaining(stayed));
  });
});

describe("transactions", () => {
  it("are walked once each, in order, while others are recorded", async () => {
    const { shop, client } = await newShop();
    const contacts = await addMembers(shop, 3);
    const credit = (n: number) =>
      client.rewardPoints.adjust({
        contact_id: contacts[n % 3]!,
        points: 1,
        adjustment_type: "credit",
        reference_id: `receipt-${n}`,
      });
    let recorded = 0;
    for (; recorded < 150; recorded += 30) {
      await Promise.all(Array.from({ length: 30 }, (_, n) => credit(recorded + n)));
    }
    const before: object[] = [];
    for await (const entry of client.transactions.list()) before.push(entry);
    expect(before).toHaveLength(150);

    let walking = true;
    const writer = (async () => {
      while (walking) await credit(recorded++);
    })();
    const given: object[] = [];
    for await (const entry of client.transactions.list({ per_page: 9 })) given.push(entry);
    walking = false;
    await writer;
    expect(recorded).toBeGreaterThan(150);
    // What came in before the first page is in front; then all that was there, once and in its order.
    expect(given.slice(-150)).toEqual(before);
    expect(new Set(given.map((entry) => JSON.stringify(entry))).size).toBe(given.length);
  });
});
