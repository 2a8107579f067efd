/** A chart of the last weeks, and the same as a table. */
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { outputOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { Read } from "../../feedback/read.tsx";
import { Section } from "../../shell/section.tsx";
import { RecordTable } from "../../tables/record-table.tsx";
import { dayAfter, dayText } from "../../texts/dates.ts";
import { decimalText } from "../../texts/decimals.ts";
import { texts } from "../../texts/en.ts";
import { BarChart } from "./bar-chart.tsx";

const measures = ["sales_amount", "points_given", "points_used"] as const;
const shownWeeks = 12;
const path = "/op/reports/activity";
const columns = [
  ...["starts_on", "sales", "sales_amount", "refunds_amount", "points_given", "points_used"],
  ...["points_expired", "new_members"],
];

export function Weeks({ today: through }: { readonly today: string }) {
  const { money, currency_decimals } = useBusiness();
  const [measure, setMeasure] = useState<(typeof measures)[number]>("sales_amount");
  const from = dayAfter(through, -7 * (shownWeeks - 1));
  const t = texts.today;
  const text = (value: number) => (measure === "sales_amount" ? money(value) : decimalText(value, 0));
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label={t.measure}
      data={measures.map((value) => ({ value, label: t.measures[value] }))}
      value={measure}
      onChange={(value) => setMeasure(value as typeof measure)}
    />
  );
  return (
    <Section title={t.weeks} beside={choice}>
      <Read path={path} request={{ by: "week", from, through, per_page: 100 }} height="18rem">
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
            <details>
              <summary>{t.asTable}</summary>
              <RecordTable
                caption={t.weeks}
                rows={weeks.toReversed()}
                fields={outputOf(path)}
                columns={columns}
                rowKey={({ starts_on }) => starts_on}
              />
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}
