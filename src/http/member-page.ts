/** The page that shows a member its card and what it has: HTML without scripts and forms, in the language of the browser. */
import { createHash } from "node:crypto";
import type {
  FindLogo,
  FindMemberPage,
  MemberPage,
  PageMovement,
  PagePromotion,
  PageReason,
  PageVoucher,
} from "../contract/member-page.ts";
import type { WalletPasses } from "../contract/wallet-passes.ts";
import { accentOf, pageStyle } from "./member-page-style.ts";
import { filled, languageOf, type PageLanguage, type PageTexts, textsIn } from "./member-page-texts.ts";
import { type PageWriter, pageWriter } from "./page-writer.ts";
import type { ErrorPage, FindPage, Page, Reply } from "./server.ts";
import { saveToGoogle } from "./wallet/google-pass.ts";
import { downloadPass, isReachable } from "./wallet/web-service.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] as string);
/** Text of people, which can be in another direction. */
const words = (text: string) => `<bdi>${escaped(text)}</bdi>`;

/**
 * Finds the pages of members: `{base}/card/{token}`, with its manifest, icon and passes.
 * @param warnOfHttp is called for a page that can offer no pass for Apple Wallet, because phones need https
 */
export function memberPagesAt(
  basePath: string,
  find: { readonly page: FindMemberPage; readonly logo: FindLogo },
  passes: WalletPasses,
  warnOfHttp: () => void,
): FindPage {
  const home = `${basePath}/card/`;
  return (path) => {
    if (!path.startsWith(home)) return undefined;
    const [token = "", part] = path.slice(home.length).split("/", 2);
    if (part === "logo.png") return async () => logoReply(await find.logo(token));
    const pass = passParts[part ?? ""];
    if (pass !== undefined)
      return async (headers, origin) =>
        (await pass(passes, token, basePath, origin)) ?? goneReply(languageOf(headers));
    const own = parts[part ?? ""];
    const findFor = async (origin: string | undefined) => {
      const page = await find.page(token);
      if (typeof page !== "object" || isReachable(origin) || !page.wallets.includes("apple")) return page;
      warnOfHttp();
      return { ...page, wallets: page.wallets.filter((kind) => kind !== "apple") };
    };
    return own && pageOf(basePath, token, findFor, own);
  };
}

/** The address has a digest of the picture, so browsers never ask again. */
const logoReply = (logo: Buffer | undefined): Reply | undefined =>
  logo && {
    status: 200,
    headers: { "content-type": "image/png", "cache-control": "public, max-age=31536000, immutable" },
    body: logo,
  };

/** What adds the pass to a wallet, below the address of a page. */
const passParts: Readonly<Record<string, typeof downloadPass | undefined>> = {
  "card.pkpass": downloadPass,
  "google-wallet": saveToGoogle,
};
const walletLinks = {
  apple: ["card.pkpass", "Apple Wallet"],
  google: ["google-wallet", "Google Wallet"],
} as const;

type Shown = {
  readonly page: MemberPage;
  readonly address: string;
  /** Of the logo; null without one. */
  readonly logo: string | null;
  readonly language: PageLanguage;
};
type Part = (shown: Shown) => Reply;

/** What is below the address of a page. */
const parts: Readonly<Record<string, Part | undefined>> = {
  "": (shown) => htmlReply(200, shown.language, shown.page.business, contents(shown)),
  "app.webmanifest": ({ page, address, logo }) => ({
    status: 200,
    headers: { "content-type": "application/manifest+json" },
    body: JSON.stringify({
      ...{ name: page.business.name, short_name: page.business.name.slice(0, 12) },
      ...{ start_url: address, scope: address, display: "standalone" },
      icons: [
        ...(logo === null ? [] : [{ src: logo, sizes: "any", type: "image/png" }]),
        { src: `${address}/icon.svg`, sizes: "any", type: "image/svg+xml" },
      ],
    }),
  }),
  "icon.svg": ({ page }) => ({
    status: 200,
    headers: { "content-type": "image/svg+xml" },
    body: iconOf(page.business),
  }),
};

const nobody = { name: "", color: null };

function pageOf(
  basePath: string,
  token: string,
  find: (origin: string | undefined) => ReturnType<FindMemberPage>,
  part: Part,
): Page {
  return async (headers, origin) => {
    const language = languageOf(headers);
    const page = await find(origin);
    const t = textsIn(language);
    if (page === "busy") return message(503, language, t.busy, t.busyHelp);
    if (page === undefined) return goneReply(language);
    const { logo_path: path } = page.business;
    const logo = path === null ? null : basePath + path;
    return part({ page, address: `${basePath}/card/${token}`, logo, language });
  };
}

/** What a person sees below the address of a page instead of an error of the API. @returns undefined for other paths */
export const errorPagesAt =
  (basePath: string): ErrorPage =>
  (path, headers, status) => {
    if (!path.startsWith(`${basePath}/card/`)) return undefined;
    const language = languageOf(headers);
    const t = textsIn(language);
    return status === 429 || status >= 500
      ? message(status, language, t.busy, t.busyHelp)
      : goneReply(language);
  };

