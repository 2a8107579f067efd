import { LoyaltyClient } from "loyalty-sdk";
import { describe, expect, it } from "vitest";
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

  it("explains itself, and says why the service rejects", async () => {
    expect(await runExample(reconcile, ["--help"])).toMatchObject({ status: 0, stderr: "" });
    const shop = await newShop(world);
    const guessing = { ...shop, credentials: { ...shop.credentials, client_secret: "guessed" } };
    const run = await runExample(reconcile, [], guessing, world.baseUrl);
    expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining("invalid_client_credentials") });
  });
});
