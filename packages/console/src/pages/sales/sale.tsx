/** One sale: who paid what, why it earned its points, and its refunds. */
import { Alert, List, SimpleGrid } from "@mantine/core";
import { type DataOf, outputOf } from "../../api/declarations.ts";
import { Details, OperationButton, PageTitle, Parts, Read, Section, useBusiness } from "../../components.ts";
import { dayText, decimalText, texts } from "../../texts/index.ts";

const path = "/op/sales/get";
type Sale = DataOf<typeof path>;

const facts = ["contact_id", "location_id", "created_at", "reference_id", "amount"];
const givenBack = ["money_back", "wallet_back", "points_back", "points_clawed"];
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
        columns={["created_at", "amount", ...givenBack, "reason"]}
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

/** Refunds a sale, and shows before what the customer gets back and what happens to the points. */
function RefundSale({ sale }: { readonly sale: Sale }) {
  const { money } = useBusiness();
  const { sale_id, refundable } = sale;
  if (refundable === 0) return null;
  return (
    <OperationButton
      path="/op/sales/refund"
      fixed={{ sale_id }}
      first={["amount"]}
      suggested={{ amount: refundable }}
      label={texts.refund.submit}
      canSubmit={({ amount = 0 }) => amount <= refundable}
      explanation={texts.refund.explanation(money(refundable))}
      preview={({ amount }) => amount !== undefined && <Preview sale={sale} amount={amount} />}
    />
  );
}

function Preview({ sale: { sale_id }, amount }: { readonly sale: Sale; readonly amount: number }) {
  const previewPath = "/op/sales/preview-refund";
  return (
    <Read path={previewPath} request={{ sale_id, amount }} keepPrevious once>
      {({ vouchers_back, ...effect }) => (
        <Alert title={texts.refund.preview}>
          <Details
            record={effect}
            fields={outputOf(previewPath)}
            // What is 0 does not matter to the customer.
            show={Object.entries(effect).flatMap(([name, value]) => (value === 0 ? [] : [name]))}
          />
          {vouchers_back.length > 0 && texts.refund.vouchers(vouchers_back.length)}
        </Alert>
      )}
    </Read>
  );
}