/** The same for an address that never was one, and for a member that is erased, merged or inactive. */
function goneReply(language: PageLanguage): Reply {
  const t = textsIn(language);
  return message(404, language, t.gone, t.goneHelp);
}

const message = (status: number, language: PageLanguage, title: string, help: string) =>
  htmlReply(status, language, nobody, {
    title,
    body: `<header><h1>${title}</h1></header><main><section><p>${help}</p></section></main>`,
  });

interface Contents {
  readonly title: string;
  readonly head?: string;
  readonly body: string;
}

function htmlReply(
  status: number,
  language: PageLanguage,
  { color }: Pick<MemberPage["business"], "color">,
  { title, head = "", body }: Contents,
): Reply {
  const style = pageStyle(color);
  const hash = createHash("sha256").update(style).digest("base64");
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-language": language,
      ...(status === 503 && { "retry-after": "5" }),
      "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      vary: "accept-language",
      "x-robots-tag": "noindex, nofollow",
    },
    body: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no">${head}
<title>${escaped(title)}</title><style>${style}</style></head><body>${body}</body></html>
`,
  };
}

/** Its colours are attributes: opened by itself, its policy allows no styles. */
function iconOf({ name, color }: Pick<MemberPage["business"], "name" | "color">): string {
  const [initial = ""] = name.trim().toUpperCase();
  const { accent, onAccent } = accentOf(color);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="${accent}"/><text x="32" y="44" font-family="sans-serif" font-size="34" text-anchor="middle" fill="${onAccent}">${escaped(initial)}</text></svg>`;
}

const section = (title: string, content: string, kind = "") =>
  `<section${kind && ` class="${kind}"`}><h2>${title}</h2>${content}</section>`;
const dim = (text: string) => `<p class="dim">${text}</p>`;
const itemsOf = (items: readonly (readonly [left: string, right: string])[]) =>
  `<ul>${items.map(([left, right]) => `<li><div>${left}</div><div>${right}</div></li>`).join("")}</ul>`;
const within = (whole: number, part: number, write: (number: number) => string) =>
  `<progress max="${Math.max(1, whole)}" value="${Math.max(0, part)}" aria-label="${write(part)} / ${write(whole)}"></progress>`;

function contents({ page, address, logo, language }: Shown): Contents {
  const t = textsIn(language);
  const write = pageWriter(page.business, language);
  const { balances, vouchers, stamp_cards, promotions, movements, wallet_valid_through: lasts } = page;
  const pointsName = balances.rp_name || t.points;
  const wallet = `<p class="large">${write.money(balances.wallet)}</p>`;
  const main = [
    codeOf(page, t),
    ...page.wallets.map((kind) => {
      const [part, name] = walletLinks[kind];
      return `<a class="button" href="${address}/${part}">${filled(t.addTo, name)}</a>`;
    }),
    `<div class="two">${pointsOf(page, t, write)}${section(t.wallet, lasts === null ? wallet : wallet + dim(filled(t.until, write.day(lasts))))}</div>`,
    tierOf(page, t, write),
    stamp_cards.length > 0 && section(t.stamps, stampsOf(page, t, write)),
    vouchers.length > 0 && section(t.vouchers, itemsOf(vouchers.map((one) => voucherItem(one, t, write)))),
    promotions.length > 0 &&
      section(
        t.now,
        itemsOf(
          promotions.map((one) => [
            words(one.name) + dim(promotionWords(one, pointsName, t, write)),
            one.last_day ? filled(t.until, write.day(one.last_day)) : "",
          ]),
        ),
      ),
    section(
      t.recent,
      movements.length > 0 ? itemsOf(movements.map((one) => movementItem(one, t, write))) : dim(t.nothing),
    ),
  ];
  return {
    title: page.business.name,
    head: `<link rel="manifest" href="${address}/app.webmanifest"><link rel="icon" href="${logo ?? `${address}/icon.svg`}">${logo === null ? "" : `<link rel="apple-touch-icon" href="${logo}">`}`,
    body: `<header>${logo === null ? "" : `<img src="${logo}" alt="" width="80" height="80">`}<p>${words(page.first_name)}</p><h1>${words(page.business.name)}</h1></header><main>${main.filter(Boolean).join("")}</main>`,
  };
}

function codeOf({ card }: MemberPage, t: PageTexts): string {
  if (card === null) return "";
  const squares = card.squares.replace("<svg", `<svg class="squares" role="img" aria-label="${t.code}"`);
  const bars = card.bars.replace("<svg", '<svg class="bars" aria-hidden="true"');
  return `<section class="code">${squares}${bars}<p>${escaped(card.code)}</p></section>`;
}

function pointsOf({ balances }: MemberPage, t: PageTexts, { number, money, day }: PageWriter): string {
  const { points, points_amount, points_pending, points_expiring, rp_name } = balances;
  const next = points_expiring.find(({ valid_through }) => valid_through !== null);
  const lines = [
    points_amount > 0 && filled(t.worth, money(points_amount)),
    next?.valid_through && filled(t.expires, number(next.points), day(next.valid_through)),
    ...points_pending.slice(0, 1).map((one) => filled(t.pending, number(one.points), day(one.matures_on))),
  ];
  const shown = lines.filter((line) => typeof line === "string").map(dim);
  return section(words(rp_name || t.points), `<p class="large">${number(points)}</p>${shown.join("")}`);
}

