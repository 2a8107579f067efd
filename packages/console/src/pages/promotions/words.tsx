/** The forms of promotions, stamp cards and programs, and what these do in words. */
import { Alert } from "@mantine/core";
import { type Row, useBusiness, useNames, Words, type WritePath } from "../../components.ts";
import { stampCardTexts } from "../../texts/en/stamp-cards.ts";
import { programText, promotionText, promotionTexts, stampCardText, texts } from "../../texts/index.ts";
import { usePreview } from "../rules/preview.tsx";

export const kinds = {
  promotions: { textOf: promotionText, t: promotionTexts },
  "stamp-cards": { textOf: stampCardText, t: stampCardTexts },
  programs: { textOf: programText, t: texts.programs },
} as const;
export type Kind = Exclude<keyof typeof kinds, "programs">;

/** What records are in words, by the names of their locations, tiers and vouchers. */
function useWords(kind: keyof typeof kinds) {
  const { money, currency_decimals } = useBusiness();
  const [location_ids, tier_ids] = [useNames("location_ids"), useNames("tier_ids")];
  const [voucher_id, stamp_card_id] = [useNames("voucher_id"), useNames("stamp_card_id")];
  const names = { location_ids, tier_ids, voucher_id, stamp_card_id, example: 10 ** (currency_decimals + 1) };
  return (one: Row) => kinds[kind].textOf(one as never, money, names);
}

export const RuleWords = ({ kind, of }: Readonly<{ kind: keyof typeof kinds; of: Row }>) => (
  <Words>{useWords(kind)(of)}</Words>
);

/** A sentence follows what is written, with an example. A new promotion and a program have their cost, too. */
export function useRuleForm(path: WritePath, initial?: Row) {
  const kind = path.split("/")[2] as keyof typeof kinds;
  const [wordsOf, cost] = [useWords(kind), usePreview(path)];
  const { multiply, points, voucher_id } = initial ?? {};
  const gives = multiply ? "factor" : points ? "fixed" : voucher_id ? "voucher" : "stamps";
  const preview = (request: object) => {
    const one = { ...initial, ...request };
    return (
      <>
        <Alert title={<Words>{wordsOf(one)}</Words>}>{kinds[kind].t.example(one)}</Alert>
        {(kind === "programs" || (kind === "promotions" && !initial)) && cost.preview(request)}
      </>
    );
  };
  return { ...cost, preview, ...(initial && { initial: { ...initial, gives } }) };
}

/** What can be done with a promotion, a stamp card or an occasion that has not ended. */
export const stepButtons = (of: Kind | "occasions", record: Row) => {
  const edit = { path: `/op/${of}/update` as const, ...(of !== "occasions" && { useExtras: useRuleForm }) };
  const steps = [record.status === "active" ? "pause" : "resume", "end"] as const;
  const others = steps.map((one) => ({ path: `/op/${of}/${one}` as const }));
  return record.status === "ended" ? [] : [edit, ...others];
};
