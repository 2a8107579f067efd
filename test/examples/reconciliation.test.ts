import { LoyaltyClient } from "loyalty-sdk";
import { describe, expect, it } from "vitest";
import { startFaultyProxy } from "../support/faulty-proxy.ts";
import { dayOf, zoneOfAnotherDay } from "../support/local-times.ts";
import { newPerson, useWorld } from "../support/world.ts";
import { newShop, runExample, type Shop, useFolder } from "./programs.ts";

const world = useWorld();
const folder = useFolder();
const reconcile = "reconciliation/reconcile.mjs";
const timeZone = zoneOfAnotherDay();
const today = dayOf(Date.now(), timeZone);
const tomorrow = dayOf(Date.now() + 24 * 3_600_000, timeZone);
const untilTomorrow = ["--until", tomorrow];

const clientOf = ({ credentials: { client_id: clientId, client_secret: clientSecret } }: Shop) =>
  new LoyaltyClient({ baseUrl: world.baseUrl, clientId, clientSecret });

interface Line {
  readonly reference: string;
  readonly contactId: number;
  readonly points: number;
}

const bookOf = (lines: readonly Line[]) =>
  [
    "day,reference_id,contact_id,points",
    ...lines.map(({ reference, contactId, points }) => `${today},${reference},${contactId},${points}`),
  ].join("\n");

/** A shop that has recorded points, wallet money and what its book says of the points. */
async function tradingShop(credits: number): Promise<{ shop: Shop; lines: Line[]; contactId: number }> {
  const shop = await newShop(world, timeZone);
  const client = clientOf(shop);
  const { contact_id: contactId } = await client.members.create(newPerson());
  const [location] = await world.sql<{ location_id: number }[]>`
    INSERT INTO location (business_id, name) VALUES (${shop.businessId}, 'Shop') RETURNING location_id`;
  const wallet = { contact_id: contactId, location_id: location!.location_id, amount: 900 };
  await client.wallet.adjust({ ...wallet, adjustment_type: "credit" });
  const lines = Array.from({ length: credits }, (_, n) => ({
    reference: `receipt-${n}`,
    contactId,
    points: n + 1,
  }));
  await Promise.all(
    lines.map(({ reference, points }) =>
      client.rewardPoints.adjust({
        contact_id: contactId,
        points,
        adjustment_type: "credit",
        reference_id: reference,
      }),
    ),
  );
  return { shop, lines, contactId };
}

