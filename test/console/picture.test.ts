/** The picture of the console in README.md. `PICTURE=1 npx vitest run test/console/picture.test.ts` takes it again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

const root = join(import.meta.dirname, "../..");
const file = "docs/images/console.png";

describeInBrowser("the picture in the README", (launch) => {
  const world = useConsole(launch);

  it("is of the page of a member", async () => {
    const { page, faults } = await world.open(world.at(`/members/${world.demo.contact_ids.at(-2)}`));
    await page.getByRole("heading", { name: "How the balance came about" }).waitFor();
    await page.waitForLoadState("networkidle");
    const picture = await page.screenshot({ animations: "disabled" });
    if (process.env.PICTURE) writeFileSync(join(root, file), picture);
    expect(faults).toEqual([]);
    expect(sizeOf(picture)).toEqual(sizeOf(readFileSync(join(root, file))));
    expect(readFileSync(join(root, "README.md"), "utf8")).toMatch(`](${file})`);
    await page.context().close();
  });
});

/** The width and height of a PNG. */
function sizeOf(png: Buffer): number[] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
