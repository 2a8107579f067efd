/** The rules for points. A change is saved only after the page has shown what it does to the sales of the last months. */
import { declarationOf, outputOf, type ReadPath, type WritePath } from "../../api/declarations.ts";
import { Read } from "../../feedback/read.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Section } from "../../shell/section.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import type { Row } from "../../values/value.tsx";
import { usePreview } from "./preview.tsx";

export function RulesPage() {
  const t = texts.rules;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      <Part
        title={t.settings}
        change={t.changeSettings}
        read="/op/reward-settings/get"
        write="/op/reward-settings/update"
      />
      <Part
        title={t.rules}
        change={t.changeRules}
        read="/op/reward-settings/rules/get"
        write="/op/reward-settings/rules/update"
      />
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly change: string;
  readonly read: ReadPath;
  readonly write: WritePath;
}

function Part({ title, change, read, write }: PartProps) {
  const preview = usePreview(write);
  return (
    <Read path={read} request={{} as never}>
      {(data) => {
        const record = data as unknown as Row;
        const button = <OperationButton path={write} initial={record} label={change} {...preview} />;
        const show = Object.keys(declarationOf(write).input).filter((name) => name in record);
        return (
          <Section title={title} beside={button}>
            <Details record={record} fields={outputOf(read)} show={show} />
          </Section>
        );
      }}
    </Read>
  );
}