function tierOf(
  { progress: { tier, next_tier: next } }: MemberPage,
  t: PageTexts,
  { money, day }: PageWriter,
): string {
  if (tier === null && next === null) return "";
  const own =
    tier && `<p class="large">${words(tier.name)}</p>${dim(filled(t.until, day(tier.valid_through)))}`;
  const toNext =
    next &&
    within(next.qualifying_sales, next.sales_now, money) +
      dim(filled(t.missing, money(next.sales_missing), words(next.name)));
  return section(t.tier, `${own ?? ""}${toNext ?? ""}`);
}

function stampsOf({ stamp_cards }: MemberPage, t: PageTexts, { day, number }: PageWriter): string {
  const cards = stamp_cards.map(({ name, stamps, stamps_needed, campaign_name, collects, valid_through }) => {
    const until = valid_through === null ? "" : ` · ${filled(t.until, day(valid_through))}`;
    // A card that is paused or has ended will not be full.
    const gives = collects ? dim(filled(t.full, words(campaign_name)) + until) : "";
    return [
      `${words(name)}${within(stamps_needed, stamps, number)}${gives}`,
      `${stamps} / ${stamps_needed}`,
    ] as const;
  });
  return itemsOf(cards);
}

function voucherItem(one: PageVoucher, t: PageTexts, { money, day }: PageWriter): readonly [string, string] {
  const { campaign_name, coupon_code, coupon_value, voucher_kind, percent, valid_through } = one;
  const worth = voucher_kind === "percent" && percent !== null ? `${percent}\u00A0%` : money(coupon_value);
  const until = valid_through === null ? "" : dim(filled(t.until, day(valid_through)));
  const value = voucher_kind === "item" ? "" : worth;
  return [`${words(campaign_name)}<p><code>${escaped(coupon_code)}</code></p>${until}`, value];
}

/** The most goods and locations that are named. The names of more would fill the page. */
const mostNamed = 3;
const named = (names: readonly string[]) =>
  [...names.slice(0, mostNamed).map(words), ...(names.length > mostNamed ? ["…"] : [])].join(", ");

/** What a promotion gives, on which goods, when and where. */
function promotionWords(one: PagePromotion, pointsName: string, t: PageTexts, write: PageWriter): string {
  const { multiply, points, per, gives_voucher, gives_stamps, minimum_amount, minimum_quantity, weekdays } =
    one;
  const added = points === null ? "" : `+${write.number(points)} ${words(pointsName)}`;
  return [
    multiply !== null && `${write.number(multiply / 100)} × ${words(pointsName)}`,
    added && per === "unit" ? filled(t.each, added) : added,
    gives_voucher !== null && words(gives_voucher),
    gives_stamps !== null && `+${write.number(gives_stamps)} ${t.stamps}`,
    named([...one.categories, ...one.skus]),
    minimum_quantity > 1 && filled(t.from, `${write.number(minimum_quantity)} ×`),
    minimum_amount > 0 && filled(t.from, write.money(minimum_amount)),
    weekdays.length % 7 > 0 &&
      weekdays
        .toSorted()
        .map((day) => t.weekdays[day - 1])
        .join(" "),
    one.from_time !== null && `${one.from_time}–${one.until_time}`,
    named(one.locations),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Why a sale earned its points; undefined for what the other reasons say. */
function reasonWords(one: PageReason, t: PageTexts, { number, money }: PageWriter): string | undefined {
  const {
    code,
    points = 0,
    base = 0,
    units = 0,
    earn_amount,
    amount = 0,
    maximum = 0,
    period = "order",
  } = one;
  const says: Readonly<Record<string, () => string>> = {
    earned: () => filled(t.for, number(points), money(base)),
    earned_by_rate: () =>
      filled(t.for, number(points), earn_amount === null ? `${number(units)} ×` : money(base)),
    promotion: () => words(one.name ?? "") + (points > 0 ? `: +${number(points)}` : ""),
    capped: () => filled(t.most[period], number(maximum)),
    lines_excluded: () => filled(t.nothingFor, money(amount)),
  };
  return says[code]?.();
}

function movementItem(
  { event_type, kind, amount, created_at, why = [] }: PageMovement,
  t: PageTexts,
  write: PageWriter,
) {
  const kinds: Readonly<Record<string, string>> = t.kinds;
  const value = event_type.startsWith("reward_points") ? write.number(amount) : write.money(amount);
  // A purchase adds nothing to what the member has.
  const sign = amount > 0 && event_type !== "sale" ? "+" : "";
  const reasons = why.flatMap((one) => reasonWords(one, t, write) ?? []);
  const explained =
    reasons.length === 0
      ? ""
      : `<details class="dim"><summary>${t.why}</summary>${reasons.map(dim).join("")}</details>`;
  return [
    `${kinds[kind ?? event_type] ?? ""}${dim(write.day(created_at))}${explained}`,
    `${sign}${value}`,
  ] as const;
}
