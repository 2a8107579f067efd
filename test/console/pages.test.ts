/** Every page of the console in a browser: it fits, it can be used by everybody, and it keeps to its policy. */
import { AxeBuilder } from "@axe-core/playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { type Look, type OpenPage, useConsole } from "../support/console.ts";

/** The addresses of all pages, below the business. `%member` is a member with a history. */
const pages = ["/members", "/members?search=no-such-member", "/members/%member"];

const widths = [360, 768, 1280];
const looks = widths.flatMap((width) =>
  (["light", "dark"] as const).map((scheme): Look => ({ width, height: 800, scheme })),
);

describeInBrowser("the pages of the console", (launch) => {
  const world = useConsole(launch);
  const addressOf = (path: string) =>
    world.at(path.replace("%member", String(world.demo.contact_ids.at(-2))));

  describe.each(looks)("at $width pixels, $scheme", (look) => {
    // One tab for all pages: opening one takes longer than a page.
    let tab: OpenPage;
    beforeAll(async () => {
      tab = await world.open(world.at(""), look);
    });
    afterAll(() => tab.page.context().close());

    it.each(pages)("%s is fine", async (path) => {
      const { page, faults } = tab;
      await page.goto(addressOf(path));
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`)).toEqual(
        [],
      );
      expect(faults).toEqual([]);
    });
  });
});
