/** One sale: who paid what, why it earned its points, and its refunds. */
import { List, SimpleGrid, Title } from "@mantine/core";
import { useParams } from "wouter";
import { type DataOf, outputOf } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { Empty } from "../../feedback/empty.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Details } from "../../tables/details.tsx";
import { RecordTable } from "../../tables/record-table.tsx";
import { texts } from "../../texts/en.ts";
import { dayText } from "../../values/dates.ts";
import { decimalText } from "../../values/decimals.ts";
import { MemberLink } from "../members/member-link.tsx";
import { RefundSale } from "./refund.tsx";

type Sale = DataOf<"/op/sales/get">;

const paid = [
  ...["amount", "voucher_amount", "points_used", "points_amount", "wallet_used", "amount_due", "refundable"],
  ...["location_id", "created_at", "contact_id"],
];

export function SalePage() {
  const { business_id } = useBusiness();
  const sale_id = Number(useParams<{ sale_id: string }>().sale_id);
  const read = useRead("/op/sales/get", { business_id, sale_id });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const sale = read.data.data;
  const fields = outputOf("/op/sales/get");
  const t = texts.sale;
  return (
    <>
      <PageTitle title={t.title(sale.reference_id)} subtitle={dayText(sale.sold_on)}>
        <RefundSale sale={sale} />
      </PageTitle>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <section>
          <Title order={2} size="h4" mb="sm">
            {t.payment}
          </Title>
          <Details
            record={sale}
            fields={fields}
            show={paid}
            cells={{ contact_id: <MemberLink contactId={sale.contact_id} /> }}
          />
        </section>
        <section>
          <Title order={2} size="h4" mb="sm">
            {t.points(decimalText(sale.points_earned, 0))}
          </Title>
          <Why sale={sale} />
        </section>
      </SimpleGrid>
      <Title order={2} size="h4" mt="xl" mb="sm">
        {t.refunds}
      </Title>
      {sale.refunds.length === 0 ? (
        <Empty>{t.noRefunds}</Empty>
      ) : (
        <RecordTable
          caption={t.refunds}
          rows={sale.refunds}
          fields={fields.refunds?.items?.properties ?? {}}
          columns={[
            "created_at",
            "amount",
            "money_back",
            "wallet_back",
            "points_back",
            "points_clawed",
            "reason",
          ]}
          rowKey={(_refund, index) => index}
        />
      )}
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
  const notEligible = sale.amount - sale.eligible_amount;
  return (
    <List>
      {words.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
      {notEligible > 0 && <List.Item>{t.notEligible(money(notEligible))}</List.Item>}
    </List>
  );
}
