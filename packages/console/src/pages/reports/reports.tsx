/** What happened in a range of days, compared with the one before, and what the business owes its members at its end. */
import { Group, SimpleGrid } from "@mantine/core";
import { useSearchParams } from "wouter";
import { figuresOf } from "../../../../../src/domain/reports/figures.ts";
import * as reportRanges from "../../../../../src/domain/reports/ranges.ts";
import { type Fields, outputOf, reads, useAll } from "../../api/index.ts";
import { Note, PageTitle, PrintButton, Read, Section, Segments, useBusiness } from "../../components.ts";
import { useFilters } from "../../forms/filters.tsx";
import { Details, Figure, Parts } from "../../tables/index.ts";
import { changeText, dayText, isolated, labelOf, monthText, texts, typedDay } from "../../texts/index.ts";
import { type Row, useNames, Value } from "../../values/index.ts";
import { Activity } from "./activity.tsx";
import { Outstanding } from "./outstanding.tsx";

const [activity, owed] = ["/op/reports/activity", "/op/reports/liabilities"] as const;
const gifts = "/op/reports/gift-cards";
const t = texts.reports;
const { exactUnit, nameOfRange, rangeBefore, ranges, usualUnit } = reportRanges;

export function ReportsPage() {
  return (
    <Read path={owed} request={{}}>
      {({ on }) => <Report today={on} />}
    </Read>
  );
}

function Report({ today }: { readonly today: string }) {
  const { name } = useBusiness();
  const [parameters, setParameters] = useSearchParams();
  // The address can have any text in the place of a day.
  const usual = ranges.month(typedDay(parameters.get("through") ?? "") ?? today);
  const { request, inputs } = useFilters(activity, ["from", "through", "location_id"], { usual });
  const { location_id, ...range } = { ...usual, ...(request as { readonly location_id?: number }) };
  const by = (parameters.get("by") ?? usualUnit(range)) as Unit;
  const nameOf = useNames("location_id");
  const place = location_id === undefined ? t.everywhere : nameOf(location_id);
  const change = (changes: object) =>
    setParameters({ ...Object.fromEntries(parameters), ...changes }, { replace: true });
  const preset = (nameOfRange(range, today) ?? "") as keyof typeof ranges;
  const choose = (one: keyof typeof ranges) => change(ranges[one](today));
  const days = t.range(dayText(range.from), dayText(range.through));
  const subtitle = [name, days, place].map(isolated).join(" · ");
  const asked = { ...range, location_id };
  return (
    <>
      <PageTitle title={t.title} {...{ subtitle }}>
        <PrintButton />
      </PageTitle>
      <div className="choices">
        <Segments mb="sm" label={t.preset} names={t.presets} value={preset} onChange={choose} />
        <Group mb="sm">{inputs}</Group>
        <Segments label={t.by} names={t.units} value={by} onChange={(unit) => change({ by: unit })} />
      </div>
      <RangeFigures {...{ asked, by }} />
      <Activity title={t.periods(by)} request={{ ...asked, by }} />
      {location_id === undefined && <Breakdown of="locations" range={range} />}
      <Breakdown of="tiers" range={range} />
      <Section title={t.outstanding(dayText(range.through))}>
        <Outstanding on={range.through} />
        <Expiring on={range.through} />
      </Section>
      <Section title={t.giftCards}>
        <Read path={gifts} request={range}>
          {(sums) => (
            <Details record={sums} fields={outputOf(gifts)} show={Object.keys(t.gifts)} labels={t.gifts} />
          )}
        </Read>
      </Section>
    </>
  );
}

type Unit = keyof typeof t.units;
type Asked = reportRanges.Range & Readonly<{ location_id: number | undefined }>;

const fields: Fields = { ...outputOf("/op/reports/locations"), ...outputOf(activity) };

/** @param by the length of the periods of active members: they don't add up */
function useFigures(asked: Asked, by: Unit) {
  const rows: readonly Row[] = useAll(activity, { ...asked, by: exactUnit(asked) }).data?.data ?? [];
  const periods: readonly Row[] = useAll(activity, { ...asked, by }).data?.data ?? [];
  return figuresOf(rows, periods);
}

/** The figures of the range, with those of the range before. */
function RangeFigures({ asked, by }: { readonly asked: Asked; readonly by: Unit }) {
  const before = { ...asked, ...rangeBefore(asked) };
  const [now, then] = [useFigures(asked, by), useFigures(before, by)];
  const shownValue = (name: keyof typeof now, row: typeof now) => (
    <Value {...{ name, row }} field={fields[name] ?? { type: "number" }} value={row[name]} />
  );
  return (
    <Section title={t.figures}>
      <Note mb="sm">{t.compared(dayText(before.from), dayText(before.through), by)}</Note>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        {(Object.keys(now) as (keyof typeof now)[]).map((name) => (
          <Figure key={name} label={labelOf(name)} value={shownValue(name, now)}>
            {t.before} {shownValue(name, then)} {changeText(now[name], then[name])}
          </Figure>
        ))}
      </SimpleGrid>
    </Section>
  );
}

/** The rows of a list of the report. One location alone says what the figures say. */
function Breakdown({ of, range }: Readonly<{ of: keyof typeof t.breakdowns; range: reportRanges.Range }>) {
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
function Expiring({ on }: { readonly on: string }) {
  return (
    <Read path={owed} request={{ on }}>
      {(data) =>
        (["points", "vouchers"] as const).map((what) => (
          <Parts
            key={what}
            {...{ path: owed, title: t.expiring[what], file: `${what}-${on}`, empty: t.nothing }}
            {...{ name: `${what}_by_month`, rows: data[`${what}_by_month`] }}
            cells={{ month: ({ month }) => (month === null ? t.noEnd : monthText(String(month))) }}
          />
        ))
      }
    </Read>
  );
}
