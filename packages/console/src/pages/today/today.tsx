/** What happened today and in the last weeks, and what the business owes its members. */
import { SimpleGrid, Title } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Figure } from "../../tables/figure.tsx";
import { texts } from "../../texts/en.ts";
import { dayText, monthText } from "../../values/dates.ts";
import { decimalText } from "../../values/decimals.ts";
import { Weeks } from "./weeks.tsx";

const number = (value: number) => decimalText(value, 0);

export function TodayPage() {
  const { business_id, money } = useBusiness();
  // Without days, the report ends with the day of the business, also on the clock of a sandbox.
  const read = useRead("/op/reports/activity", { business_id, by: "day", per_page: 100 });
  const t = texts.today;
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const today = read.data.data.at(-1);
  if (today === undefined) return <PageTitle title={t.title} />;
  return (
    <>
      <PageTitle title={t.title} subtitle={dayText(today.starts_on)} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure label={t.sales} value={money(today.sales_amount)}>
          {t.saleCount(today.sales)}
        </Figure>
        <Figure label={t.pointsGiven} value={number(today.points_given)} />
        <Figure label={t.pointsUsed} value={number(today.points_used)} />
        <Figure label={t.activeMembers} value={number(today.active_members)}>
          {today.new_members !== null && t.newMembers(today.new_members)}
        </Figure>
      </SimpleGrid>
      <Weeks today={today.starts_on} />
      <Outstanding />
    </>
  );
}

/** The points, money and vouchers that members have, and what expires next. */
function Outstanding() {
  const { business_id, money } = useBusiness();
  const read = useRead("/op/reports/liabilities", { business_id });
  const t = texts.today;
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const owed = read.data.data;
  const next = owed.points_by_month.find(({ month }) => month !== null);
  return (
    <>
      <Title order={2} size="h4" mt="xl" mb="sm">
        {t.outstanding}
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure label={t.points} value={number(owed.points)}>
          <div>{t.worth(money(owed.points_amount))}</div>
          {owed.points_pending > 0 && <div>{t.pending(number(owed.points_pending))}</div>}
        </Figure>
        <Figure label={t.expiring} value={next === undefined ? t.nothing : number(next.points)}>
          {next?.month && t.atEndOf(monthText(next.month))}
        </Figure>
        <Figure label={t.wallet} value={money(owed.wallet)} />
        <Figure label={t.vouchers} value={money(owed.vouchers_amount)}>
          {t.voucherCount(owed.vouchers)}
        </Figure>
      </SimpleGrid>
    </>
  );
}
