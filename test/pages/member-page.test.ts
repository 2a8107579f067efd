/** The pages of members: what they show and to whom, how they look, and that scanners read their codes. */
import { beforeAll, describe, expect, it } from "vitest";
import type { MemberPage, PagePromotion, PageReason } from "../../src/contract/member-page.ts";
import { deriveKeys, hashSecret } from "../../src/credentials/keys.ts";
import type { Share } from "../../src/database/connection.ts";
import { putPage } from "../../src/database/members/pages.ts";
import { OverloadedError } from "../../src/domain/fair-queue.ts";
import { mostLogoBytes } from "../../src/domain/logos.ts";
import { errorPagesAt, memberPagesAt } from "../../src/http/member-page.ts";
import { memberPages } from "../../src/operations/members/member-page.ts";
import { violationsOn } from "../support/accessibility.ts";
import { closePages, describeInBrowser } from "../support/chromium.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { scan } from "../support/scanning.ts";
import { testSecret, useWorld } from "../support/world.ts";

const previousSecret = "a previous secret for tests, long enough";
const world = useWorld({ LOYALTY_SECRET_PREVIOUS: previousSecret });
let shop: Sandbox;

const linkOf = async (contact_id: number, replace?: boolean): Promise<string> =>
  (await shop.write("/sp/members/page-link", { contact_id, ...(replace && { replace }) })).page_path;
const get = (path: string, language = "en") =>
  world.call(path, undefined, { method: "GET", headers: { "accept-language": language } });

/** A member with points, money, vouchers, a stamp card and a card. */
async function makeRichMember(vouchers = 1, number?: string) {
  const business = { business_id: shop.businessId };
  const contact_id = await shop.member();
  const { card_code } = await shop.write("/sp/cards/create", {
    ...{ contact_id, kind: "app", card_code: number },
  });
  const { location_id } = { location_id: shop.locationId };
  const voucher = {
    ...business,
    campaign_name: `Free coffee <b> ${contact_id}`,
    validity: 3,
    validity_period: "month",
  };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
    ...{ ...voucher, coupon_code: `COFFEE${contact_id}`, kind: "value", coupon_value: 350 },
  });
  for (let number = 0; number < vouchers; number++)
    await operatorWrite(world, "/op/vouchers/issue", {
      ...business,
      contact_id,
      voucher_id,
      reason: "A gift",
    });
  const stamps = {
    ...business,
    name: `Coffee card ${contact_id}`,
    stamps_needed: 9,
    voucher_id,
    counts: "visit",
  };
  await operatorWrite(world, "/op/stamp-cards/create", { ...stamps, status: "active" });
  await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 2550 });
  await shop.write("/sp/sales/record", { contact_id, location_id, amount: 4200 });
  return { contact_id, card_code };
}

beforeAll(async () => {
  shop = await makeSandbox(world, "2026-03-02 10:00:00");
});