describe("the reconciliation", () => {
  it("sums up the whole ledger by kind, and agrees with a book that is right", async () => {
    const { shop, lines } = await tradingShop(230);
    const book = await folder.write("right.csv", bookOf(lines));
    const run = await runExample(reconcile, [book, ...untilTomorrow], shop, world.baseUrl);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toContain(`The ledger through ${tomorrow}: 231 entries.`);
    expect(run.stdout).toMatch(/^ {2}reward_points_adjustment +230 +26565$/m);
    expect(run.stdout).toMatch(/^ {2}wallet_adjustment +1 +900$/m);
    expect(run.stdout).toContain("The book agrees: 230 lines.");
  });

  it("tells every difference", async () => {
    const { shop, lines, contactId } = await tradingShop(5);
    const [, second, third, ...rest] = lines as [Line, Line, Line, ...Line[]];
    const again = { points: 7, adjustment_type: "credit", reference_id: third.reference } as const;
    await clientOf(shop).rewardPoints.adjust({ contact_id: contactId, ...again });
    const wrong = [
      { ...second, points: 9 },
      third,
      ...rest,
      { reference: "receipt-99", contactId, points: 3 },
    ];
    const book = await folder.write("wrong.csv", bookOf(wrong));
    const run = await runExample(reconcile, [book, ...untilTomorrow], shop, world.baseUrl);
    expect(run.status).toBe(1);
    const told = run.stderr.split("\n").filter((line) => line.startsWith("  "));
    expect(told.sort()).toEqual([
      expect.stringMatching(`^ {2}receipt-0: 1 of contact ${contactId}, .{19}, not in the book$`),
      `  receipt-1: 2 of contact ${contactId}; the book says 9 of ${contactId}`,
      "  receipt-2: 2 times in the ledger",
      `  receipt-2: 7 of contact ${contactId}; the book says 3 of ${contactId}`,
      "  receipt-99: not in the ledger",
    ]);
    expect(run.stderr).toContain("5 lines, 5 differences");
  });

  it("stops at yesterday unless it is told otherwise", async () => {
    const { shop, lines } = await tradingShop(3);
    const book = await folder.write("of-today.csv", bookOf(lines));
    const run = await runExample(reconcile, [book], shop, world.baseUrl);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    const [, day] = /through (\S+): 0 entries/.exec(run.stdout)!;
    expect(day).toBe(dayOf(Date.now() - 24 * 3_600_000, timeZone));
    expect(run.stdout).toContain("The book agrees: 0 lines.");
  });

  it("begins again when older entries come in during the walk, and gives up when they go on coming", async () => {
    const { shop, lines } = await tradingShop(150);
    const book = await folder.write("imported.csv", bookOf(lines));
    const page = (total: number, current_page: number) => {
      const entry = (n: number) => ({
        event_type: "reward_points_adjustment",
        contact_id: lines[0]!.contactId,
        reference_id: `receipt-${n}`,
        amount: n + 1,
        balance_after: n,
        created_at: `${today} 12:00:00`,
      });
      const pagination = { total, per_page: 100, current_page, last_page: 2, from: 1, to: total };
      const first = (current_page - 1) * 100;
      const data = Array.from({ length: Math.min(100, total - first) }, (_, n) => entry(first + n));
      return {
        status: 200,
        body: JSON.stringify({ success: true, message: "", data, meta: { pagination } }),
      };
    };
    for (const [spoilt, expected] of [
      [1, { status: 0, stdout: expect.stringContaining("The book agrees: 150 lines.") }],
      [9, { status: 1, stdout: "" }],
    ] as const) {
      let lists = 0;
      // The second page of a spoilt walk tells of more entries, but none has moved.
      const proxy = await startFaultyProxy(world.baseUrl, ({ path }) => {
        if (path !== "/sp/transactions/list") return "pass";
        lists += 1;
        return page(lists % 2 === 0 && lists / 2 <= spoilt ? 151 : 150, lists % 2 === 0 ? 2 : 1);
      });
      const run = await runExample(reconcile, [book, ...untilTomorrow], shop, proxy.baseUrl);
      await proxy.close();
      expect(run).toMatchObject(expected);
      expect(run.stderr.match(/once more/g)).toHaveLength(Math.min(spoilt, 2));
    }
  });

  it.each([
    { book: "day,reference_id,contact_id\n2026-01-01,a,1", says: "line 2: points missing" },
    { book: "day,reference_id,contact_id,points\n2026-01-01,a,1,1.5", says: "line 2: not a day" },
    {
      book: "day,reference_id,contact_id,points\n2026-01-01,a,1,1\n2026-01-01,a,1,1",
      says: "line 3: a again",
    },
    { book: 'day,reference_id\n"a', says: "broken.csv: " },
  ])("says what is wrong with a book: $says", async ({ book, says }) => {
    const shop = await newShop(world);
    const path = await folder.write("broken.csv", book);
    const run = await runExample(reconcile, [path, ...untilTomorrow], shop, world.baseUrl);
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining(says) });
  });

  it.each([
    { args: ["--until", "yesterday"], says: "--until must be a day" },
    { args: ["a.csv", "b.csv"], says: "Give one book" },
    { args: ["--fast"], says: "Unknown option" },
    { args: ["--demo-file", "missing.json"], says: "missing.json can't be read" },
  ])("says what is wrong with $args", async ({ args, says }) => {
    const run = await runExample(reconcile, args);
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining(says) });
  });

  it("explains itself, and says why the service refuses", async () => {
    expect(await runExample(reconcile, ["--help"])).toMatchObject({ status: 0, stderr: "" });
    const shop = await newShop(world);
    const stranger = { ...shop, credentials: { ...shop.credentials, client_secret: "guessed" } };
    const run = await runExample(reconcile, [], stranger, world.baseUrl);
    expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining("invalid_client_credentials") });
  });
});
