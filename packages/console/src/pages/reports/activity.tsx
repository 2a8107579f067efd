/** What happened by day, week or month: a chart of one figure, and all of them as a table and a file. */
import { Group } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useReducer, useState } from "react";
import { flushSync } from "react-dom";
import { outputOf, type RequestOf, reads } from "../../api/index.ts";
import { Loading, Read, RecordTable, SaveFile, Section, Segments, useBusiness } from "../../components.ts";
import { lazyPart } from "../../feedback/lazy-part.tsx";
import { dayText, decimalText, monthText, texts } from "../../texts/index.ts";

const path = "/op/reports/activity";
// It loads while the service responds.
const chart = import("./chart.tsx");
const Chart = lazyPart(async () => (await chart).Chart, <Loading height="15.5rem" />);
const t = texts.reports;

type Asked = Omit<RequestOf<typeof path>, "business_id"> & { readonly by: "day" | "week" | "month" };
type ActivityProps = Readonly<{ title: string; request: Asked }>;

export function Activity({ title, request }: ActivityProps) {
  const { money, currency_decimals } = useBusiness();
  const [shown, choose] = useState<keyof typeof t.measures>("sales_amount");
  // A table of a year by day has thousands of cells. It is made when it is opened, or printed.
  const [isMade, make] = useReducer(() => true, false);
  useWindowEvent("beforeprint", () => flushSync(make));
  const isMoney = shown === "sales_amount";
  const amount = (value: number) => (isMoney ? money(value) : decimalText(value, 0));
  const period = (day: string) => (request.by === "month" ? monthText(day.slice(0, 7)) : dayText(day));
  const beside = (
    <Group gap="sm">
      <Segments size="xs" label={t.measure} names={t.measures} value={shown} onChange={choose} />
      <SaveFile {...{ path, request }} />
    </Group>
  );
  return (
    <Section {...{ title, beside }}>
      <Read path={path} request={request} all height="18rem">
        {(periods) => (
          <>
            <Chart
              label={t.chart(t.measures[shown], request.by)}
              bars={periods.map((one) => ({
                label: request.by === "month" ? period(one.starts_on) : period(one.starts_on).slice(0, -5),
                value: one[shown],
                text: t.bar(request.by, period(one.starts_on), amount(one[shown])),
              }))}
              decimals={isMoney ? currency_decimals : 0}
            />
            <details onToggle={make}>
              <summary>{t.asTable}</summary>
              {isMade && (
                <RecordTable
                  {...{ caption: title, fields: outputOf(path), columns: reads[path].columns ?? [] }}
                  {...{ sortable: "days", rows: periods.toReversed() }}
                  rowKey={({ starts_on }) => starts_on}
                />
              )}
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}
