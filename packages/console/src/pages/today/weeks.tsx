/** A chart of the last weeks, and the same as a table. */
import { Group, SegmentedControl, Title } from "@mantine/core";
import { useState } from "react";
import { outputOf } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { RecordTable } from "../../tables/record-table.tsx";
import { texts } from "../../texts/en.ts";
import { dayAfter, dayText } from "../../values/dates.ts";
import { decimalText } from "../../values/decimals.ts";
import { BarChart } from "./bar-chart.tsx";

const measures = ["sales_amount", "points_given", "points_used"] as const;
const shownWeeks = 12;

export function Weeks({ today }: { readonly today: string }) {
  const { business_id, money } = useBusiness();
  const [measure, setMeasure] = useState<(typeof measures)[number]>("sales_amount");
  const from = dayAfter(today, -7 * (shownWeeks - 1));
  const read = useRead("/op/reports/activity", {
    business_id,
    by: "week",
    from,
    through: today,
    per_page: 100,
  });
  const t = texts.today;
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const weeks = read.data.data;
  const text = (value: number) => (measure === "sales_amount" ? money(value) : decimalText(value, 0));
  return (
    <>
      <Group justify="space-between" mt="xl" mb="sm">
        <Title order={2} size="h4">
          {t.weeks}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t.measure}
          data={measures.map((value) => ({ value, label: t.measures[value] }))}
          value={measure}
          onChange={(value) => setMeasure(value as typeof measure)}
        />
      </Group>
      <BarChart
        label={t.chart(t.measures[measure])}
        bars={weeks.map((week) => ({
          label: dayText(week.starts_on).slice(0, -5),
          value: week[measure],
          text: text(week[measure]),
        }))}
      />
      <details>
        <summary>{t.asTable}</summary>
        <RecordTable
          caption={t.weeks}
          rows={weeks.toReversed()}
          fields={outputOf("/op/reports/activity")}
          columns={[
            "starts_on",
            "sales",
            "sales_amount",
            "refunds_amount",
            "points_given",
            "points_used",
            "points_expired",
            "new_members",
          ]}
          rowKey={({ starts_on }) => starts_on}
        />
      </details>
    </>
  );
}
