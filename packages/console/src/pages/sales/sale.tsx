/** One sale: who paid what, why it earned its points, and its refunds. */
import { List, SimpleGrid } from "@mantine/core";
import { type DataOf, outputOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Section } from "../../shell/section.tsx";
import { Details } from "../../tables/details.tsx";
import { Parts } from "../../tables/parts.tsx";
import { dayText } from "../../texts/dates.ts";
import { decimalText } from "../../texts/decimals.ts";
import { texts } from "../../texts/en.ts";
import { RefundSale } from "./refund.tsx";

const path = "/op/sales/get";
type Sale = DataOf<typeof path>;

const facts = ["contact_id", "location_id", "created_at", "reference_id", "amount"];
/** Most sales are paid in one way. The others say nothing. */
const waysToPay = ["voucher_amount", "points_used", "points_amount", "wallet_used", "amount_due"] as const;

export function SalePage({ record: sale }: { readonly record: Sale }) {
  const t = texts.sale;
  return (
    <>
      <PageTitle title={t.title(sale.reference_id)} subtitle={dayText(sale.sold_on)}>
        <RefundSale sale={sale} />
      </PageTitle>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Section title={t.payment}>
          <Details
            record={sale}
            fields={outputOf(path)}
            show={[...facts, ...waysToPay.filter((way) => sale[way] > 0), "refundable"]}
          />
        </Section>
        <Section title={t.points(decimalText(sale.points_earned, 0))}>
          <Why sale={sale} />
        </Section>
      </SimpleGrid>
      <Parts
        title={t.refunds}
        path={path}
        name="refunds"
        rows={sale.refunds}
        columns={[
          ...["created_at", "amount", "money_back", "wallet_back", "points_back", "points_clawed"],
          "reason",
        ]}
        empty={t.noRefunds}
      />
    </>
  );
}

/** The reasons for the points, in words. */
function Why({ sale }: { readonly sale: Sale }) {
  const { money } = useBusiness();
  const t = texts.why;
  const words = sale.why.map((reason) => {
    if (reason.code === "earned") return t.earned(money(reason.base), decimalText(reason.points, 0));
    if (reason.code === "capped") return t.capped(decimalText(reason.maximum, 0));
    if (reason.code === "below_minimum") return t.below_minimum(money(reason.minimum));
    return t[reason.code];
  });
  const otherwise = sale.voucher_amount + sale.points_amount;
  const notEligible = sale.amount - sale.eligible_amount;
  return (
    <List>
      {words.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
      {otherwise > 0 && <List.Item>{t.paidOtherwise(money(otherwise))}</List.Item>}
      {notEligible > 0 && <List.Item>{t.notEligible(money(notEligible))}</List.Item>}
    </List>
  );
}
