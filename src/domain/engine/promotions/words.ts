/** What a promotion gives, in words that a screen can show to members. */
import type { Promotion, Tier } from "../rules.ts";
import { counted } from "../till-texts.ts";

/** The names of more goods would not fit a screen. */
const mostNamed = 3;
const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function giftOf({ multiply, points, per, voucher, stamps }: Promotion): string {
  if (multiply !== null) return `${multiply / 100} × points`;
  if (voucher !== null) return `Voucher ${voucher.campaign_name}`;
  if (stamps !== null) return counted(stamps, "more stamp");
  return `${counted(points ?? 0, "more point")}${per === "unit" ? " for each piece" : ""}`;
}

const members: Readonly<Record<Promotion["member"], string>> = {
  any: "",
  first_sale: "on the first purchase",
  new: "for new members",
  returning: "for members who come back",
  birthday: "around the birthday",
};

/**
 * Says in English what a promotion gives, on which goods, when, where and to which members: "2 × points for coffee, Tue, 14:00 to 17:00".
 * Amounts are left out, because they have fields of their own.
 */
export function promotionInWords(
  promotion: Promotion,
  tiers: readonly Pick<Tier, "tier_id" | "name">[],
): string {
  const { skus, categories, minimum_quantity, weekdays, from_time, until_time, last_day } = promotion;
  const inTiers = tiers.filter(({ tier_id }) => promotion.tier_ids.includes(tier_id));
  const goods = [...categories, ...skus];
  const named = goods.length > mostNamed ? "some goods" : goods.join(", ");
  const conditions = [
    minimum_quantity > 1 ? `from ${minimum_quantity} pieces` : "",
    weekdays.length % 7 === 0
      ? ""
      : weekdays
          .toSorted()
          .map((day) => weekdayNames[day - 1])
          .join(" "),
    from_time === null ? "" : `${from_time} to ${until_time}`,
    members[promotion.member],
    inTiers.length === 0 ? "" : `in tier ${inTiers.map(({ name }) => name).join(" or ")}`,
    promotion.location_ids.length === 0 ? "" : "at some locations",
    last_day === null ? "" : `until ${last_day}`,
  ].filter((text) => text !== "");
  return [`${giftOf(promotion)}${named === "" ? "" : ` for ${named}`}`, ...conditions].join(", ");
}