describe("the page of a member", () => {
  it("shows what the operations answer at that moment, and nothing else about the person", async () => {
    const { contact_id, card_code } = await makeRichMember();
    const { status, headers, text } = await get(await linkOf(contact_id));
    expect(status).toBe(200);
    const [balances, stampCards, vouchers, member] = await Promise.all([
      shop.ask("/sp/members/balances", { contact_id }),
      shop.ask("/sp/stamp-cards/list", { contact_id }),
      shop.ask("/sp/vouchers/list", { contact_id, status: "held" }),
      shop.ask("/sp/members/get", { contact_id }),
    ]);
    const money = (amount: number) =>
      new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).format(amount / 100);
    expect(balances.wallet).toBe(2550);
    expect(text).toContain(`>${balances.points}</p>`);
    expect(text).toContain(money(balances.wallet));
    for (const one of vouchers) expect(text).toContain(`<code>${one.coupon_code}</code>`);
    expect(vouchers).not.toHaveLength(0);
    expect(text).toContain("Free coffee &lt;b&gt;");
    for (const one of stampCards) expect(text).toContain(`${one.stamps} / ${one.stamps_needed}`);
    expect(stampCards).not.toHaveLength(0);
    expect(text).toContain(card_code.replace(/\d{4}(?=\d)/g, "$& "));
    expect(text).toContain(member.first_name);
    const [earned] = await shop.ask("/sp/transactions/list", {
      contact_id,
      event_types: ["reward_points_earned"],
    });
    expect(text).toContain(`<div>+${earned.amount}</div>`);
    for (const personal of [member.last_name, member.phone_number, member.email].filter(Boolean))
      expect(text).not.toContain(personal);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
    expect(text).not.toMatch(/<script|<form|<input|<iframe|\son\w+=|style="/);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{
        "cache-control": "no-store",
        "x-robots-tag": "noindex, nofollow",
        "referrer-policy": "no-referrer",
      },
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/,
      ),
    });
    await shop.write("/sp/wallet/pay", { contact_id, location_id: shop.locationId, amount: 50 });
    expect((await get(await linkOf(contact_id))).text).toContain(money(2500));
  });

  it("calls money of a card that was joined and money that expired what they are", async () => {
    const contact_id = await shop.member();
    const issued = { location_id: shop.locationId, kind: "gift", amount: 500 };
    const joined = await shop.write("/sp/cards/issue", issued);
    await shop.write("/sp/cards/claim", { card_code: joined.card_code, contact_id });
    expect((await get(await linkOf(contact_id))).text).toMatch(
      /From a card<p[^>]*>[^<]+<\/p><\/div><div>\+€5\.00</,
    );
    const gift = await shop.write("/sp/cards/issue", issued);
    await world.sql`
      UPDATE account SET lapses_on = '2026-01-01' WHERE contact_id = ${gift.contact_id} AND account = 'wallet'`;
    const pay = { contact_id: gift.contact_id, location_id: shop.locationId, amount: 50 };
    expect((await shop.rejected("/sp/wallet/pay", pay)).code).toBe("insufficient_balance");
    const page = await linkOf(gift.contact_id);
    expect((await get(page)).text).toMatch(/Gift card expired<p[^>]*>[^<]+<\/p><\/div><div>-€5\.00</);
    expect((await get(page, "es")).text).toContain("Tarjeta regalo caducada");
  });

  it("is in the language that the browser prefers", async () => {
    const page = await linkOf(await shop.member());
    const language = async (asked: string) => (await get(page, asked)).headers.get("content-language");
    expect(await language("en;q=0.3, de-AT;q=0.9")).toBe("de");
    expect(await language("de;q=0, it, fr;q=0.1")).toBe("fr");
  });

  it("is a page in words also when it can't be shown", async () => {
    const page = await linkOf(await shop.member());
    const wrong = await get(`${page}/nothing`, "de");
    expect([wrong.status, wrong.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(wrong.text).toContain("nicht mehr gültig");
    const errorPage = errorPagesAt("/api");
    const shown = (status: number, path = "/api/card/1.x/card.pkpass") =>
      errorPage(path, { "accept-language": "fr" }, status);
    for (const status of [429, 500, 503])
      expect(shown(status)).toMatchObject({
        status,
        body: expect.stringContaining("ne peut pas être affichée"),
      });
    expect(shown(400)).toMatchObject({ status: 404, body: expect.stringContaining("n’est plus valable") });
    expect(shown(503, "/api/wallet/apple/1/v1/passes/x/y")).toBeUndefined();
  });

  it("keeps its address after another secret of the service, and then has that of the new one", async () => {
    const contact_id = await shop.member();
    const name = (generation: number) => `${shop.businessId} ${contact_id} ${generation}`;
    const [before, now] = [deriveKeys(previousSecret), deriveKeys(testSecret)];
    const address = `/card/${shop.businessId}.${before.pageToken(name(1))}`;
    await world.sql.begin((tx) =>
      putPage(tx, shop.businessId, contact_id, {
        ...{ generation: 1, token_hash: hashSecret(before.pageToken(name(1))) },
      }),
    );
    expect([await linkOf(contact_id), await linkOf(contact_id)]).toEqual([address, address]);
    expect((await get(address)).status).toBe(200);
    const replaced = await linkOf(contact_id, true);
    expect(replaced).toBe(`/card/${shop.businessId}.${now.pageToken(name(2))}`);
    expect([await linkOf(contact_id), (await get(address)).status]).toEqual([replaced, 404]);
  });

  it("has a code: a member that never had a card gets one, and one that was blocked stays so", async () => {
    const contact_id = await shop.member();
    const cards = () => shop.ask("/sp/cards/list", { contact_id });
    const page = await linkOf(contact_id);
    const [card] = await cards();
    expect(card).toMatchObject({ kind: "app", status: "active" });
    expect((await get(page)).text).toContain(card.card_code.replace(/\d{4}(?=\d)/g, "$& "));
    await linkOf(contact_id);
    expect(await cards()).toHaveLength(1);
    await shop.write("/sp/cards/block", { card_code: card.card_code });
    await linkOf(contact_id);
    expect((await cards()).map(({ status }: { status: string }) => status)).toEqual(["blocked"]);
    const issued = { location_id: shop.locationId, kind: "gift", amount: 500 };
    const gift = await shop.write("/sp/cards/issue", issued);
    await shop.write("/sp/cards/block", { card_code: gift.card_code });
    await linkOf(gift.contact_id);
    expect(await shop.ask("/sp/cards/list", { contact_id: gift.contact_id })).toHaveLength(1);
  });

  it("says what promotions give, why a purchase earned its points, and until when the money of a gift card can be used", async () => {
    const business = { business_id: shop.businessId };
    const contact_id = await shop.member();
    const promotion = { ...business, name: "Double <i>", multiply: 200, weekdays: [1, 2] };
    await operatorWrite(world, "/op/promotions/create", {
      ...{
        ...promotion,
        from_time: "09:00",
        until_time: "17:00",
        categories: ["coffee"],
        minimum_amount: 200,
      },
    });
    const sale = { contact_id, location_id: shop.locationId, amount: 1000 };
    await shop.write("/sp/sales/record", { ...sale, lines: [{ category: "coffee", amount: 1000 }] });
    const path = await linkOf(contact_id);
    const { text } = await get(path, "de");
    const points = (await shop.ask("/sp/members/balances", { contact_id })).points as number;
    expect(text).toContain(
      `<p class="dim">2 × <bdi>Stars</bdi> · <bdi>coffee</bdi> · ab 2,00\u00A0€ · Mo Di · 09:00–17:00</p>`,
    );
    expect(text).toContain(
      `<summary>Warum diese Punkte?</summary><p class="dim">${points / 2} für 10,00\u00A0€</p><p class="dim"><bdi>Double &lt;i&gt;</bdi>: +${points / 2}</p>`,
    );
    await shop.rules({ gift_validity: 5, gift_validity_period: "year" });
    const gift = { location_id: shop.locationId, kind: "gift", amount: 5000 };
    const issued = await shop.write("/sp/cards/issue", gift);
    const ofGift = (await get(await linkOf(issued.contact_id))).text;
    expect(ofGift).toContain('<p class="large">€50.00</p><p class="dim">until 2 Mar 2031</p>');
    expect(issued.valid_through).toBe("2031-03-02");
  });

  it("has words for all that promotions give, and for all reasons", async () => {
    const promotion: PagePromotion = {
      ...{ name: "P", last_day: null, multiply: null, points: null, per: "sale", gives_voucher: null },
      ...{ gives_stamps: null, skus: [], categories: [], minimum_amount: 0, minimum_quantity: 0 },
      ...{ locations: [], weekdays: [], from_time: null, until_time: null },
    };
    const promotions: [Partial<PagePromotion>, string][] = [
      [{ multiply: 150, minimum_quantity: 3 }, "1.5 × <bdi>Stars</bdi> · from 3 ×"],
      [{ points: 1200, minimum_amount: 500 }, "+1,200 <bdi>Stars</bdi> · from €5.00"],
      [{ points: 5, per: "unit", skus: ["a&b"] }, "+5 <bdi>Stars</bdi> for each piece · <bdi>a&amp;b</bdi>"],
      [{ gives_voucher: "Free <b>", locations: ["Center"] }, "<bdi>Free &lt;b&gt;</bdi> · <bdi>Center</bdi>"],
      [
        { gives_stamps: 2, categories: ["a", "b", "c", "d"] },
        "+2 Stamps · <bdi>a</bdi>, <bdi>b</bdi>, <bdi>c</bdi>, …",
      ],
      [
        { multiply: 200, weekdays: [7, 6], from_time: "22:00", until_time: "02:00" },
        "2 × <bdi>Stars</bdi> · Sat Sun · 22:00–02:00",
      ],
    ];
    const reasons: [PageReason, string][] = [
      [{ code: "earned", points: 12, base: 1250 }, "12 for €12.50"],
      [{ code: "earned_by_rate", points: 4, base: 300, units: 2, earn_amount: null }, "4 for 2 ×"],
      [{ code: "earned_by_rate", points: 4, base: 300, units: 2, earn_amount: 100 }, "4 for €3.00"],
      [{ code: "promotion", name: "A & B", points: 3 }, "<bdi>A &amp; B</bdi>: +3"],
      [{ code: "promotion", name: "Coffee", points: 0 }, "<bdi>Coffee</bdi>"],
      [{ code: "capped", period: "order", maximum: 50 }, "At most 50"],
      [{ code: "capped", period: "month", maximum: 50 }, "At most 50 a month"],
      [{ code: "lines_excluded", amount: 700 }, "None for €7.00"],
    ];
    const movement = { event_type: "reward_points_earned", amount: 12, created_at: "2026-03-02 10:00:00" };
    const currency = { currency: "EUR", currency_decimals: 2 };
    const page: MemberPage = {
      ...{
        business: { name: "S", color: null, logo_path: null, country: null, time_zone: "UTC", ...currency },
      },
      ...{
        wallets: [],
        first_name: "Ana",
        card: null,
        wallet_valid_through: null,
        vouchers: [],
        stamp_cards: [],
      },
      balances: {
        ...{
          rp_name: "Stars",
          wallet: 0,
          points: 0,
          points_amount: 0,
          points_pending: [],
          points_expiring: [],
        },
      },
      progress: { tier: null, next_tier: null },
      promotions: promotions.map(([one]) => ({ ...promotion, ...one })),
      movements: [{ ...movement, why: [...reasons.map(([reason]) => reason), { code: "unknown" }] }],
    };
    const shown = await memberPagesAt(
      "/api",
      { page: async () => page, logo: async () => undefined },
      {} as never,
      () => undefined,
    )("/api/card/1.x", undefined, "GET")?.({}, undefined, {} as never);
    for (const [, words] of promotions) expect(shown?.body).toContain(`<p class="dim">${words}</p></div>`);
    const explained = reasons.map(([, words]) => `<p class="dim">${words}</p>`).join("");
    expect(shown?.body).toContain(`<summary>Why these points?</summary>${explained}</details>`);
  });

  it("has one address until it is replaced", async () => {
    const contact_id = await shop.member();
    const path = await linkOf(contact_id);
    expect(await linkOf(contact_id)).toBe(path);
    const next = await linkOf(contact_id, true);
    expect(next).not.toBe(path);
    expect((await get(next)).status).toBe(200);
    expect((await get(path)).status).toBe(404);
    const [row] = await world.sql<{ text: string }[]>`
      SELECT p::text AS text FROM member_page AS p
      WHERE business_id = ${shop.businessId} AND contact_id = ${contact_id}`;
    expect(row?.text).not.toContain(next.split(".")[1]);
  });

  it("is found by no guess, and by no address of another business", async () => {
    const contact_id = await shop.member();
    const path = await linkOf(contact_id);
    const [, token = ""] = path.split(".");
    const other = await makeSandbox(world, "2026-03-02 10:00:00");
    const guesses = [
      ...[
        `/card/${other.businessId}.${token}`,
        `/card/${shop.businessId}.${"A".repeat(27)}`,
        "/card/",
        "/card/1",
      ],
      ...[`${path}x`, path.slice(0, -1), `${path}/unknown`, `/card/999999999999999.${token}`, `${path}/`],
    ];
    for (const guess of guesses.filter((one) => one !== `${path}/`))
      expect((await get(guess)).status, guess).toBe(404);
    const { text } = await get(`/card/${shop.businessId}.${"A".repeat(27)}`);
    expect(text).toContain("This page is not valid any more");
    const post = await world.call(path, {}, { method: "POST" });
    expect(post.status).toBe(404);
    expect(post.text).not.toContain(token);
  });

  it("shows nothing of a member that is erased, merged or inactive", async () => {
    const business = { business_id: shop.businessId };
    const gone = (await get(`/card/${shop.businessId}.${"B".repeat(27)}`)).text;
    const ends: ((contact_id: number) => Promise<unknown>)[] = [
      (contact_id) => operatorWrite(world, "/op/members/erase", { ...business, contact_id }),
      (contact_id) => operatorWrite(world, "/op/members/deactivate", { ...business, contact_id }),
      async (from_contact_id) =>
        shop.write("/sp/members/merge", { contact_id: await shop.member(), from_contact_id }),
    ];
    for (const end of ends) {
      const contact_id = await shop.member();
      const path = await linkOf(contact_id);
      expect((await get(path)).status).toBe(200);
      await end(contact_id);
      const after = await get(path);
      expect([after.status, after.text]).toEqual([404, gone]);
    }
    const erased = await world.sql<{ contact_id: number }[]>`
      SELECT p.contact_id FROM member_page AS p JOIN member AS m USING (business_id, contact_id)
      WHERE m.erased_at IS NOT NULL`;
    expect(erased).toEqual([]);
  });

  it("is in the language of the browser", async () => {
    const path = await linkOf(await shop.member());
    const wallets = {
      en: "Wallet",
      "de-AT,en": "Guthaben",
      "fr;q=0.9": "Solde",
      "pt, es": "Saldo",
      "": "Wallet",
    };
    for (const [accepted, wallet] of Object.entries(wallets)) {
      const { text, headers } = await get(path, accepted);
      expect(text, accepted).toContain(`<h2>${wallet}</h2>`);
      expect(text).toContain(`<html lang="${headers.get("content-language")}">`);
    }
  });

  it("says to a person that it can be read later, when the service is busy", async () => {
    const busy = { begin: () => Promise.reject(new OverloadedError(1)) } as unknown as Share;
    const find = { page: memberPages(() => busy, {} as never), logo: async () => undefined };
    const page = memberPagesAt(
      "/api",
      find,
      {} as never,
      () => undefined,
    )(`/api/card/1.${"A".repeat(27)}`, "text/html", "GET");
    expect(await page?.({ "accept-language": "de" }, undefined, {} as never)).toMatchObject({
      status: 503,
      headers: { "content-type": "text/html; charset=utf-8", "retry-after": "5" },
      body: expect.stringContaining("<p>Bitte versuchen Sie es in einer Minute noch einmal.</p>"),
    });
  });

  it("can be installed as an app", async () => {
    const path = await linkOf(await shop.member());
    const manifest = (await get(`${path}/app.webmanifest`)).body;
    expect(manifest).toMatchObject({ display: "standalone", start_url: `/api${path}` });
    const icon = await fetch(new URL(manifest.icons[0].src, world.baseUrl));
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });
});

