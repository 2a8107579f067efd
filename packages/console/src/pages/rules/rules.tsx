/** The rules for points. A change is saved only after the page has shown what it does to the sales of the last months. */
import { outlineOf, outputOf } from "../../api/index.ts";
import { Details, OperationButton, PageTitle, Read, type Row, Section } from "../../components.ts";
import { texts } from "../../texts/en/texts.ts";
import { EarningChecklist } from "./checklist.tsx";
import { usePreview } from "./preview.tsx";

export function RulesPage() {
  const t = texts.rules;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation}>
        <OperationButton path="/op/reward-points/extend" />
      </PageTitle>
      <EarningChecklist />
      <Part title={t.settings} of="/op/reward-settings" />
      <Part title={t.rules} of="/op/reward-settings/rules" />
    </>
  );
}

type Rules = "/op/reward-settings" | "/op/reward-settings/rules";

function Part({ title, of }: Readonly<{ title: string; of: Rules }>) {
  const [read, write] = [`${of}/get`, `${of}/update`] as const;
  return (
    <Read path={read} request={{} as never}>
      {(data) => {
        const record = data as unknown as Row;
        const show = outlineOf(write).takes.filter((name) => name in record);
        return (
          <Section
            {...{ title }}
            beside={<OperationButton path={write} {...{ record }} useExtras={usePreview} />}
          >
            <Details {...{ record, show }} fields={outputOf(read)} />
          </Section>
        );
      }}
    </Read>
  );
}
