/** A newcomer sets up referrals in the console: what each side gets, and the rules. */
import { expect, it } from "vitest";
import { violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

describeInBrowser("referrals", (launch) => {
  const world = useConsole(launch);

  it("are set up as two occasions and the rules", async () => {
    const business = { idempotency_key: "referrals", name: "Corner café", currency: "EUR" };
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
      expect(await violationsOn(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Add an occasion" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("row", { name: kind }).waitFor();
    }
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
    expect(faults).toEqual([]);
  });
});
