/**
 * The picture of the console in README.md, and those of all pages. `PICTURE=1 npx vitest run test/console/picture.test.ts` takes the
 * one of the README again.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { executablePath } from "../support/browser.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

const root = join(import.meta.dirname, "../..");
const file = "docs/images/console.png";

describeInBrowser("a picture", (launch) => {
  const world = useConsole(launch);

  it("of the page of a member is in the README", async () => {
    await world.sql`UPDATE operator_account SET name = 'anna'`;
    const { page, faults } = await world.open(world.at(`/members/${world.priya}`));
    await page.getByRole("heading", { name: "How the balance came about" }).waitFor();
    await page.waitForLoadState("networkidle");
    const picture = await page.screenshot({ animations: "disabled" });
    if (process.env.PICTURE) writeFileSync(join(root, file), picture);
    expect(faults).toEqual([]);
    expect(sizeOf(picture)).toEqual(sizeOf(readFileSync(join(root, file))));
    expect(readFileSync(join(root, "README.md"), "utf8")).toMatch(`](${file})`);
    expect(picture.length).toBeLessThan(200_000);
    expect(chunksOf(readFileSync(join(root, file)))).toEqual(onlyPixels);
    await page.close();
  });

  it("of pages is made by npm run pictures", async () => {
    const directory = await mkdtemp(join(tmpdir(), "loyalty-pictures-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const { token } = await world.invite();
    const link = `${world.baseUrl}/console/accept#token=${token}`;
    const names = ["today", "imports", "system", "member"];
    const words = [join(root, "scripts/pictures.mjs"), link, directory, ...names];
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      env: { ...process.env, CHROMIUM_PATH: executablePath },
    });
    expect(stdout).toBe("4 pictures: today, imports, system, member\n");
    expect(readdirSync(directory).sort()).toEqual(names.map((name) => `${name}.png`).sort());
    for (const name of names) {
      const picture = readFileSync(join(directory, `${name}.png`));
      expect(sizeOf(picture), name).toEqual([1280, 800]);
      expect(picture.length, name).toBeLessThan(200_000);
      expect(chunksOf(picture), name).toEqual(onlyPixels);
    }
  });
});

/** A picture has no texts, such as paths of the machine that took it. */
const onlyPixels = ["IDAT", "IEND", "IHDR"];

/** The types of the parts of a PNG, except what says how colours look. */
function chunksOf(png: Buffer): string[] {
  const found = new Set<string>();
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    found.add(png.toString("latin1", at + 4, at + 8));
  return [...found].filter((type) => !/^(?:sRGB|gAMA|cHRM|pHYs|sBIT|PLTE)$/.test(type)).sort();
}

/** The width and height of a PNG. */
function sizeOf(png: Buffer): number[] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
