/** The form of a promotion, and what promotions and stamp cards do in words. */
import { Alert } from "@mantine/core";
import type { DataOf, WritePath } from "../../api/index.ts";
import { type Row, useBusiness, useChoices, Words } from "../../components.ts";
import { promotionText, promotionTexts, stampCardText, texts } from "../../texts/index.ts";
import { usePreview } from "../rules/preview.tsx";

export type Promotion = DataOf<"/op/promotions/get">;
const t = promotionTexts;

/** What records are in words, by the names of their locations, tiers and vouchers. */
function useWords(textOf: typeof promotionText | typeof stampCardText) {
  const { money } = useBusiness();
  const [location_ids, tier_ids] = ["location_ids", "tier_ids"].map(useChoices);
  const [voucher_id, stamp_card_id] = ["voucher_id", "stamp_card_id"].map(useChoices);
  return (one: Row) => textOf(one as never, money, { location_ids, tier_ids, voucher_id, stamp_card_id });
}

export const PromotionWords = ({ of }: { readonly of: Row }) => <Words>{useWords(promotionText)(of)}</Words>;
export const StampCardWords = ({ of }: { readonly of: Row }) => <Words>{useWords(stampCardText)(of)}</Words>;

/** A sentence that follows what is written in the form. */
export function usePromotionForm(path: WritePath, initial?: Row) {
  const [wordsOf, cost] = [useWords(promotionText), usePreview(path)];
  const { multiply, points, voucher_id } = initial ?? {};
  const gives = multiply ? "factor" : points ? "fixed" : voucher_id ? "gift" : "stamps";
  return {
    ...(initial && { initial: { ...initial, gives } }),
    preview: (request: object) => {
      const one = { ...initial, ...request };
      const words = { title: wordsOf(one), children: t.example(one) };
      return [<Alert key="words" {...words} />, !initial && <div key="cost">{cost.preview(request)}</div>];
    },
  };
}

/** What can be done with a promotion or a stamp card that has not ended. */
export const stepButtons = (of: "promotions" | "stamp-cards", record: Row, more: object = {}) => {
  const step = record.status === "active" ? "pause" : "resume";
  const edit = { path: `/op/${of}/update` as const, label: texts.edit, initial: record, ...more };
  const steps = [step, "end"] as const;
  const others = steps.map((one) => ({ path: `/op/${of}/${one}` as const, label: t[one] }));
  return record.status === "ended" ? [] : [edit, ...others];
};
export const promotionButtons = (promotion: Row) =>
  stepButtons("promotions", promotion, { useExtras: usePromotionForm });
