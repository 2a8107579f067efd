import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { findLocalTime } from "../../../database/access/businesses.ts";
import { type FoundRules, findRules } from "../../../database/engine/members.ts";
import { rulesFor } from "../../../domain/engine/earning/holders.ts";
import { isOn, promotionsAt, reachedLimit } from "../../../domain/engine/promotions/acting.ts";
import { programOf } from "../../../domain/engine/tiers/tier.ts";
import { offsetOf, pageOf, readFor } from "../../../domain/pagination.ts";
import { promotionForTills, showPromotion } from "../../promotions/promotions.ts";
import { isForOneOf } from "../../records.ts";

export const listPromotions = listOperation({
  path: "/sp/promotions/list",
  scope: "wa.rewards.read",
  summary: "List promotions",
  message: "Promotions listed.",
  description:
    "Lists the promotions that are on now, in the order in which they were created: at a location and for a member, if you name them. " +
    "A promotion whose budget is spent, or that the member has used as often as it may, is left out. An integration limited to some locations sees " +
    "only these in location_ids.",
  input: {
    location_id: Type.Optional(fields.locationId),
    contact_id: Type.Optional(fields.contactId),
  },
  output: promotionForTills,
  errors: ["member_not_found"],
  async list({ sql, services, caller: { businessId, locations }, input, page, reject }) {
    const { contact_id: contactId, location_id } = input;
    const member =
      contactId === undefined
        ? undefined
        : await services.members.find(services.lookUps, { businessId, contactId, promotedOn: [null] });
    if (contactId !== undefined && !member) return reject("member_not_found");
    const [[{ rules: all, given }], localTime] = await Promise.all([
      findRules(sql, [{ businessId }]) as Promise<[FoundRules]>,
      findLocalTime(sql, businessId),
    ]);
    const rules = rulesFor(all, member ?? {});
    const tier_id = member ? (member.tier.standing?.tier_id ?? null) : undefined;
    const [day, time] = [localTime.slice(0, 10), localTime.slice(11, 16)];
    const made = { day, time, location_id, tier_id, buying: member?.buying, given };
    const isEarning = rules.enable_rp && (!member || programOf(rules, member.tier.standing) !== null);
    const on = promotionsAt(rules, location_id).filter(
      (one) =>
        isEarning &&
        isOn(one, made) &&
        reachedLimit(one, made) === undefined &&
        (locations.everywhere || isForOneOf(one.location_ids, locations.ids)),
    );
    const [last = 0] = page.after ?? [];
    const following = on.filter(({ promotion_id }) => promotion_id > Number(last)).slice(offsetOf(page));
    const total = page.after === undefined ? on.length : undefined;
    const listed = pageOf(page, following.slice(0, readFor(page)), total, (one) => [`${one.promotion_id}`]);
    const isAllowed = (id: number) => locations.everywhere || locations.ids.has(id);
    const rows = listed.rows.map((one) => {
      const shown = showPromotion(one, rules);
      return { ...shown, location_ids: shown.location_ids.filter(isAllowed) };
    });
    return { ...listed, rows };
  },
});
