/** One sale: who paid what, why it earned its points, and its refunds. */
import { List, NumberInput, SimpleGrid } from "@mantine/core";
import { useState } from "react";
import { type DataOf, outputOf } from "../../api/index.ts";
import { useBusiness } from "../../business.tsx";
import { Details, OperationButton, PageTitle, Parts, PrintButton, Section } from "../../components.ts";
import { dayText, isolated, lineText, refundedText, texts, whyTexts } from "../../texts/index.ts";
import { useNames, Words, wordsOf } from "../../values/index.ts";

const path = "/op/sales/get";
type Sale = DataOf<typeof path>;

const facts = ["contact_id", "location_id", "created_at", "reference_id", "amount"];
const givenBack = ["money_back", "wallet_back", "points_back", "points_clawed"];
/** Most sales are paid in one way. The others say nothing. */
const waysToPay = ["voucher_amount", "points_used", "points_amount", "wallet_used", "amount_due"] as const;

export function SalePage({ record: sale }: { readonly record: Sale }) {
  const { money, name } = useBusiness();
  const cardName = useNames("stamp_card_id");
  const t = texts.sale;
  return (
    <>
      <PageTitle title={t.title(sale.reference_id)} subtitle={`${isolated(name)} · ${dayText(sale.sold_on)}`}>
        {sale.refundable > 0 && (
          <OperationButton
            {...{ ...common, explanation: texts.refund.explanation(money(sale.refundable)) }}
            {...{ show: ["amount", ...common.show], suggested: { amount: sale.refundable } }}
            canSubmit={({ amount = 0 }) => amount > 0 && amount <= sale.refundable}
          />
        )}
        <RefundLines key={sale.refundable} sale={sale} />
        <PrintButton />
      </PageTitle>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Section title={t.payment}>
          <Details
            {...{ record: sale, fields: outputOf(path) }}
            show={[...facts, ...waysToPay.filter((way) => sale[way] > 0), "refundable"]}
          />
        </Section>
        <Section title={t.points(sale.points_earned)}>
          <List>
            {whyTexts(sale, money).map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        </Section>
      </SimpleGrid>
      <Parts
        {...{ path, title: t.lines, name: "lines", rows: sale.lines }}
        columns={["line_no", "sku", "category", "quantity", "amount", "earning_base", "gives", "refunded"]}
        cells={{
          gives: ({ line_no }) => wordsOf(lineText(sale, Number(line_no), money, cardName)),
          refunded: ({ line_no }) => refundedText(sale, Number(line_no), money),
        }}
      />
      <Parts {...{ path, title: t.promotions, name: "promotions", rows: sale.promotions }} />
      <Parts {...{ path, title: t.stamps, name: "stamp_cards_given", rows: sale.stamp_cards_given }} />
      <Parts
        {...{ path, title: t.refunds, name: "refunds", rows: sale.refunds, empty: t.noRefunds }}
        columns={["created_at", "amount", ...givenBack, "reason"]}
      />
    </>
  );
}

const common = { path: "/op/sales/refund", show: ["reference_id", "reason"] } as const;

/** Refunds pieces of some lines, which the person counts. */
function RefundLines({ sale: { lines: all } }: { readonly sale: Sale }) {
  const [pieces, setPieces] = useState<Readonly<Record<number, number>>>({});
  const t = texts.refund;
  const left = all.filter(({ refundable, quantity, returned }) => refundable > 0 && quantity > returned);
  const lines = left.flatMap(({ line_no }) =>
    pieces[line_no] ? { line_no, quantity: pieces[line_no] } : [],
  );
  const inputs = left.map(({ line_no, sku, category, quantity, returned }) => (
    <NumberInput
      key={line_no}
      label={<Words>{sku ?? category ?? t.line(line_no)}</Words>}
      description={t.left(quantity - returned)}
      {...{ min: 0, max: quantity - returned, clampBehavior: "strict", allowDecimal: false }}
      value={pieces[line_no] ?? 0}
      onChange={(count) => setPieces({ ...pieces, [line_no]: Number(count) })}
    />
  ));
  return (
    left.length > 0 && (
      <OperationButton
        {...{ ...common, fixed: { lines }, label: t.lines }}
        explanation={<SimpleGrid cols={{ base: 1, xs: 2 }}>{inputs}</SimpleGrid>}
        canSubmit={() => lines.length > 0}
      />
    )
  );
}
