/** The logo of a business: who can see it, and what shows it. */
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { picture } from "../../src/http/wallet/picture.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { walletSetUp } from "../support/pass-certificates.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let page = "";
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-03-02 10:00:00");
  page = (await shop.write("/sp/members/page-link", { contact_id: await shop.member() })).page_path;
});

const ofShop = (more: object) => ({ business_id: shop.businessId, ...more });
const base64 = (side: number, blue = 0) => picture(side, [200, 40, blue]).toString("base64");
const setLogo = async (logo: string | null): Promise<string> =>
  (await operatorWrite(world, "/op/businesses/logo", ofShop({ logo }))).logo_path;
const get = (path: string) => fetch(world.baseUrl + path);

async function problemOf(logo: string): Promise<string> {
  const body = { idempotency_key: nextKey(), ...ofShop({ logo }) };
  const reply = await asOperator(world, "/op/businesses/logo", body);
  expect(reply.body.error.code).toBe("validation_failed");
  return reply.body.error.details.errors[0].message;
}

describe("the logo", () => {
  it("is on the page of a member, from an address that browsers may keep", async () => {
    const path = await setLogo(base64(128));
    const html = await (await get(page)).text();
    expect(html).toContain(`<img src="/api${path}" alt=""`);
    expect(html).toContain(`<link rel="icon" href="/api${path}">`);
    const file = await get(path);
    expect(file.headers.get("content-type")).toBe("image/png");
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(Buffer.from(await file.arrayBuffer()).toString("base64")).toBe(base64(128));
    const manifest = (await (await get(`${page}/app.webmanifest`)).json()) as { icons: unknown };
    expect(manifest.icons).toEqual([
      { src: `/api${path}`, sizes: "any", type: "image/png" },
      { src: `/api${page}/icon.svg`, sizes: "any", type: "image/svg+xml" },
    ]);
  });

  it("has another address when it is another one, and none when it is removed", async () => {
    const first = await setLogo(base64(64));
    expect(await setLogo(base64(64))).toBe(first);
    const second = await setLogo(base64(64, 9));
    expect(second).not.toBe(first);
    expect([(await get(first)).status, (await get(second)).status]).toEqual([404, 200]);
    expect(await setLogo(null)).toBeNull();
    expect((await get(second)).status).toBe(404);
    expect(await (await get(page)).text()).not.toContain("<img");
  });

  it("is found by no other address", async () => {
    const path = await setLogo(base64(64));
    const other = await makeSandbox(world, "2026-03-02 10:00:00");
    const elsewhere = path.replace(`/${shop.businessId}.`, `/${other.businessId}.`);
    const guesses = [
      elsewhere,
      path.replace(/.\/logo/, "/logo"),
      path.replace("/logo.png", ""),
      `${page}/logo.png`,
    ];
    for (const guess of guesses) expect((await get(guess)).status, guess).toBe(404);
  });

  it("is on passes for Apple Wallet, which change with it", async () => {
    await operatorWrite(world, "/op/apple-wallet/set-up", ofShop(walletSetUp()));
    const filesOf = async () => {
      const file = await get(`${page}/card.pkpass`);
      return unzipSync(new Uint8Array(await file.arrayBuffer()));
    };
    await setLogo(null);
    const drawn = await filesOf();
    await setLogo(base64(150));
    const files = await filesOf();
    for (const name of ["logo.png", "icon.png"]) {
      expect(Buffer.from(files[name] ?? []).toString("base64")).toBe(base64(150));
      expect(drawn[name]).not.toEqual(files[name]);
    }
  });

  it("must be a square PNG that is whole and not too large", async () => {
    const wide = picture(64, [0, 0, 0]);
    wide.writeUInt32BE(65, 16);
    const large = Buffer.concat([
      picture(64, [0, 0, 0]).subarray(0, 33),
      Buffer.alloc(29_960),
      picture(64, [0, 0, 0]).subarray(-12),
    ]);
    expect(await problemOf(Buffer.from("GIF89a").toString("base64"))).toContain("must be a PNG file");
    expect(await problemOf("AAA")).toContain("must be in Base64");
    expect(await problemOf(picture(64, [1, 2, 3]).subarray(0, -3).toString("base64"))).toContain(
      "is not whole",
    );
    expect(await problemOf(wide.toString("base64"))).toContain("this is 65 × 64");
    expect(await problemOf(base64(32))).toContain("sides of 64 to 1024 pixels");
    expect(await problemOf(large.subarray(0, -1).toString("base64"))).toContain("is not whole");
    expect(await problemOf(large.toString("base64"))).toContain("must have at most 30000 bytes");
  });
});
