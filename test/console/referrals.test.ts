/** A newcomer sets up referrals in the console: what each side gets, the rules, and points. Then a member brings another one. */
import { LoyaltyClient } from "loyalty-sdk";
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";
import { newPerson } from "../support/world.ts";

describeInBrowser("referrals", (launch) => {
  const world = useConsole(launch);

  /** A member brings another one, at a till of the business. @returns the one who was there before, and the points of both, when the referral is granted */
  async function playReferral(business_id: number): Promise<{ old: number; points: number[] }> {
    const write = <Made>(path: string, body: object) =>
      world.call<Made>(path, { business_id, idempotency_key: path, ...body });
    const { location_id } = await write<{ location_id: number }>("/op/locations/create", { name: "Shop" });
    const scopes = ["members.read", "members.write", "wallet.read", "sales.write", "sandbox.write"];
    const { client_id: clientId, client_secret: clientSecret } = await write<
      Record<"client_id" | "client_secret", string>
    >("/op/integrations/create", {
      name: "Till",
      all_locations: true,
      scopes: scopes.map((scope) => `wa.${scope}`),
    });
    const client = new LoyaltyClient({ baseUrl: world.baseUrl, clientId, clientSecret });
    const { contact_id: old } = await client.members.create(newPerson());
    const { referral_code } = await client.referrals.code({ contact_id: old });
    const { contact_id } = await client.members.create(newPerson());
    await client.referrals.create({ contact_id, referral_code });
    await client.sales.record({ contact_id, location_id, amount: 2000 });
    await client.sandbox.clock.advance({ to: "2026-02-03 12:00:00" });
    const members = await Promise.all(
      [contact_id, old].map((one) => client.members.balances({ contact_id: one })),
    );
    return { old, points: members.map(({ points }) => points) };
  }

  it("are set up as two occasions, the rules and points, and then both members get theirs", async () => {
    const sandbox = { sandbox: true, clock_at: "2026-01-13 12:00:00" };
    const business = { idempotency_key: "referrals", name: "Corner café", currency: "EUR", ...sandbox };
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", business);
    const { page, faults } = await world.open(world.at(`/../${business_id}/referrals`));
    await page.getByText("Set up what each side gets as two occasions").waitFor();
    await page.goto(world.at(`/../${business_id}/occasions`));
    const dialog = page.getByRole("dialog");
    const write = (label: string, text: string) =>
      dialog.getByRole("textbox", { name: label, exact: true }).fill(text);
    for (const [kind, points] of [
      ["Was brought by a member", "50"],
      ["Has brought a member", "100"],
    ] as const) {
      await page.getByRole("button", { name: "Add an occasion" }).first().click();
      await write("Name", kind);
      await dialog.getByLabel("Kind").selectOption(kind);
      await write("Points", points);
      expect(await dialog.getByRole("radio", { name: "Active" }).isChecked()).toBe(true);
      expect(await violationsOn(page, openDialog)).toEqual([]);
      await dialog.getByRole("button", { name: "Add an occasion" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("row", { name: kind }).getByText("while points are off").waitFor();
    }
    // A change asks for what the kind needs, which can't be changed.
    await page.getByRole("button", { name: "Edit" }).first().click();
    await dialog.getByRole("textbox", { name: "First day" }).waitFor();
    expect(await dialog.getByLabel("Days before the birthday").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.goto(world.at(`/../${business_id}/rules`));
    await page.getByRole("button", { name: "Change the rules" }).click();
    await write("First sale of a referral, at least", "20");
    await write("Days until referrals count", "21");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await world.call("/op/occasions/list", { business_id })).toMatchObject([
      { kind: "referrer", points: 100, status: "active" },
      { kind: "referred", points: 50, status: "active" },
    ]);
    expect(await world.call("/op/reward-settings/rules/get", { business_id })).toMatchObject({
      referral_minimum_amount: 2000,
      referral_hold_days: 21,
    });
    await page.goto(world.at(`/../${business_id}/setup`));
    await page.getByRole("button", { name: "Set what sales earn" }).click();
    await dialog.getByRole("button", { name: "Set what sales earn" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Set what sales earn" }).waitFor({ state: "detached" });
    await page.goto(world.at(`/../${business_id}/occasions`));
    await page.getByRole("row", { name: "Has brought a member" }).waitFor();
    expect(await page.getByText("while points are off").count()).toBe(0);
    // The new member has the points of its sale, too.
    const { old, points } = await playReferral(business_id);
    expect(points).toEqual([70, 100]);
    await page.goto(world.at(`/../${business_id}/members/${old}`));
    await page.getByRole("cell", { name: "Occasion or bulk grant", exact: true }).waitFor();
    expect(faults).toEqual([]);
  });
});
