/** What the till of examples/ shows of a member. */
import { expect, it } from "vitest";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { scanText } from "../support/scanning.ts";
import { newPerson, useWorld } from "../support/world.ts";
import { runExample } from "./programs.ts";

const world = useWorld();

it("shows the tier, the way to the next one, and the vouchers that the member holds", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const tier = { business_id, expiry: 6, expiry_period: "month" };
  await operatorWrite(world, "/op/tiers/create", { ...tier, name: "Silver", qualifying_sales: 5000 });
  await operatorWrite(world, "/op/tiers/create", { ...tier, name: "Gold", qualifying_sales: 20_000 });
  const voucher = { business_id, campaign_name: "Sorry", coupon_code: "SORRY", coupon_value: 450 };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", voucher);
  const person = { ...newPerson(), first_name: "Ana", last_name: "Ruiz" };
  const contact_id = await world.member(person, shop.credentials);
  const showWithPage = async (scanned = person.phone_number) => {
    const { status, stdout, stderr } = await runExample(
      "till/till.mjs",
      ["--show", scanned],
      shop,
      world.baseUrl,
    );
    expect(status, stderr).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    const at = lines.findIndex((line) => line.startsWith("Page: "));
    return [lines.slice(0, at), lines.slice(at)] as const;
  };
  const show = async (scanned?: string) => (await showWithPage(scanned))[0];
  const [found, page] = await showWithPage();
  expect(found).toEqual([
    ...["Ana Ruiz", "Wallet 0.00, Stars 0", "No tier", "50.00 more reaches Silver", "No vouchers"],
  ]);
  const address = page[0]?.replace("Page: ", "") as string;
  expect((await fetch(address)).status).toBe(200);
  expect(scanText(page.slice(1))).toBe(address);
  await shop.write("/sp/sales/record", { contact_id, location_id, amount: 6000 });
  await shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
  const { card_code } = await shop.write("/sp/cards/create", { contact_id, kind: "app" });
  expect((await show(card_code.replace(/(....)/g, "$1 "))).slice(0, 2)).toEqual([
    "Ana Ruiz",
    "Wallet 0.00, points 50",
  ]);
  const lines = await show();
  expect(lines.slice(0, 3)).toEqual(["Ana Ruiz", "Wallet 0.00, Stars 50", "Silver through 2026-07-10"]);
  expect(lines).toContainEqual(expect.stringMatching(/^140\.00 more by 20\d\d-\d\d-\d\d reaches Gold$/));
  expect(lines.at(-1)).toMatch(/^Voucher \d+: Sorry \(SORRY\), 4\.50$/);
});

it("pays with a gift card in two parts, each once, and prints what is left", async () => {
  const shop = await makeSandbox(world, "2026-03-02 09:00:00");
  await shop.rules({ gift_validity: 5, gift_validity_period: "year" });
  const gift = { location_id: shop.locationId, kind: "gift", amount: 2000 };
  const { card_code } = await shop.write("/sp/cards/issue", gift);
  const pay = async (amount: string, receipt: string) => {
    const of = ["--card", card_code, "--pay", amount, "--receipt", receipt];
    const options = [...of, "--location", String(shop.locationId)];
    const { stdout, stderr } = await runExample("till/till.mjs", options, shop, world.baseUrl);
    expect(stderr).toBe("");
    return stdout.trimEnd().split("\n");
  };
  const first = ["Receipt 1: 12.50 paid with the card", "Left on the card: 7.50, through 2031-03-02"];
  expect(await pay("12.50", "1")).toEqual(first);
  expect(await pay("12.50", "1")).toEqual(first);
  expect(await pay("10", "2")).toEqual([
    "Receipt 2: 7.50 paid with the card, 2.50 still due",
    "Left on the card: 0.00, through 2031-03-02",
  ]);
  expect(await pay("10", "3")).toEqual(["Nothing is left on the card. Nothing was recorded."]);
  expect(await shop.ask("/sp/sales/list", { reference_id: "receipt/3" })).toEqual([]);
});

it("lets a member bring another one, and both get something when the first purchase was kept", async () => {
  const shop = await makeSandbox(world, "2026-03-02 09:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  for (const kind of ["referred", "referrer"])
    await operatorWrite(world, "/op/occasions/create", { business_id, name: kind, kind, points: 100 });
  await shop.rules({ referral_minimum_amount: 2000, referral_hold_days: 14 });
  const ana = { ...newPerson(), first_name: "Ana", last_name: "Ruiz" };
  await world.member(ana, shop.credentials);
  const till = async (...options: string[]) => {
    const { stdout, stderr } = await runExample("till/till.mjs", options, shop, world.baseUrl);
    expect(stderr).toBe("");
    return stdout.trimEnd();
  };
  const [, code = ""] =
    /^The code of Ana Ruiz: (\w{8})$/.exec(await till("--invite", ana.phone_number)) ?? [];
  expect(await till("--invite", ana.phone_number)).toContain(code);
  const buy = async (name: string, amount: number) => {
    const { phone_number } = newPerson();
    const join = () => till("--join", phone_number, "--name", name, "--code", code.toLowerCase());
    const joined = await join();
    expect(joined).toBe(
      `${name} was brought: both get something when the first purchase is large enough and kept`,
    );
    expect(await join()).toBe(joined);
    const { contact_id } = await shop.ask("/sp/members/find", { phone_number });
    const { sale_id } = await shop.write("/sp/sales/record", { contact_id, location_id, amount });
    return { join, sale_id, points: () => till("--show", phone_number) };
  };
  const [ben, carl] = [await buy("Ben Gil", 2500), await buy("Carl Gil", 2500)];
  expect(await ben.join()).toBe("Ben Gil was brought: the purchase counts if it is kept until 2026-03-16");
  // A refund within the days of hold leaves nothing.
  await shop.write("/sp/sales/refund", { sale_id: carl.sale_id, location_id });
  await shop.advance("2026-03-16 12:00:00");
  expect(await ben.join()).toBe("Ben Gil was brought: both have got something");
  expect(await carl.join()).toBe(
    "Carl Gil was brought: nobody gets anything: the purchase was too small or not kept, or the two members were merged",
  );
  expect([await ben.points(), await carl.points(), await till("--show", ana.phone_number)]).toEqual([
    expect.stringContaining("Stars 125"),
    expect.stringContaining("Stars 0"),
    expect.stringContaining("Stars 100"),
  ]);
});

it("rejects a number and a file together", async () => {
  const { status, stderr } = await runExample("till/till.mjs", ["--show", "+34600111222", "purchases.txt"]);
  expect([status, stderr]).toEqual([2, "Give a file or --show, not both. See --help.\n"]);
  const half = await runExample("till/till.mjs", ["--card", "GC0000001", "--pay", "1"]);
  expect([half.status, half.stderr]).toEqual([2, "Give --card, --pay and --receipt together. See --help.\n"]);
  const named = (name: string) => ["--join", "+34600111222", "--name", name, "--code", "7KQ2M0XR"];
  const alone = await runExample("till/till.mjs", named(" Ana "));
  expect([alone.status, alone.stderr]).toEqual([
    2,
    'Give the first name and the family name as --name, such as "Ana Ruiz". See --help.\n',
  ]);
});