describeInBrowser("the page of a member in a browser", (launch) => {
  it("fits a phone in light and dark, has codes that scanners read, and can be printed", async () => {
    const business = { business_id: shop.businessId };
    await operatorWrite(world, "/op/businesses/update", { ...business, color: "#ffd43b" });
    // A scanner reads several pictures. The decoder gets one, in which it finds almost every code: the number is always the same.
    const { contact_id, card_code } = await makeRichMember(30, "7301948211650347");
    const name = `مقهى ${"Kaffee".repeat(20)}`;
    await asOperator(world, "/op/businesses/update", { ...business, idempotency_key: "long-name", name });
    await operatorWrite(world, "/op/members/update", {
      ...business,
      contact_id,
      first_name: "W".repeat(120),
    });
    const pages = [await linkOf(contact_id), await linkOf(await shop.member())];
    // With the largest logo, it is on a phone within a third of a second at 1.6 Mbit/s.
    const { text } = await get(pages[0] as string);
    expect(Buffer.byteLength(text) + mostLogoBytes).toBeLessThanOrEqual(60_000);
    const browser = await launch();
    try {
      const withoutScripts = await browser.newContext({ javaScriptEnabled: false });
      const plain = await withoutScripts.newPage();
      await plain.goto(`${world.baseUrl}${pages[0]}`);
      await plain.getByText("7301 9482 1165 0347").waitFor();
      await withoutScripts.close();
      for (const colorScheme of ["light", "dark"] as const) {
        const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 } });
        const page = await context.newPage();
        for (const [index, path] of pages.entries()) {
          await page.goto(`${world.baseUrl}${path}`);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
          expect(await violationsOn(page)).toEqual([]);
          const file = process.env.PICTURES && `${process.env.PICTURES}/${colorScheme}-${index}.png`;
          if (file) await page.screenshot({ path: file, fullPage: true });
        }
        await page.goto(`${world.baseUrl}${pages[0]}`);
        const picture = await page.locator(".code").screenshot();
        for (const kind of ["QR_CODE", "CODE_128"] as const)
          expect(await scan(context, picture, kind), `${colorScheme}: ${kind}`).toBe(card_code);
        await page.emulateMedia({ media: "print" });
        expect(await scan(context, await page.locator(".code").screenshot(), "QR_CODE")).toBe(card_code);
        await context.close();
      }
    } finally {
      await closePages(browser);
    }
  });
});
