/** Makes a pass for Google Wallet: what the page of a member shows, as the fields of a loyalty object and its class. */
import type { MemberPage } from "../../contract/member-page.ts";
import type { ShownPass, WalletPasses } from "../../contract/wallet-passes.ts";
import { accentOf } from "../member-page-style.ts";
import { type PageLanguage, type PageTexts, pageLanguages, textsIn } from "../member-page-texts.ts";
import { type PageWriter, pageWriter } from "../page-writer.ts";
import type { Reply } from "../server.ts";

/** What all passes of a business show. */
export function googleClass({
  name,
  color,
  logo_url,
}: ShownPass["business"] & { readonly logo_url: string | null }): object {
  return {
    ...{ issuerName: name, programName: name, reviewStatus: "UNDER_REVIEW" },
    programLogo: { sourceUri: { uri: logo_url } },
    hexBackgroundColor: accentOf(color).accent,
  };
}

/** What is in the link with which a person adds a pass. Browsers cut longer links off, so it is not all that the pass shows. */
function linkedObject({ page }: ShownPass, classId: string): object {
  if (page === undefined) return { classId, state: "EXPIRED" };
  const { card, balances } = page;
  return {
    ...{ classId, state: "ACTIVE" },
    ...(card && {
      barcode: { type: "QR_CODE", value: card.code.replaceAll(" ", ""), alternateText: card.code },
    }),
    loyaltyPoints: { localizedLabel: pointsLabel(balances.rp_name), balance: { int: balances.points } },
  };
}

/** @returns without the page, nothing but that the pass is void */
export function googleObject(shown: ShownPass, classId: string): object {
  const { page } = shown;
  const object = linkedObject(shown, classId);
  if (page === undefined) return object;
  const { business, balances, progress, vouchers, stamp_cards } = page;
  const next = balances.points_expiring.find(({ valid_through }) => valid_through !== null);
  const micros = Math.round((balances.wallet / 10 ** business.currency_decimals) * 1_000_000);
  const lines = (texts: readonly string[]) => texts.length > 0 && (() => texts.join("\n"));
  const modules: Readonly<Record<string, false | ((write: PageWriter) => string)>> = {
    worth: balances.points_amount > 0 && ((write) => write.money(balances.points_amount)),
    tier: progress.tier !== null && (() => progress.tier?.name ?? ""),
    expiring:
      next !== undefined &&
      ((write) => `${write.number(next.points)} · ${write.day(next.valid_through as string)}`),
    vouchers: lines(vouchers.map((one) => `${one.campaign_name}: ${one.coupon_code}`)),
    stamps: lines(stamp_cards.map((one) => `${one.name}: ${one.stamps} / ${one.stamps_needed}`)),
  };
  return {
    ...object,
    secondaryLoyaltyPoints: {
      localizedLabel: localized(({ pass }) => pass.wallet),
      balance: { money: { micros: String(micros), currencyCode: business.currency } },
    },
    textModulesData: Object.entries(modules).flatMap(([id, write]) =>
      write === false
        ? []
        : {
            id,
            localizedHeader: localized(({ pass }) => pass[id as keyof typeof pass]),
            localizedBody: localized((_, language) => write(pageWriter(business, language))),
          },
    ),
  };
}

/** A name of the business's own is the same in all languages. */
const pointsLabel = (own: MemberPage["balances"]["rp_name"]) =>
  own ? { defaultValue: { language: "en", value: own } } : localized(({ pass }) => pass.points);

/** A text that Google shows in the language of the phone. */
function localized(say: (texts: PageTexts, language: PageLanguage) => string) {
  const [first, ...others] = pageLanguages.map((language) => ({
    language,
    value: say(textsIn(language), language),
  }));
  return { defaultValue: first, translatedValues: others };
}

/** Leads a person to Google, to add the pass of the member of a page. @returns undefined when there is none */
export async function saveToGoogle(passes: WalletPasses, pageToken: string): Promise<Reply | undefined> {
  const found = await passes.googleOfPage(pageToken);
  if (found === undefined || found === "moving") return found && laterReply;
  const location = await found.sign(linkedObject(found, found.classId));
  return { status: 303, headers: { location }, body: "" };
}

/** While a business moves to another database. */
export const laterReply: Reply = { status: 503, headers: { "retry-after": "10" }, body: "" };
