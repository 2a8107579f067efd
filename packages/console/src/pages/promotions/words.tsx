/** The form of a promotion, and what promotions and stamp cards do in words. */
import { Alert } from "@mantine/core";
import type { WritePath } from "../../api/index.ts";
import { type Row, useBusiness, useNames, Words } from "../../components.ts";
import { stampCardTexts } from "../../texts/en-stamp-cards.ts";
import { promotionText, stampCardText, promotionTexts as t, texts } from "../../texts/index.ts";
import { usePreview } from "../rules/preview.tsx";

/** What records are in words, by the names of their locations, tiers and vouchers. */
function useWords(textOf: typeof promotionText | typeof stampCardText) {
  const { money } = useBusiness();
  const [location_ids, tier_ids] = ["location_ids", "tier_ids"].map(useNames);
  const [voucher_id, stamp_card_id] = ["voucher_id", "stamp_card_id"].map(useNames);
  return (one: Row) => textOf(one as never, money, { location_ids, tier_ids, voucher_id, stamp_card_id });
}

export const PromotionWords = ({ of }: { readonly of: Row }) => <Words>{useWords(promotionText)(of)}</Words>;
export const StampCardWords = ({ of }: { readonly of: Row }) => <Words>{useWords(stampCardText)(of)}</Words>;

/** A sentence that follows what is written in a form, with an example. */
function useSentence(textOf: Parameters<typeof useWords>[0], example: (one: object) => string) {
  const wordsOf = useWords(textOf);
  return (one: object) => (
    <Alert key="words" title={wordsOf(one as Row)}>
      {example(one)}
    </Alert>
  );
}

export function usePromotionForm(path: WritePath, initial?: Row) {
  const [sentence, cost] = [useSentence(promotionText, t.example), usePreview(path)];
  const { multiply, points, voucher_id } = initial ?? {};
  const gives = multiply ? "factor" : points ? "fixed" : voucher_id ? "gift" : "stamps";
  return {
    ...(initial && { initial: { ...initial, gives } }),
    preview: (request: object) => [
      sentence({ ...initial, ...request }),
      !initial && <div key="cost">{cost.preview(request)}</div>,
    ],
  };
}

export function useStampCardForm(_path: WritePath, initial?: Row) {
  const sentence = useSentence(stampCardText, stampCardTexts.example);
  return { preview: (request: object) => sentence({ ...initial, ...request }) };
}

/** What can be done with a promotion, a stamp card or an occasion that has not ended. */
const stepButtons = (of: "promotions" | "stamp-cards" | "occasions", record: Row, more: object = {}) => {
  const edit = { path: `/op/${of}/update` as const, label: texts.edit, initial: record, ...more };
  const steps = [record.status === "active" ? "pause" : "resume", "end"] as const;
  const others = steps.map((one) => ({ path: `/op/${of}/${one}` as const, label: t[one] }));
  return record.status === "ended" ? [] : [edit, ...others];
};
export const promotionButtons = (of: Row) => stepButtons("promotions", of, { useExtras: usePromotionForm });
export const stampCardButtons = (of: Row) => stepButtons("stamp-cards", of, { useExtras: useStampCardForm });
export const occasionButtons = (of: Row) => stepButtons("occasions", of);
