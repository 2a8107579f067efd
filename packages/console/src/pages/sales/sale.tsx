/** One sale: who paid what, why it earned its points, and its refunds. */
import { List, SimpleGrid } from "@mantine/core";
import { type Asked, type DataOf, outputOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { Details, OperationButton, PageTitle, Parts, Preview, Section } from "../../components.ts";
import { dayText, decimalText, texts, whyTexts } from "../../texts/index.ts";

const path = "/op/sales/get";
type Sale = DataOf<typeof path>;
type Line = Sale["lines"][number];

const facts = ["contact_id", "location_id", "created_at", "reference_id", "amount"];
const givenBack = ["money_back", "wallet_back", "points_back", "points_clawed"];
/** Most sales are paid in one way. The others say nothing. */
const waysToPay = ["voucher_amount", "points_used", "points_amount", "wallet_used", "amount_due"] as const;

export function SalePage({ record: sale }: { readonly record: Sale }) {
  const { money } = useBusiness();
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
          <List>
            {whyTexts(sale, money).map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        </Section>
      </SimpleGrid>
      {sale.lines.length > 0 && (
        <Parts
          {...{ path, title: t.lines, name: "lines", rows: sale.lines }}
          actions={(line) => <RefundLine sale={sale} line={line as Line} />}
        />
      )}
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

/** Refunds a sale, and shows before what the customer gets back and what happens to the points. */
function RefundSale({ sale: { sale_id, refundable } }: { readonly sale: Sale }) {
  const { money } = useBusiness();
  const show = ["amount", ...common.show];
  const more = {
    suggested: { amount: refundable },
    explanation: texts.refund.explanation(money(refundable)),
  };
  return (
    refundable > 0 && (
      <OperationButton
        {...{ ...common, ...more, fixed: { sale_id }, show, label: texts.refund.submit }}
        canSubmit={({ amount = 0 }) => amount <= refundable}
        preview={({ amount }) => amount !== undefined && <RefundPreview request={{ sale_id, amount }} />}
      />
    )
  );
}

const common = { path: "/op/sales/refund", show: ["reference_id", "reason"] } as const;

/** Refunds one piece of a line, or all that are left. */
function RefundLine({ sale: { sale_id }, line }: { readonly sale: Sale; readonly line: Line }) {
  const { line_no, sku, category, refundable } = line;
  const { line: numbered, pieces, piecesOf } = texts.refund;
  const left = refundable > 0 ? line.quantity - line.returned : 0;
  return [...new Set([1, left])].map((quantity) => {
    const fixed = { sale_id, lines: [{ line_no, quantity }] };
    const title = piecesOf(quantity, sku ?? category ?? numbered(line_no));
    const words = { label: pieces(quantity), title, button: { size: "compact-sm", mr: "xs" } };
    const preview = () => <RefundPreview request={fixed} />;
    return left > 0 && <OperationButton key={quantity} {...{ ...common, ...words, fixed, preview }} />;
  });
}

const previewPath = "/op/sales/preview-refund";

function RefundPreview({ request }: { readonly request: Asked<typeof previewPath> }) {
  return (
    <Preview path={previewPath} request={request} title={texts.refund.preview}>
      {({ vouchers_back, ...effect }) => (
        <>
          <Details
            record={effect}
            fields={outputOf(previewPath)}
            // What is 0 does not matter to the customer.
            show={Object.entries(effect).flatMap(([name, value]) => (value === 0 ? [] : [name]))}
          />
          {vouchers_back.length > 0 && texts.refund.vouchers(vouchers_back.length)}
        </>
      )}
    </Preview>
  );
}
