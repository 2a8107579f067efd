/** What happened by day, week or month: a chart of one figure, and all of them as a table and a file. */
import { Group } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useState } from "react";
import { flushSync } from "react-dom";
import { outputOf, type RequestOf, reads } from "../../api/index.ts";
import { Loading, Read, RecordTable, SaveFile, Section, Segments, useBusiness } from "../../components.ts";
import { lazyPart } from "../../feedback/lazy-part.tsx";
import { dayText, decimalText, monthText, texts } from "../../texts/index.ts";

const path = "/op/reports/activity";
const load = () => import("./chart.tsx");
// It loads while the service responds. If it can't, the chart tries again, and says so.
void load().catch(() => undefined);
const Chart = lazyPart(async () => (await load()).Chart, <Loading height="15.5rem" />);
const t = texts.reports;
const rowKey = ({ starts_on }: { readonly starts_on: string }) => starts_on;
const table = { fields: outputOf(path), columns: reads[path].columns ?? [], sortable: "days", rowKey };

type Asked = Omit<RequestOf<typeof path>, "business_id"> & { readonly by: "day" | "week" | "month" };

export function Activity({ title, request }: Readonly<{ title: string; request: Asked }>) {
  const { money, currency_decimals } = useBusiness();
  const [shown, choose] = useState<keyof typeof t.measures>("sales_amount");
  // A table of a year by day has thousands of cells. It is made while it is open, and to print it.
  const [isOpen, setOpen] = useState(false);
  const [prints, setPrints] = useState(false);
  useWindowEvent("beforeprint", () => flushSync(() => setPrints(true)));
  useWindowEvent("afterprint", () => setPrints(false));
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
            <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
              <summary>{t.asTable}</summary>
              {(isOpen || prints) && <RecordTable {...table} caption={title} rows={periods.toReversed()} />}
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}
