/** The form of a promotion, and what a promotion does in words. */
import { Alert } from "@mantine/core";
import type { DataOf, WritePath } from "../../api/index.ts";
import { type Row, useBusiness, useChoices } from "../../components.ts";
import { promotionText, promotionTexts, texts } from "../../texts/index.ts";
import { usePreview } from "../rules/preview.tsx";

export type Promotion = DataOf<"/op/promotions/get">;
const t = promotionTexts;

/** What promotions are, by the names of their locations and tiers. */
function usePromotionWords() {
  const { money } = useBusiness();
  const [location_ids, tier_ids, voucher_id] = ["location_ids", "tier_ids", "voucher_id"].map(useChoices);
  return (one: Row) => promotionText(one, money, { location_ids, tier_ids, voucher_id });
}

export const PromotionWords = ({ of }: { readonly of: Promotion }) => usePromotionWords()(of);

/** A sentence that follows what is written in the form. */
export function usePromotionForm(path: WritePath, initial?: Row) {
  const [wordsOf, cost] = [usePromotionWords(), usePreview(path)];
  const { multiply, points } = initial ?? {};
  const gives = multiply ? "factor" : points ? "fixed" : "gift";
  return {
    ...(initial && { initial: { ...initial, gives } }),
    preview: (request: object) => {
      const one = { ...initial, ...request };
      const words = { title: wordsOf(one), children: t.example(one) };
      return [<Alert key="words" {...words} />, !initial && <div key="cost">{cost.preview(request)}</div>];
    },
  };
}

/** What can be done with a promotion that has not ended. */
export const promotionButtons = (promotion: Promotion) => {
  const step = promotion.status === "active" ? "pause" : "resume";
  return [
    {
      ...{ path: "/op/promotions/update" as const, label: texts.edit, initial: promotion as Row },
      useExtras: usePromotionForm,
    },
    { path: `/op/promotions/${step}` as const, label: t[step] },
    { path: "/op/promotions/end" as const, label: t.end },
  ];
};
