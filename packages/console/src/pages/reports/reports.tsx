/** What happened in a range of days, compared with the one before, and what the business owes its members at its end. */
import { Group, SimpleGrid } from "@mantine/core";
import { useSearchParams } from "wouter";
import { comparedFigures } from "../../../../../src/domain/reports/figures.ts";
import { nameOfRange, type Range, ranges, usualUnit } from "../../../../../src/domain/reports/ranges.ts";
import { outputOf, reads } from "../../api/index.ts";
import { Note, PageTitle, PrintButton, Read, Section, Segments, useBusiness } from "../../components.ts";
import { useFilters } from "../../forms/filters.tsx";
import { Details, Figure, Parts } from "../../tables/index.ts";
import { changeText, dayText, isolated, labelOf, monthText, texts, typedDay } from "../../texts/index.ts";
import { type Row, useNames, Value } from "../../values/index.ts";
import { Activity } from "./activity.tsx";
import { Outstanding } from "./outstanding.tsx";

const [activity, owed] = ["/op/reports/activity", "/op/reports/liabilities"] as const;
const [compared, gifts] = ["/op/reports/figures", "/op/reports/gift-cards"] as const;
const t = texts.reports;
const giftFigures = { fields: outputOf(gifts), show: Object.keys(t.gifts), labels: t.gifts };
const { properties: fields = {} } = outputOf(compared).figures ?? {};

export const ReportsPage = () => (
  <Read path={owed} request={{}}>
    {({ on }) => <Report today={on} />}
  </Read>
);

function Report({ today }: { readonly today: string }) {
  const { name } = useBusiness();
  const [parameters, setParameters] = useSearchParams();
  // The address can have any text in the place of a day.
  const usual = ranges.month(typedDay(parameters.get("through") ?? "") ?? today);
  const { request, inputs } = useFilters(activity, ["from", "through", "location_id"], { usual });
  const { location_id, ...range } = { ...usual, ...(request as { readonly location_id?: number }) };
  const by = (parameters.get("by") ?? usualUnit(range)) as Asked["by"];
  const nameOf = useNames("location_id");
  const place = location_id === undefined ? t.everywhere : nameOf(location_id);
  const change = (changes: object) =>
    setParameters({ ...Object.fromEntries(parameters), ...changes }, { replace: true });
  const preset = (nameOfRange(range, today) ?? "") as keyof typeof ranges;
  const choose = (one: keyof typeof ranges) => change(ranges[one](today));
  const subtitle = [name, t.range(dayText(range.from), dayText(range.through)), place];
  const asked = { ...range, location_id, by };
  // What the page has read of today is not read again.
  const on = range.through === today ? undefined : range.through;
  return (
    <>
      <PageTitle title={t.title} subtitle={subtitle.filter(Boolean).map(isolated).join(" · ")}>
        <PrintButton />
      </PageTitle>
      <div className="choices">
        <Segments mb="sm" label={t.preset} names={t.presets} value={preset} onChange={choose} />
        <Group mb="sm">{inputs}</Group>
        <Segments label={t.by} names={t.units} value={by} onChange={(unit) => change({ by: unit })} />
      </div>
      <RangeFigures asked={asked} />
      <Activity title={t.periods(by)} request={asked} />
      {location_id === undefined && <Breakdown of="locations" range={range} />}
      <Breakdown of="tiers" range={range} />
      <Section title={t.outstanding(dayText(range.through))}>
        <Outstanding {...{ on }} />
        <Expiring {...{ on }} />
      </Section>
      <Section title={t.giftCards}>
        <Read path={gifts} request={range}>
          {(sums) => <Details {...giftFigures} record={sums} />}
        </Read>
      </Section>
    </>
  );
}

type Asked = Range & Readonly<{ location_id: number | undefined; by: keyof typeof t.units }>;

/** The figures of the range, with those of the range before. */
function RangeFigures({ asked }: { readonly asked: Asked }) {
  const value = (name: string, row: Row) =>
    fields[name] && <Value {...{ name, row }} field={fields[name]} value={row[name]} />;
  return (
    <Section title={t.figures}>
      <Read path={compared} request={asked} height={{ base: "82rem", sm: "54rem", lg: "31rem" }}>
        {({ figures, before, before_from, before_through }) => (
          <>
            <Note mb="sm">{t.compared(dayText(before_from), dayText(before_through), asked.by)}</Note>
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
              {comparedFigures.map((name) => (
                <Figure key={name} label={labelOf(name, "report_")} value={value(name, figures)}>
                  {t.before} {value(name, before)} {changeText(figures[name], before[name])}
                </Figure>
              ))}
            </SimpleGrid>
          </>
        )}
      </Read>
    </Section>
  );
}

/** The rows of a list of the report. One location alone says what the figures say. */
function Breakdown({ of, range }: Readonly<{ of: keyof typeof t.breakdowns; range: Range }>) {
  const path = `/op/reports/${of}` as const;
  const [title, file] = [t.breakdowns[of](dayText(range.through)), `${of}-${range.from}-${range.through}`];
  const cells = { tier_name: ({ tier_name }: Row) => (tier_name === null ? texts.member.noTier : undefined) };
  const table = { path, title, file, cells, columns: reads[path].columns, sortable: of };
  return (
    <Read path={path} request={range} all>
      {(rows) => rows.length > (of === "locations" ? 1 : 0) && <Parts {...table} rows={rows} />}
    </Read>
  );
}

/** What members have, by the month in which it expires. */
function Expiring({ on }: { readonly on: string | undefined }) {
  return (
    <Read path={owed} request={{ on }}>
      {(data) =>
        (["points", "vouchers"] as const).map((what) => (
          <Parts
            key={what}
            {...{ path: owed, title: t.expiring[what], file: `${what}-${data.on}`, empty: t.nothing }}
            {...{ name: `${what}_by_month`, rows: data[`${what}_by_month`] }}
            cells={{ month: ({ month }) => (month === null ? t.noEnd : monthText(String(month))) }}
          />
        ))
      }
    </Read>
  );
}
