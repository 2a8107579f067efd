/** The form of a voucher asks what its kind needs, and codes can be made for it. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

describeInBrowser("vouchers", (launch) => {
  const world = useConsole(launch);

  it("are an amount, a share or an article, with a public code and unique ones", async () => {
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", {
      ...{ idempotency_key: "vouchers", name: "Fashion shop", currency: "EUR" },
    });
    const { page, faults } = await world.open(world.at(`/../${business_id}/vouchers`));
    const dialog = page.getByRole("dialog");
    const box = (label: string) => dialog.getByRole("textbox", { name: label, exact: true });
    await page.getByRole("button", { name: "Add a voucher" }).first().click();
    await box("Name").fill("Summer sale");
    await box("Code").fill("SUMMER");
    const shown = async () => [await box("Value").count(), await box("Percent").count()];
    await expect.poll(shown).toEqual([1, 0]);
    await dialog.getByRole("radio", { name: "A share" }).check();
    await expect.poll(shown).toEqual([0, 1]);
    await box("Percent").fill("20");
    await box("At most").fill("15");
    await box("Public code").fill("SUMMER20");
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await dialog.getByRole("button", { name: "Add a voucher" }).click();
    await dialog.waitFor({ state: "detached" });
    const [made] = await world.call<object[]>("/op/vouchers/list", { business_id });
    expect(made).toMatchObject({ kind: "percent", percent: 20, most_amount: 1500, public_code: "SUMMER20" });
    const row = page.getByRole("row", { name: "Summer sale" });
    await row.getByText("20 %", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Make codes" }).click();
    await box("Count").fill("3");
    await dialog.getByRole("button", { name: "Make codes" }).click();
    await dialog.waitFor({ state: "detached" });
    const { codes } = await world.call<{ codes: object[] }>("/op/exports/codes", { business_id });
    expect(codes).toHaveLength(3);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save codes as CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("codes.csv");
    const [head = "", ...lines] = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(head).toMatch(/^\uFEFFcode_id,code,voucher_name,/);
    // An export begins with the newest.
    const saved = (codes as { code: string }[]).map(({ code }) =>
      expect.stringMatching(`,${code},Summer sale,`),
    );
    expect(lines).toEqual(saved.reverse());
    expect(faults).toEqual([]);
  });
});
