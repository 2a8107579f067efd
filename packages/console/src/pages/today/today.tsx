/** What happened today and in the last weeks, and what the business owes its members. */

import { Alert, SimpleGrid } from "@mantine/core";
import { useAll } from "../../api/index.ts";
import { useBusiness } from "../../business.tsx";
import { Details, Figure, Loading, lazyPart, PageLink, PageTitle, Read, Section } from "../../components.ts";
import { dayAfter, dayText, texts, wholeText } from "../../texts/index.ts";
import { Outstanding } from "../reports/outstanding.tsx";
import { EarningChecklist } from "../rules/checklist.tsx";
import { isStopped } from "../webhooks/endpoint-status.tsx";

const activity = () => import("../reports/activity.tsx");
const Activity = lazyPart(async () => (await activity()).Activity, <Loading height="22rem" />);
/** The declarations of reads would double what loads before this page. */
const time = { type: "string", format: "date-time" } as const;
const serviceFacts = { last_verified_at: time, last_mismatch_at: time, last_backup_at: time };
const t = texts.today;

export function TodayPage() {
  const { money } = useBusiness();
  // Endpoints that should get events, but don't.
  const stopped = useAll("/op/webhook-endpoints/list", {}).data?.data.filter(isStopped) ?? [];
  // Without days, the report ends with the day of the business, also on the clock of a sandbox.
  return (
    <Read path="/op/reports/activity" request={{ by: "day", per_page: 100 }}>
      {(days) => {
        const today = days.at(-1);
        if (today === undefined) return <PageTitle title={t.title} />;
        return (
          <>
            <PageTitle title={t.title} subtitle={dayText(today.starts_on)} />
            <EarningChecklist leads />
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
              <Figure label={t.pointsGiven} value={wholeText(today.points_given)} />
              <Figure label={t.pointsUsed} value={wholeText(today.points_used)} />
              <Figure label={t.activeMembers} value={wholeText(today.active_members)}>
                {today.new_members !== null && t.newMembers(today.new_members)}
              </Figure>
            </SimpleGrid>
            <Activity
              title={t.weeks}
              request={{ by: "week", from: dayAfter(today.starts_on, -77), through: today.starts_on }}
            />
            <Section title={t.outstanding}>
              <Outstanding />
            </Section>
            <Section title={t.service}>
              <Read path="/op/status/get" request={{}}>
                {(status) => <Details record={status} fields={serviceFacts} />}
              </Read>
            </Section>
          </>
        );
      }}
    </Read>
  );
}
