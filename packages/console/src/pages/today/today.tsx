/** What happened today and in the last weeks, and what the business owes its members. */
import { Alert, SimpleGrid } from "@mantine/core";
import { useState } from "react";
import { outputOf, useAll } from "../../api/index.ts";
import { useBusiness } from "../../business.tsx";
import { Read } from "../../feedback/read.tsx";
import { SaveFile } from "../../files/save-file.tsx";
import { Segments } from "../../forms/segments.tsx";
import { PageTitle, Section } from "../../shell/index.ts";
import { Details, Figure, RecordTable } from "../../tables/index.ts";
import { dayAfter, dayText, decimalText, monthText, texts } from "../../texts/index.ts";
import { PageLink } from "../../values/links.tsx";
import { EarningChecklist } from "../rules/checklist.tsx";
import { isStopped } from "../webhooks/endpoint-status.tsx";
import { BarChart } from "./bar-chart.tsx";

const activity = "/op/reports/activity";
const statusPath = "/op/status/get";
const serviceFacts = ["last_verified_at", "last_mismatch_at", "last_backup_at"];
const number = (value: number) => decimalText(value, 0);
const t = texts.today;

export function TodayPage() {
  const { money } = useBusiness();
  // Endpoints that should get events, but don't.
  const stopped = useAll("/op/webhook-endpoints/list", {}).data?.data.filter(isStopped) ?? [];
  // Without days, the report ends with the day of the business, also on the clock of a sandbox.
  return (
    <Read path={activity} request={{ by: "day", per_page: 100 }}>
      {(days) => {
        const today = days.at(-1);
        if (today === undefined) return <PageTitle title={t.title} />;
        return (
          <>
            <PageTitle title={t.title} subtitle={dayText(today.starts_on)} />
            <EarningChecklist />
            {stopped.length > 0 && (
              <Alert color="red">
                <PageLink href="/webhooks">{texts.webhooks.stopped(stopped.length)}</PageLink>
              </Alert>
            )}
            <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
              <Figure label={t.sales} value={money(today.sales_amount)}>
                {t.saleCount(today.sales)}
                {today.refunds_amount > 0 && <div>{t.refunded(money(today.refunds_amount))}</div>}
              </Figure>
              <Figure label={t.pointsGiven} value={number(today.points_given)} />
              <Figure label={t.pointsUsed} value={number(today.points_used)} />
              <Figure label={t.activeMembers} value={number(today.active_members)}>
                {today.new_members !== null && t.newMembers(today.new_members)}
              </Figure>
            </SimpleGrid>
            <Weeks today={today.starts_on} />
            <Section title={t.outstanding}>
              <Outstanding />
            </Section>
            <Section title={t.service}>
              <Read path={statusPath} request={{}}>
                {(status) => <Details record={status} fields={outputOf(statusPath)} show={serviceFacts} />}
              </Read>
            </Section>
          </>
        );
      }}
    </Read>
  );
}

/** The points, money and vouchers that members have, and what expires next. */
function Outstanding() {
  const { money } = useBusiness();
  return (
    <Read path="/op/reports/liabilities" request={{}} height={{ base: "14.5rem", md: "6.25rem" }}>
      {(owed) => {
        const next = owed.points_by_month.find(({ month }) => month !== null);
        return (
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
        );
      }}
    </Read>
  );
}

const shownWeeks = 12;
const amounts = ["sales_amount", "refunds_amount", "points_given", "points_used", "points_expired"];

/** A chart of the last weeks, and the same as a table. */
function Weeks({ today: through }: { readonly today: string }) {
  const { money, currency_decimals } = useBusiness();
  const [measure, setMeasure] = useState<keyof typeof t.measures>("sales_amount");
  const from = dayAfter(through, -7 * (shownWeeks - 1));
  const text = (value: number) => (measure === "sales_amount" ? money(value) : number(value));
  const choice = (
    <Segments size="xs" label={t.measure} names={t.measures} value={measure} onChange={setMeasure} />
  );
  return (
    <Section title={t.weeks} beside={choice}>
      <Read path={activity} request={{ by: "week", from, through, per_page: 100 }} height="18rem">
        {(weeks) => (
          <>
            <BarChart
              label={t.chart(t.measures[measure])}
              bars={weeks.map((week) => ({
                label: dayText(week.starts_on).slice(0, -5),
                value: week[measure],
                text: t.week(dayText(week.starts_on), text(week[measure])),
              }))}
              decimals={measure === "sales_amount" ? currency_decimals : 0}
            />
            <SaveFile path={activity} request={{ by: "week", from, through }} />
            <details>
              <summary>{t.asTable}</summary>
              <RecordTable
                caption={t.weeks}
                rows={weeks.toReversed()}
                fields={outputOf(activity)}
                columns={["starts_on", "sales", ...amounts, "new_members"]}
                rowKey={({ starts_on }) => starts_on}
              />
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}
