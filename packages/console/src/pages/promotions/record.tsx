/** One promotion or stamp card: what it does, and what it gave. */
import { outputOf } from "../../api/fields.ts";
import { Details, OperationButton, PageTitle, Parts, Read, type Row, State } from "../../components.ts";
import { kinds, RuleWords, stepButtons } from "./words.tsx";

export function RecordPage({ record }: { readonly record: Row }) {
  const of = "promotion_id" in record ? "promotions" : "stamp-cards";
  const { t } = kinds[of];
  const [path, file] = [`/op/${of}/report` as const, String(record.name)];
  const labels: Readonly<Record<string, string>> = t.figures(record);
  return (
    <>
      <PageTitle title={file} subtitle={<RuleWords kind={of} of={record} />}>
        <State value={String(record.status)} row={record} />
        {stepButtons(of, record).map((button) => (
          <OperationButton key={button.path} {...button} />
        ))}
      </PageTitle>
      <Read path={path} request={{} as never}>
        {({ days, ...report }) => (
          <>
            <Details record={report} fields={outputOf(path)} show={Object.keys(labels)} {...{ labels }} />
            <Parts
              {...{ path, title: t.days, name: "days", rows: days, empty: t.nothing, file }}
              // A promotion for stamps gives no points, for example.
              columns={Object.keys(days[0] ?? {}).filter((name) => days.some((day: Row) => day[name] !== 0))}
            />
          </>
        )}
      </Read>
    </>
  );
}
