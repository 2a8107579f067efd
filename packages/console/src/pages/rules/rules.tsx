/** The rules for points. A change is saved only after the page has shown what it does to the sales of the last months. */
import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { declarationOf, outputOf, type ReadPath, type WritePath } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import type { Row } from "../../values/value.tsx";
import { usePreview } from "./preview.tsx";

export function RulesPage() {
  const { business_id } = useBusiness();
  const settings = useRead("/op/reward-settings/get", { business_id });
  const rules = useRead("/op/reward-settings/rules/get", { business_id });
  const previewOfSettings = usePreview();
  const previewOfRules = usePreview();
  const t = texts.rules;
  if (settings.isPending || rules.isPending) return <Loading />;
  if (settings.error) return <FailureAlert error={settings.error} onRetry={() => void settings.refetch()} />;
  if (rules.error) return <FailureAlert error={rules.error} onRetry={() => void rules.refetch()} />;
  const fixed = { business_id };
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      <Section
        title={t.settings}
        record={settings.data.data}
        read="/op/reward-settings/get"
        write="/op/reward-settings/update"
      >
        <OperationButton
          path="/op/reward-settings/update"
          initial={settings.data.data}
          label={t.changeSettings}
          submitLabel={texts.forms.save}
          {...{ fixed, ...previewOfSettings }}
        />
      </Section>
      <Section
        title={t.rules}
        record={rules.data.data}
        read="/op/reward-settings/rules/get"
        write="/op/reward-settings/rules/update"
      >
        <OperationButton
          path="/op/reward-settings/rules/update"
          initial={rules.data.data}
          label={t.changeRules}
          submitLabel={texts.forms.save}
          {...{ fixed, ...previewOfRules }}
        />
      </Section>
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly record: Row;
  readonly read: ReadPath;
  readonly write: WritePath;
  /** The button that changes the record. */
  readonly children: ReactNode;
}

function Section({ title, record, read, write, children }: SectionProps) {
  const { input } = declarationOf(write);
  return (
    <>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Group>
      <Details
        record={record}
        fields={outputOf(read)}
        show={Object.keys(input).filter((name) => name in record)}
      />
    </>
  );
}
